"""Recordings of frames: a NumPy file of records (sequence, exposed_ns, grey), which any NumPy opens; or PNGs.

The file is read and written frame by frame, so neither a long recording nor a file that shrinks meanwhile does harm.
"""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import Image

from edge_lpdpl.errors import RecordingError
from edge_lpdpl.files.atomic import blaming, replacing
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.frames.pacing import Pace

SMALLEST_SIDE, LARGEST_SIDE = 16, 2048
_LONGEST_PAUSE = 5.0  # seconds between two frames of a replay, whatever their times are: the watchdog waits for 10


def record_type(height: int, width: int) -> np.dtype[np.void]:
    """The record of one frame in the file."""
    return np.dtype([("sequence", "<i8"), ("exposed_ns", "<i8"), ("grey", "u1", (height, width))])


class ReplayedFrames(FrameSource):
    """A source of frames: a recording at its own pace, with its times moved to now.

    Raises:
        RecordingError: the file cannot be opened, is not a recording, or is cut off.
    """

    def __init__(self, path: Path, *, repeat: bool = False, paced: bool = True) -> None:
        shown = printable(str(path))
        self.name = f"recording {shown}"
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise RecordingError(f"{shown}: cannot be opened ({error.strerror})") from error
        try:
            kind, count = _read_header(self._file)
        except Exception as error:  # NumPy's header reader also raises SyntaxError, TokenError and more
            self._file.close()
            reason = " ".join(str(error).split())[:120]
            raise RecordingError(f"{shown}: is no recording of `edge-lpdpl record` ({reason})") from None
        self.height, self.width = kind["grey"].shape
        self._start, self._count, self._repeat = self._file.tell(), count, repeat
        self._record = np.zeros((), kind)
        self._bytes = self._record.reshape(1).view(np.uint8).data  # the same memory, for `readinto`
        self._pace, self._before = Pace(paced=paced), 0
        self._place, self._sequence = 0, -1
        self._is_read = False  # whether the next frame is in memory and waits until it is due
        if os.fstat(self._file.fileno()).st_size < self._start + count * self._record.nbytes:
            self.close()
            raise RecordingError(f"{shown}: is cut off; record it again")

    def take(self) -> Frame | None:
        if not self._is_read:
            self._read_next()
        recorded = int(self._record["exposed_ns"])
        pause = min(max((recorded - self._before) / 1e9, 0.0), _LONGEST_PAUSE) if self._place else 0.0
        if (exposed := self._pace.wait(pause)) is None:
            return None
        self._is_read, self._before = False, recorded
        self._place += 1
        self._sequence += 1
        return Frame(self._record["grey"], self._sequence, exposed)

    def close(self) -> None:
        self._file.close()

    def _read_next(self) -> None:
        if self._place == self._count:
            if not self._repeat:
                raise EndOfFrames
            self._place = self._before = 0
            self._file.seek(self._start)
        try:
            length = self._file.readinto(self._bytes)  # type: ignore[attr-defined]
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from error
        if length != self._record.nbytes:
            raise RecordingError(f"{self.name}: ends in the middle of frame {self._place}")
        self._is_read = True


@contextmanager
def recording(path: Path, height: int, width: int) -> Iterator[Callable[[Frame], None]]:
    """Yields a function that appends a frame. The file exists when the block has ended, complete, or not at all.

    Raises:
        RecordingError: the file cannot be written.
    """
    kind, count = record_type(height, width), 0

    def append(frame: Frame) -> None:
        nonlocal count
        with blaming(path, RecordingError):
            file.write(np.array((frame.sequence, frame.exposed_ns, frame.grey), kind).tobytes())
        count += 1

    with ExitStack() as opened:
        with blaming(path, RecordingError):
            file = opened.enter_context(replacing(path))
            file.write(_header(kind, 0))
        yield append  # errors of the source are not errors of the recording
        with blaming(path, RecordingError):
            file.seek(0)
            file.write(_header(kind, count))
            opened.close()


@contextmanager
def picture_folder(folder: Path) -> Iterator[Callable[[Frame], None]]:
    """Yields a function that writes a frame into a folder, as 000000.png, 000001.png, ...

    Each picture is there whole, or not at all; those that were written stay, whatever happens later.

    Raises:
        RecordingError: the folder cannot be made, or a picture cannot be written.
    """
    with blaming(folder, RecordingError):
        folder.mkdir(exist_ok=True)
    count = 0

    def append(frame: Frame) -> None:
        nonlocal count
        path, data = folder / f"{count:06}.png", io.BytesIO()
        Image.fromarray(frame.grey).save(data, "PNG", compress_level=1)
        with blaming(path, RecordingError), ExitStack() as undo:
            undo.callback(path.unlink, missing_ok=True)
            path.write_bytes(data.getvalue())
            undo.pop_all()
        count += 1

    yield append


def _header(kind: np.dtype[np.void], count: int) -> bytes:
    """The header of the file; its length does not depend on the count, so that it can be rewritten."""
    out = io.BytesIO()
    fields = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(out, fields)
    return out.getvalue()


def _read_header(file: BinaryIO) -> tuple[np.dtype[np.void], int]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("of another version")
    shape, fortran, kind = np.lib.format.read_array_header_1_0(file, max_header_size=1000)
    sides = kind["grey"].shape if kind.names == ("sequence", "exposed_ns", "grey") else ()
    if fortran or len(shape) != 1 or len(sides) != 2 or kind != record_type(*sides):
        raise ValueError("other fields")
    if min(sides) < SMALLEST_SIDE or max(sides) > LARGEST_SIDE:
        raise ValueError(f"frames of {sides[1]}x{sides[0]}")
    if shape[0] < 1:
        raise ValueError("no frame in it")
    return kind, shape[0]
