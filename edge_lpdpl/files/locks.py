"""Locks between processes: one of them changes or makes something, and others wait."""

import fcntl
import time

STEP = 0.02
"""Seconds between two looks at a lock that another process holds."""


def take_lock(handle: int, patience: float = 0.0) -> bool:
    """Lock an open file or folder until it is closed; another process may hold the lock.

    Args:
        handle: of the file or folder.
        patience: seconds to wait for it.

    Returns:
        whether it is locked now.

    Raises:
        OSError: the file system has no locks.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, other = (os.open(folder, os.O_RDONLY) for _ in range(2))
    ...     print(take_lock(one), take_lock(other))
    ...     os.close(one)
    ...     print(take_lock(other))
    ...     os.close(other)
    True False
    True
    """
    end = time.monotonic() + patience
    while not _is_locked(handle):
        if time.monotonic() >= end:
            return False
        time.sleep(STEP)
    return True


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
