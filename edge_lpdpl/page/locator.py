"""The locator: a frame in, the boxes of its numerals out."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ImageError
from edge_lpdpl.files.grey import LARGEST_SIDE, POLARITIES, SMALLEST_SIDE, checked_picture
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box, Unread, reading_order
from edge_lpdpl.page.parts_table import LEAST_LIFTED, REASON
from edge_lpdpl.page.record import Scope
from edge_lpdpl.page.searcher import make_searcher
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings, limits_of
from edge_lpdpl.page.strokes import Strokes, strokes_of


class Locator:
    """Finds the numerals in frames of one size. Its buffers are made once; use one locator a thread.

    Args:
        height, width: of the frames, 8..4096 pixels each.
        settings: what a numeral looks like.
        region: where to look, in pixels of the frame; everywhere when left out.
        backend: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        ImageError: the frames, or the part of the region inside them, have a side below 8 or above 4096 pixels.

    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[200:300, 100:108] = 40
    >>> Locator(480, 640).locate(frame)
    [Box(x=100, y=200, width=8, height=100)]
    """

    def __init__(
        self,
        height: int,
        width: int,
        settings: LocateSettings = ON_PAPER,
        region: Box | None = None,
        backend: str = "auto",
    ) -> None:
        if settings.polarity not in POLARITIES:
            raise ValueError(f"there is no polarity {settings.polarity!r}: use {', '.join(POLARITIES)}")
        self.height, self.width, self.settings = height, width, settings
        self.region = _checked_region(height, width, region)
        limits = limits_of(settings, self.region.height, self.region.width)
        scope = Scope(height, width, self.region.y, self.region.x, POLARITIES[settings.polarity])
        self._factor, self._searcher = limits.factor, make_searcher(scope, limits, backend)
        self._longer, self._too_thin = max(limits.height, limits.width), not (limits.height and limits.width)
        self._table: list[list[int]] = []
        self._rows: list[int] = []
        self.locate(np.zeros((height, width), np.uint8))  # loads or compiles the kernels now, so that no frame waits

    def locate(self, grey: NDArray[np.uint8]) -> list[Box]:
        """The boxes of the numerals in a frame, in reading order; they do not reach outside the frame.

        Lines are read from the top down, each from left to right; a single column from the top down. A box holds all
        parts of a character and is tight around their ink, to within the pixels that the frame is reduced by (2 for
        640 x 480). Ink that touches the border of the frame or of the region is no numeral. A frame that is thinner
        than the pixels that it is reduced by has no numerals.

        Args:
            grey: (height, width) uint8, of the size that the locator was made for.

        Raises:
            ImageError: the array is no picture of that size.
        """
        grey = checked_picture(grey)
        if grey.shape != (self.height, self.width):
            wanted, (height, width) = f"{self.width}x{self.height}", grey.shape
            raise ImageError(f"this locator is for frames of {wanted} pixels, not {width}x{height}")
        self._table = [] if self._too_thin else self._searcher.search(grey).tolist()
        boxes = [self._box(row) for row in self._table]
        self._rows = reading_order(boxes)
        return [boxes[row] for row in self._rows]

    @property
    def count(self) -> int:
        """Number of numerals in the last frame."""
        return len(self._rows)

    def unread(self) -> list[Unread]:
        """The ink of the last frame that is no numeral, and why. Specks of the paper's grain are not listed."""
        rows = [] if self._too_thin else self._searcher.unread().tolist()
        return [Unread(self._box(row), UNREAD_REASONS[row[REASON] - 1]) for row in rows]

    def lift(self, place: int) -> NDArray[np.uint8]:
        """The picture of one numeral of the last frame, without paper, shading and everything around the numeral.

        It comes from the frame, so the frame must not have been overwritten.

        Args:
            place: of its box in the list from `locate`.

        Returns:
            (height, width) uint8, light ink on black. The longer side has at most LIFTED_SIDE pixels unless the other
            has LEAST_LIFTED, which is the least; near a border, black is added. The next call overwrites it.
        """
        lifted = self._searcher.lift(self._rows[place])
        if min(lifted.shape) >= LEAST_LIFTED:
            return lifted
        return np.pad(lifted, [(0, max(LEAST_LIFTED - side, 0)) for side in lifted.shape])

    def strokes(self, place: int) -> Strokes:
        """Measures of the strokes of one numeral of the last frame.

        Args:
            place: of its box in the list from `locate`.
        """
        return strokes_of(self._table[self._rows[place]], self._longer, self.settings.largest_dot)

    def _box(self, row: Sequence[int]) -> Box:
        """Box of a row of a table, in pixels of the frame."""
        (left, top, right, bottom), factor = row[:4], self._factor
        x, y = self.region.x + left * factor, self.region.y + top * factor
        return Box(x, y, (right - left) * factor, (bottom - top) * factor)


def _checked_region(height: int, width: int, region: Box | None) -> Box:
    frame = Box(0, 0, width, height)
    region = frame if region is None else region
    left, top = max(region.x, 0), max(region.y, 0)
    inside = Box(left, top, min(region.right, width) - left, min(region.bottom, height) - top)
    for what, box in (("frame", frame), ("region inside the frame", inside)):
        if min(box.width, box.height) < SMALLEST_SIDE or max(box.width, box.height) > LARGEST_SIDE:
            remedy = f"give {SMALLEST_SIDE} to {LARGEST_SIDE} a side"
            raise ImageError(f"a {what} of {box.width}x{box.height} pixels cannot be searched; {remedy}")
    return inside
