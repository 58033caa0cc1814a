"""Pictures shown to the service one after the other, as a person would hold them before a camera."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import CameraError, ConfigError, ImageError
from edge_lpdpl.files.pictures import read_large_picture
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.sections import FramesConfig
from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.frames.pacing import Pace

_SLICE = 0.2  # seconds: the longest wait of the loop for a picture
_PATIENCE = 7.0  # seconds for one picture: the watchdog waits 10 for a frame


class PictureFrames(FrameSource):
    """A source of frames; pictures that cannot be used are reported and skipped. Those that cannot be read are tried
    again in the next round.

    Raises:
        ConfigError: none of the pictures can be used; raised when the first frame is taken.
        CameraError: none can be read any more; raised when a frame is taken.
    """

    def __init__(self, paths: Sequence[Path], settings: FramesConfig, complain: Callable[[str], None]) -> None:
        self.name = f"{len(paths)} pictures" if len(paths) > 1 else f"picture {printable(paths[0].name)}"
        self.height, self.width = settings.height, settings.width
        self._paths, self._complain = list(paths), complain
        self._shown = max(1, round(settings.picture_ms * settings.rate / 1000))
        self._period, self._pace = 1 / settings.rate, Pace(paced=not settings.unpaced)
        self._repeat = settings.repeat
        self._next, self._left, self._sequence = 0, 0, -1
        self._usable = 0  # of the pictures since the first one was shown last
        self._file = ""
        self._decoding: Future[NDArray[np.uint8]] | None = None
        self._grey = np.zeros((self.height, self.width), np.uint8)

    def take(self) -> Frame | None:
        if self._left == 0:
            if (picture := self._next_picture()) is None:
                return None
            self._grey, self._left = picture, self._shown
            self._file = os.fsencode(self._paths[self._next - 1]).decode("utf-8", "backslashreplace")
        if (exposed := self._pace.wait(self._period)) is None:
            return None
        self._left -= 1
        self._sequence += 1
        return Frame(self._grey, self._sequence, exposed, self._file)

    def close(self) -> None:
        self._paths = []

    def _next_picture(self) -> NDArray[np.uint8] | None:
        """The next picture; None while it is being decoded."""
        while True:
            if self._next >= len(self._paths):
                self._end_pass()
            path = self._paths[self._next]
            decoding, self._decoding = self._decoding or self._decode(path), None
            try:
                picture = decoding.result(_SLICE)
            except TimeoutError:
                if time.monotonic() < self._started + _PATIENCE:
                    self._decoding = decoding
                    return None
                self._complain(f"{printable(str(path))}: takes longer than {_PATIENCE:g} s; scale it down")
                del self._paths[self._next]
            except ImageError as error:
                self._complain(str(error))
                self._next += 1
            else:
                self._next += 1
                self._usable += 1
                return picture

    def _end_pass(self) -> None:
        """Begin again, if some of the pictures could be used this time: others may come back."""
        if self._sequence < 0:
            raise ConfigError("none of the pictures can be used")
        if not (self._repeat and self._paths):
            raise EndOfFrames
        if not self._usable:
            raise CameraError(f"{self.name}: none can be read any more; is their folder still there?")
        self._next = self._usable = 0

    def _decode(self, path: Path) -> "Future[NDArray[np.uint8]]":
        """Decode a picture beside the loop, which goes on meanwhile."""
        decoding: Future[NDArray[np.uint8]] = Future()

        def decode() -> None:
            try:
                picture = read_large_picture(path)
                if picture.note:
                    self._complain(picture.note)
                decoding.set_result(fit_picture(picture.grey, self.height, self.width))
            except Exception as error:  # raised again where the loop waits
                decoding.set_exception(error)

        threading.Thread(target=decode, name="decode", daemon=True).start()
        self._started = time.monotonic()
        return decoding


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
