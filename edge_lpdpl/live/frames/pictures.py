"""Pictures shown to the service one after the other, as a person would hold them before a camera."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import ConfigError, ImageError
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.sections import FramesConfig
from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.frames.pacing import Pace


class PictureFrames(FrameSource):
    """A source of frames; pictures that cannot be used are reported and skipped.

    Raises:
        ConfigError: none of the pictures can be used; raised when the first frame is taken.
    """

    def __init__(self, paths: Sequence[Path], settings: FramesConfig, complain: Callable[[str], None]) -> None:
        self.name = f"{len(paths)} pictures" if len(paths) > 1 else f"picture {printable(paths[0].name)}"
        self.height, self.width = settings.height, settings.width
        self._paths, self._complain = list(paths), complain
        self._shown = max(1, round(settings.picture_ms * settings.rate / 1000))
        self._period = 0.0 if settings.unpaced else 1 / settings.rate
        self._repeat = settings.repeat
        self._pace = Pace()
        self._next, self._left, self._sequence = 0, 0, -1
        self._grey = np.zeros((self.height, self.width), np.uint8)

    def take(self) -> Frame | None:
        if self._left == 0:
            self._grey = self._next_picture()
            self._left = self._shown
        if not self._pace.wait(self._period):
            return None
        self._left -= 1
        self._sequence += 1
        return Frame(self._grey, self._sequence, time.monotonic_ns())

    def close(self) -> None:
        self._paths = []

    def _next_picture(self) -> NDArray[np.uint8]:
        while self._paths:
            if self._next == len(self._paths):
                if not self._repeat:
                    raise EndOfFrames
                self._next = 0
            path = self._paths[self._next]
            try:
                picture = fit_picture(read_picture(path), self.height, self.width)
            except ImageError as error:
                self._complain(str(error))
                del self._paths[self._next]
                continue
            self._next += 1
            return picture
        if self._sequence >= 0:
            raise EndOfFrames
        raise ConfigError("none of the pictures can be used")


def fit_picture(picture: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """A picture in the middle of a frame (height, width), scaled down if it is too large, on paper of its own grey.

    >>> fit_picture(np.full((10, 10), 200, np.uint8), 6, 8)[0].tolist()
    [200, 200, 200, 200, 200, 200, 200, 200]
    """
    scale = min(1.0, height / picture.shape[0], width / picture.shape[1])
    if scale < 1:
        size = (max(1, int(picture.shape[1] * scale)), max(1, int(picture.shape[0] * scale)))
        picture = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))
    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    frame = np.full((height, width), int(np.median(border)), np.uint8)
    top, left = (height - picture.shape[0]) // 2, (width - picture.shape[1]) // 2
    frame[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return frame
