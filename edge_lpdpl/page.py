"""A page in, its numerals out: locate, then recognise each. The service and `edge-lpdpl recognise` both read so."""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.locate import Box, LocateSettings, Locator
from edge_lpdpl.recognise import Recogniser, Recognition

ZERO_DOT = "٠"
"""The Arabic-Indic zero, the only numeral that is a dot."""


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
        settings: what a numeral looks like; dots are no numerals for a model that does not know the Arabic-Indic zero.
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
        if all(label.character != ZERO_DOT for label in recogniser.model.labels):
            settings = settings._replace(largest_dot=0)
        self.locator = Locator(height, width, settings, region, recogniser.backend)

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
        numerals = [
            Numeral(box, self.recogniser.recognise(self.locator.lift(grey, place), "light"))
            for place, box in enumerate(boxes)
        ]
        return Page(numerals, (located - start) * 1e6, (time.perf_counter() - located) * 1e6)
