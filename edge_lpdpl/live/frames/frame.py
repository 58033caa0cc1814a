"""One grey frame with the time of its exposure, and what all sources of frames have in common."""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.live.config.sections import CameraConfig


class Frame(NamedTuple):
    """One look at the scene."""

    grey: NDArray[np.uint8]
    """(height, width), C-contiguous; valid until the next frame is taken, which may use the same memory."""
    sequence: int
    """Number of the frame in this source, from 0."""
    exposed_ns: int
    """When its exposure began, by `time.monotonic_ns`."""
    file: str | None = None
    """The picture that it shows; None for other sources."""

    def age_ms(self, now_ns: int | None = None) -> float:
        """Milliseconds since its exposure began; 0 if that lies ahead, as for unpaced frames (see `Pace`).

        >>> Frame(np.zeros((2, 2), np.uint8), 0, exposed_ns=1_000_000).age_ms(now_ns=6_500_000)
        5.5
        """
        return max((time.monotonic_ns() if now_ns is None else now_ns) - self.exposed_ns, 0) / 1e6


class EndOfFrames(Exception):  # noqa: N818 - not an error: a folder of pictures has a last one
    """There are no more frames."""


class FrameSource:
    """A source of frames. One thread takes them."""

    name: str
    """What it is, for people."""
    height: int
    width: int
    timeouts = 0
    """How often a frame did not come in time."""

    def take(self) -> Frame | None:
        """The next frame, or None if none came for a while: call again.

        Raises:
            EndOfFrames: there are no more frames.
            CameraError: the camera has failed.
        """
        raise NotImplementedError

    def adjust(self, camera: CameraConfig) -> None:
        """Use this exposure, gain and focus from now on. No-op for sources without a lens."""

    def close(self) -> None:
        """Release the source; may be called again."""
        raise NotImplementedError
