"""Everything this project raises on purpose: one root, leaves that also are the builtin a caller would expect."""

import errno
from collections.abc import Sequence
from pathlib import Path


class EdgeError(Exception):
    """Root of all errors that are the input's fault, not the program's; the commands print it as one line."""


class ImageError(EdgeError, ValueError):
    """A picture that cannot be used: unreadable, too small, too large, wrong type."""


class ModelError(EdgeError, ValueError):
    """A model file that cannot be believed."""


class HandError(EdgeError, ValueError):
    """A hand that cannot be believed, or what must not be taught."""


class DoubtError(HandError):
    """What is taught only after a question.

    Args:
        alike: labels under which a picture like it was taught.
        turned: labels of the model's test pictures that would be read otherwise.
    """

    def __init__(self, text: str, alike: Sequence[str] = (), turned: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.alike, self.turned = list(alike), list(turned)


class DatasetError(EdgeError, ValueError):
    """A data set that cannot be opened or contradicts itself."""


class TrainingError(EdgeError, RuntimeError):
    """Training that must not go on: a model that would not decide as it was trained to."""


class BackendError(EdgeError, RuntimeError):
    """A compute backend that this machine does not have."""


class ConfigError(EdgeError, ValueError):
    """A configuration that cannot be used."""


class CameraError(EdgeError, RuntimeError):
    """A camera that is missing, busy, or gives no frames."""


class RecordingError(EdgeError, ValueError):
    """A recording that cannot be replayed or made."""


class PublishError(EdgeError, RuntimeError):
    """A way to publish that cannot be opened."""


class LogError(EdgeError, ValueError):
    """A log that cannot be written or believed."""


class ServiceError(EdgeError, RuntimeError):
    """A running service that cannot be asked, or refuses what it was asked."""


def how_to_install(extra: str) -> str:
    """What to do where packages of an extra are missing: the project is on no index, so its folder is named. A package
    that is imported from there stays so.

    >>> how_to_install("train").replace("-e ", "")
    "pip install '.[train]' in the project's folder"
    """
    editable = "-e " if (Path(__file__).parents[1] / "pyproject.toml").is_file() else ""
    return f"pip install {editable}'.[{extra}]' in the project's folder"


_MEMORY_AND_DISK = (errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)
_DEVICES = (errno.EBUSY, errno.EIO, errno.ENODEV, errno.ENXIO, errno.EAGAIN, errno.ETIMEDOUT)
_ADDRESSES = (errno.EADDRINUSE, errno.EADDRNOTAVAIL)
_PASSING = frozenset((*_MEMORY_AND_DISK, *_DEVICES, *_ADDRESSES))


def may_pass(error: BaseException) -> bool:
    """Whether the same may succeed later although nobody mends the input: the camera is busy, a disk is full.

    An error of this project is the input's fault, unless it is the camera's, or was raised from what the system says
    when it is short of something. What nobody foresaw of the system may pass.

    >>> may_pass(ConfigError("no such key")), may_pass(CameraError("it is busy")), may_pass(OSError("disk full"))
    (False, True, True)
    """
    if not isinstance(error, EdgeError):
        return isinstance(error, OSError | MemoryError)
    cause: BaseException | None = error
    while isinstance(cause, EdgeError) and not isinstance(cause, CameraError):
        cause = cause.__cause__
    return isinstance(cause, CameraError | MemoryError) or (isinstance(cause, OSError) and cause.errno in _PASSING)
