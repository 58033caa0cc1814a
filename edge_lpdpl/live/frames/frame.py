"""One grey frame that knows when it was exposed, and what everything that gives frames has in common."""

import time
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.live.config.sections import CameraConfig


class Frame(NamedTuple):
    """One look at the scene."""

    grey: NDArray[np.uint8]
    """(height, width), C-contiguous; only until the next frame is taken, which may come in the same memory."""
    sequence: int
    """Counts up from 0 with every frame that the source gives."""
    exposed_ns: int
    """When its exposure began, by `time.monotonic_ns`."""

    def age_ms(self, now_ns: int | None = None) -> float:
        """Milliseconds since its exposure began.

        >>> Frame(np.zeros((2, 2), np.uint8), 0, exposed_ns=1_000_000).age_ms(now_ns=6_500_000)
        5.5
        """
        return ((time.monotonic_ns() if now_ns is None else now_ns) - self.exposed_ns) / 1e6


class EndOfFrames(Exception):  # noqa: N818 - no error: a folder of pictures has a last one
    """There are no more frames."""


class FrameSource(Protocol):
    """What gives frames. One thread takes them."""

    name: str
    """What it is, for people."""
    height: int
    width: int
    timeouts: int
    """How often a frame did not come in time."""

    def take(self) -> Frame | None:
        """The next frame, or None where none came for a while: ask again.

        Raises:
            EndOfFrames: there are no more.
            CameraError: there will be none, as it seems.
        """

    def adjust(self, camera: CameraConfig) -> None:
        """Exposure, gain and focus from now on, where there is a lens."""

    def close(self) -> None:
        """Give back what was taken; may be called again."""
