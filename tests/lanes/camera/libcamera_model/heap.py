"""Contiguous memory from memfd, with a limit, for picamera2's allocator."""

import errno
import os

_NAME = "libcamera-model-"


class Heap:
    """Stands for `picamera2.dma_heap.DmaHeap`."""

    limit = None
    """Total bytes available; None for no limit."""

    def __init__(self):
        self.isValid = True

    def alloc(self, name, size):
        from picamera2.dma_heap import UniqueFD

        size = -(-size // 4096) * 4096
        if Heap.limit is not None and sum(buffers_in_use().values()) + size > Heap.limit:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        descriptor = os.memfd_create(f"{_NAME}{name}")
        os.ftruncate(descriptor, size)
        return UniqueFD(descriptor)

    def close(self):
        """No-op: nothing is held."""


def buffers_in_use():
    """Bytes of the buffers of this process, by inode."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}").startswith(f"/memfd:{_NAME}"):
                status = os.stat(f"/proc/self/fd/{name}")
                found[status.st_ino] = status.st_size
        except OSError:
            continue  # closed in the meantime
    return found
