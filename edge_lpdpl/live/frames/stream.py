"""Frames on standard input: YUV4MPEG2, the uncompressed video that ffmpeg and GStreamer write into a pipe.

Somebody else wrote these bytes: lines are bounded, sizes are checked before memory is taken, every wait has an end.
"""

import os
import re
import select
import time
from collections.abc import Callable

import numpy as np

from edge_lpdpl.errors import CameraError, RecordingError
from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.frames.pacing import Pace
from edge_lpdpl.live.frames.recording import LARGEST_SIDE, SMALLEST_SIDE

NAME = "standard input"
STANDARD_INPUT = 0
_LONGEST_LINE = 256  # bytes
_WAIT = 0.2  # seconds: the longest wait of the loop
_OPENING = 60.0  # seconds for the first frame: a camera in the network is connected meanwhile
_HASTE = 0.95  # of the period: what has piled up in the pipe is caught up with, slowly
_USUAL_PERIOD = 1 / 25
"""Seconds between two frames of a video that does not say it: a file of it comes as fast as it is read."""
_LONGEST_PERIOD, _MOST_RATE = 60, 1000
"""Seconds between two frames, and frames a second, at most."""
_HOW = "ffmpeg -i INPUT -f yuv4mpegpipe -pix_fmt gray -"

_COLOURS: dict[str, Callable[[int, int], int]] = {
    "mono": lambda width, height: 0,
    "420": lambda width, height: 2 * _half(width) * _half(height),
    "411": lambda width, height: 2 * _half(_half(width)) * height,
    "422": lambda width, height: 2 * _half(width) * height,
    "444": lambda width, height: 2 * width * height,
    "444alpha": lambda width, height: 3 * width * height,
}
"""Number of samples that follow those of the grey picture."""


class StreamedFrames(FrameSource):
    """A source of frames of the size in the stream. They come at the pace of the sender, but not faster than it says.

    Args:
        descriptor: to read from; it stays open.
        patience: seconds without a frame after which the stream counts as broken; the first frame has a minute.
        paced: a video file takes as long as it is.

    Raises:
        RecordingError: it is no YUV4MPEG2 of 8 bits, or too large; later: the stream breaks off.
        CameraError: no frame comes.
    """

    name = NAME

    def __init__(self, descriptor: int = STANDARD_INPUT, patience: float = 6.0, *, paced: bool = True) -> None:
        if os.isatty(descriptor):
            raise RecordingError(f"{NAME}: is a terminal; send a video: {_HOW} | edge-lpdpl run --frames -")
        self._input, self._patience = _Input(descriptor), patience
        self._sequence = -1
        self._deadline = time.monotonic() + _OPENING
        try:
            while (line := self._input.line()) is None:
                self._check_deadline()
        except EOFError:
            raise RecordingError(f"{NAME}: ends before a video begins; look at what the sender says") from None
        self.height, self.width, others, period = _parse_header(line)
        self._grey = np.zeros((self.height, self.width), np.uint8)
        self._samples = np.zeros(self._grey.size + others, np.uint8)
        self._begun, self._filled = False, 0  # of the next frame: its line was read; samples that were read
        self._pace = Pace(paced=paced and period > 0)
        self._period = _HASTE * period if paced and period else period or _USUAL_PERIOD

    def take(self) -> Frame | None:
        try:
            is_whole = self._read_on()
        except EOFError:
            if self._begun or self._input.is_in_line:
                raise RecordingError(f"{NAME}: ends in the middle of frame {self._sequence + 1}") from None
            if self._sequence < 0:
                raise RecordingError(f"{NAME}: is a video without a frame; look at what the sender says") from None
            raise EndOfFrames from None
        if not is_whole:
            self.timeouts += 1
            self._check_deadline()
            return None
        if (exposed := self._pace.wait(self._period)) is None:
            return None
        np.copyto(self._grey, self._samples[: self._grey.size].reshape(self._grey.shape))
        self._begun, self._filled = False, 0
        self._sequence += 1
        self._deadline = time.monotonic() + self._patience
        return Frame(self._grey, self._sequence, exposed)

    def close(self) -> None:
        """No-op: the descriptor belongs to the process."""

    def _read_on(self) -> bool:
        """Read on in the next frame; whether it is whole."""
        if not self._begun:
            line = self._input.line()
            if line is None:
                return False
            if line.split(b" ")[0] != b"FRAME":
                raise RecordingError(f"{NAME}: frame {self._sequence + 1} does not begin with FRAME; send it again")
            self._begun = True
        while self._filled < self._samples.size:
            count = self._input.into(self._samples.data[self._filled :])
            if not count:
                return False
            self._filled += count
        return True

    def _check_deadline(self) -> None:
        if time.monotonic() >= self._deadline:
            waited = _OPENING if self._sequence < 0 else self._patience
            raise CameraError(f"{NAME}: gives no frame for {waited:g} s; look at what the sender says")


class _Input:
    """What is read from a descriptor, in pieces that come within a moment."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)
        self._line = bytearray()

    @property
    def is_in_line(self) -> bool:
        """Whether the beginning of a line was read."""
        return bool(self._line)

    def line(self) -> bytes | None:
        """The next line, without its end; None if it is not there yet.

        Raises:
            EOFError: there are no more bytes.
            RecordingError: it is too long, or cannot be read.
        """
        byte = bytearray(1)
        while self.into(memoryview(byte)):
            if byte == b"\n":
                line, self._line = bytes(self._line), bytearray()
                return line
            if len(self._line) == _LONGEST_LINE:
                raise RecordingError(f"{NAME}: is no YUV4MPEG2; send it with {_HOW}")
            self._line += byte
        return None

    def into(self, view: memoryview) -> int:
        """Read some bytes into memory; returns their number, 0 if none came for a moment.

        Raises:
            EOFError, RecordingError: as for `line`.
        """
        if not self._poll.poll(_WAIT * 1000):
            return 0
        try:
            count = os.readv(self._descriptor, [view])
        except BlockingIOError:  # another program that shares the descriptor made it non-blocking
            return 0
        except OSError as error:
            raise RecordingError(f"{NAME}: cannot be read ({error.strerror})") from error
        if count == 0:
            raise EOFError
        return count


def _parse_header(line: bytes) -> tuple[int, int, int, float]:
    """Height, width, number of samples that follow the grey ones, and seconds between two frames (0: not known).

    >>> _parse_header(b"YUV4MPEG2 W640 H480 F25:1 Ip A1:1 C420jpeg")
    (480, 640, 153600, 0.04)
    """
    magic, *words = line.decode("latin-1").split(" ")
    given = {word[:1]: word[1:] for word in words}
    if magic != "YUV4MPEG2" or not all(re.fullmatch("[0-9]{1,6}", given.get(key, "")) for key in "WH"):
        raise RecordingError(f"{NAME}: is no YUV4MPEG2; send it with {_HOW}")
    width, height = int(given["W"]), int(given["H"])
    if min(width, height) < SMALLEST_SIDE or max(width, height) > LARGEST_SIDE:
        limits = f"{SMALLEST_SIDE} to {LARGEST_SIDE} a side are read"
        raise RecordingError(f"{NAME}: has frames of {width}x{height}, and {limits}; scale them: -vf scale=640:-2")
    colours = re.sub("^420(jpeg|mpeg2|paldv)$", "420", given.get("C", "420"))
    if colours not in _COLOURS:
        raise RecordingError(f"{NAME}: has colours {colours[:20]!a}, which are not read; send it with {_HOW}")
    return height, width, _COLOURS[colours](width, height), _period(given.get("F", "0:0"))


def _period(rate: str) -> float:
    """Seconds between two frames; 0 where the rate says nothing, as 0:0 does.

    >>> _period("30000:1001"), _period("0:0")
    (0.03336666666666667, 0.0)
    """
    parts = re.fullmatch("([0-9]{1,9}):([0-9]{1,9})", rate)
    frames, seconds = map(int, parts.groups()) if parts else (0, 0)
    if not frames or not seconds:
        return 0.0
    if seconds > frames * _LONGEST_PERIOD or frames > seconds * _MOST_RATE:
        limits = f"one in {_LONGEST_PERIOD} s to {_MOST_RATE} a second are read"
        raise RecordingError(
            f"{NAME}: has a rate of {rate} frames a second, and {limits}; set it: ffmpeg -r 25 -i INPUT"
        )
    return seconds / frames


def _half(side: int) -> int:
    return (side + 1) // 2
