"""A page in, its numerals out: locate, then recognise each. The service and `edge-lpdpl recognise` both read so."""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.numeral.buffers import WORKING_SIDE
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.rejection import ZERO_DOT, checked, without_letters
from edge_lpdpl.page.settings import LocateSettings, reduction

OF_TWO_HALVES = "亿億伍佰仟拾陸陆捌"
"""Numerals that are written as two halves beside each other."""


class Numeral(NamedTuple):
    """One numeral of a page."""

    box: Box
    """Where it is, in pixels of the frame."""
    recognition: Recognition
    """What it is."""


class Page(NamedTuple):
    """What was read in one frame."""

    numerals: list[Numeral]
    """In reading order; those that the recogniser rejects are there, and say so."""
    locate_us: float
    """Microseconds that finding the numerals took."""
    recognise_us: float
    """Microseconds that reading them took, all together."""


class PageReader:
    """Reads frames of one size with one recogniser, which it uses as everything else does. Use one a thread.

    Args:
        recogniser: reads the numerals; its backend is the locator's.
        height, width: of the frames, 8..4096 pixels each.
        settings: what a numeral looks like; none is a dot for a model that does not know the Arabic-Indic zero, and
            none has two halves for one that knows no such numeral.
        region: where to look, in pixels of the frame; everywhere when left out.

    Raises:
        ImageError: a size that cannot be read.

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
        settings: LocateSettings = LocateSettings(),  # noqa: B008
        region: Box | None = None,
    ) -> None:
        self.recogniser = recogniser
        characters = {label.character for label in recogniser.model.labels}
        if ZERO_DOT not in characters:
            settings = settings._replace(largest_dot=0)
        if characters.isdisjoint(OF_TWO_HALVES):
            settings = settings._replace(widest_gap=0)
        self.locator = Locator(height, width, settings, region, recogniser.backend)
        self._largest_dot = settings.largest_dot

    def read(self, grey: NDArray[np.uint8]) -> Page:
        """Find and read the numerals of a frame.

        Args:
            grey: (height, width) uint8, as the reader was made for.

        Raises:
            ImageError: the array is no picture of that size.
        """
        start = time.perf_counter()
        boxes = self.locator.locate(grey)
        located = time.perf_counter()
        readings = without_letters([self._read(place) for place in range(len(boxes))], boxes)
        numerals = list(map(Numeral, boxes, readings))
        return Page(numerals, (located - start) * 1e6, (time.perf_counter() - located) * 1e6)

    def _read(self, place: int) -> Recognition:
        """Read one of the located numerals; what is not written as its label is, is rejected."""
        recognition = self.recogniser.recognise(self.locator.lift(place), "light")
        return checked(recognition, self.locator.strokes(place), self._largest_dot)


class Found(NamedTuple):
    """What was read in a picture file."""

    box: Box | None
    """Where, in pixels of the picture; None where the whole picture is one numeral, or a page without any."""
    recognition: Recognition


class PictureReader:
    """Reads picture files of any size: small ones and very thin ones as one numeral, larger ones as pages.

    Args:
        recogniser: reads the numerals.
        polarity: `light` or `dark` ink, or `auto`.
        single: every picture is one numeral, whatever its size.
    """

    def __init__(self, recogniser: Recogniser, polarity: str = "auto", single: bool = False) -> None:
        self.recogniser, self.polarity, self.single = recogniser, polarity, single
        self._reader: PageReader | None = None

    def is_single(self, grey: NDArray[np.uint8]) -> bool:
        """Whether a picture (height, width) is taken as one numeral: asked for, no side above WORKING_SIDE, or too thin
        for a page: nothing would be left of it where numerals are looked for."""
        longer = max(grey.shape)
        return self.single or longer <= WORKING_SIDE or min(grey.shape) < reduction(longer)

    def read(self, grey: NDArray[np.uint8]) -> list[Found]:
        """What is in a picture (height, width) uint8, in reading order; one entry that says so where there is nothing.

        Raises:
            ImageError: the array is no picture that can be read.
        """
        if self.is_single(grey):
            return [Found(None, self.recogniser.recognise(grey, self.polarity))]
        height, width = checked_picture(grey).shape
        if self._reader is None or (self._reader.locator.height, self._reader.locator.width) != (height, width):
            settings = LocateSettings(polarity=self.polarity)
            self._reader = PageReader(self.recogniser, height, width, settings)
        page = self._reader.read(grey)
        if not page.numerals:
            nothing = np.zeros(0, np.float32)
            return [Found(None, Recognition(None, None, 0.0, True, None, nothing, page.locate_us * 1e-6))]
        return [Found(*numeral) for numeral in page.numerals]
