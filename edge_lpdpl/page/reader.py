"""Pages and pictures in, their numerals out: the locator finds them, the recogniser reads each one.

The service and `edge-lpdpl recognise` both read this way.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.model.labels import DOTS, TWO_HALVES
from edge_lpdpl.numeral.buffers import BOTTOM, LEFT, PICTURE_SIDE, RIGHT, TOP
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.page.boxes import Box, Unread
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.rejection import checked, without_letters
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings, reduction


class Numeral(NamedTuple):
    """One numeral of a page."""

    box: Box
    """Where it is, in pixels of the frame."""
    recognition: Recognition
    """What it is."""


class Page(NamedTuple):
    """What was read in one frame or picture."""

    numerals: list[Numeral]
    """In reading order, rejected ones included."""
    locate_us: float
    """Microseconds for finding the numerals."""
    recognise_us: float
    """Microseconds for reading all of them."""
    unread: Sequence[Unread] = ()
    """Ink that was found and is not read."""


class PageReader:
    """Reads frames of one size with one recogniser. Use one a thread.

    Args:
        recogniser: reads the numerals; the locator uses the same backend.
        height, width: of the frames, 8..4096 pixels each.
        settings: what a numeral looks like. No numeral is a dot for a model that does not know the Arabic-Indic zero,
            and none has two halves for a model that does not know one that has.
        region: where to look, in pixels of the frame; everywhere when left out.

    Raises:
        ImageError: frames of that size cannot be read.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[200:208, 100:180] = 40
    >>> page = PageReader(Recogniser.load(shipped_model("chinese15")), 480, 640).read(frame)
    >>> [(numeral.box, numeral.recognition.label) for numeral in page.numerals]
    [(Box(x=100, y=200, width=80, height=8), '一')]
    """

    def __init__(
        self,
        recogniser: Recogniser,
        height: int,
        width: int,
        settings: LocateSettings = ON_PAPER,
        region: Box | None = None,
    ) -> None:
        self.recogniser = recogniser
        characters = {label.character for label in recogniser.model.labels}
        if characters.isdisjoint(DOTS):
            settings = settings._replace(largest_dot=0)
        if characters.isdisjoint(TWO_HALVES):
            settings = settings._replace(widest_gap=0)
        self.locator = Locator(height, width, settings, region, recogniser.backend)

    def read(self, grey: NDArray[np.uint8]) -> Page:
        """Find and read the numerals of a frame.

        Args:
            grey: (height, width) uint8, of the size that the reader was made for.

        Raises:
            ImageError: the array is no picture of that size.
        """
        start = time.perf_counter()
        boxes = self.locator.locate(grey)
        located = time.perf_counter()
        readings = without_letters([self._read(place) for place in range(len(boxes))], boxes)
        numerals = list(map(Numeral, boxes, readings))
        read = time.perf_counter()
        return Page(numerals, (located - start) * 1e6, (read - located) * 1e6, self.locator.unread())

    def _read(self, place: int) -> Recognition:
        """Read one of the located numerals, and hold its strokes against the rules for its label."""
        recognition = self.recogniser.recognise(self.locator.lift(place), "light")
        return checked(recognition, self.locator.strokes(place))


class PictureReader:
    """Reads pictures of any size: small and very thin ones as one numeral, others as pages.

    Args:
        recogniser: reads the numerals.
        polarity: `light` or `dark` ink, or `auto`.
        single: read every picture as one numeral.
    """

    def __init__(self, recogniser: Recogniser, polarity: str = "auto", single: bool = False) -> None:
        self.recogniser, self.polarity, self.single = recogniser, polarity, single
        self._reader: PageReader | None = None

    def is_single(self, grey: NDArray[np.uint8]) -> bool:
        """Whether a picture (height, width) is read as one numeral: because `single` says so, because no side is above
        PICTURE_SIDE, or because nothing would be left of one so thin in the reduced frame of a page."""
        longer = max(grey.shape)
        return self.single or longer <= PICTURE_SIDE or min(grey.shape) < reduction(longer)

    def read(self, grey: NDArray[np.uint8]) -> Page:
        """The numerals of a picture (height, width) uint8. The box of one that is read alone is that of its ink.

        Raises:
            ImageError: the array is no picture that can be read.
        """
        if self.is_single(grey):
            read = self.recogniser.recognise(grey, self.polarity)
            numerals = [] if read.label is None else [Numeral(self._box_of_ink(*grey.shape), read)]
            return Page(numerals, 0.0, read.elapsed * 1e6)
        height, width = checked_picture(grey).shape
        if self._reader is None or (self._reader.locator.height, self._reader.locator.width) != (height, width):
            settings = LocateSettings(polarity=self.polarity)
            self._reader = PageReader(self.recogniser, height, width, settings)
        return self._reader.read(grey)

    def cut_outs(self) -> list[NDArray[np.uint8]]:
        """The picture of each numeral of the last page as the recogniser was given it, (height, width) uint8."""
        locator = self._reader.locator if self._reader else None
        return [locator.lift(place).copy() for place in range(locator.count)] if locator else []

    def _box_of_ink(self, height: int, width: int) -> Box:
        """Where the recogniser found ink in the last picture, to within the pixels that it was reduced by."""
        factor = -(-max(height, width) // PICTURE_SIDE)
        found = (self.recogniser.engine.buffers.found * factor).tolist()
        left, top = found[LEFT], found[TOP]
        return Box(left, top, min(found[RIGHT], width) - left, min(found[BOTTOM], height) - top)
