"""The locator: a frame in, the parts of its ink out; any group of them cleaned, for the recogniser."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ImageError
from edge_lpdpl.files.grey import LARGEST_SIDE, POLARITIES, SMALLEST_SIDE, checked_frame
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box, Unread
from edge_lpdpl.page.parts_table import CELL, LEAST_LIFTED, PEN, REASON, STRENGTH
from edge_lpdpl.page.record import Lifted, Member, Scope
from edge_lpdpl.page.rules_table import STEPS
from edge_lpdpl.page.searcher import make_searcher
from edge_lpdpl.page.settings import ON_PAPER, LocateSettings, limits_of
from edge_lpdpl.page.strokes import Strokes, strokes_of


class Locator:
    """Finds the ink in frames of one size. Its buffers are made once; use one locator a thread.

    Args:
        height, width: of the frames, 8..4096 pixels each.
        settings: what a numeral looks like.
        region: where to look, in pixels of the frame; everywhere when left out.
        backend: `numba`, `numpy`, or `auto`, which is numba where it is installed.

    Raises:
        ImageError: the frames, or the part of the region inside them, have a side below 8 or above 4096 pixels.

    >>> frame = np.full((480, 640), 200, np.uint8)
    >>> frame[200:300, 100:108] = 40
    >>> locator = Locator(480, 640)
    >>> [locator.box(row) for row in locator.find(frame)]
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
        self.factor, self._searcher = limits.factor, make_searcher(scope, limits, backend)
        """Pixels of the frame that one of the reduced frame is wide."""
        self._longer, self._too_thin = max(limits.height, limits.width), not (limits.height and limits.width)
        self.find(np.zeros((height, width), np.uint8))  # loads or compiles the kernels now, so that no frame waits

    def find(self, grey: NDArray[np.uint8]) -> list[list[int]]:
        """The parts of a frame's ink that may be writing: rows of `edge_lpdpl.page.parts_table`.

        Ink that touches the border of the frame or of the region is no writing. A frame that is thinner than the pixels
        that it is reduced by has none.

        Args:
            grey: (height, width) uint8, of the size that the locator was made for. `cut` and `lift` read it again.

        Raises:
            ImageError: the array is no picture of that size.
        """
        grey = checked_frame(grey, self.height, self.width)
        return [] if self._too_thin else self._searcher.search(grey).tolist()

    def unread(self) -> list[Unread]:
        """The ink of the last frame that is no writing, and why. Specks of the paper's grain are not listed."""
        rows = [] if self._too_thin else self._searcher.unread().tolist()
        reasons, pen = UNREAD_REASONS, self.factor / 256
        return [Unread(self.box(row), reasons[row[REASON] - 1], row[STRENGTH] / 255, pen * row[PEN]) for row in rows]

    def ink(self, row: Sequence[int], reason: str = "no_numeral") -> Unread:
        """A part as ink that is not read."""
        strokes = self.strokes(row)
        return Unread(self.box(row), reason, strokes.strength, self.factor * strokes.width)

    def entries(self) -> list[list[int]]:
        """The rows of printed boxes for characters in the last frame: those of its unread ink with a CELL."""
        if self._too_thin:
            return []
        return [row for row in self._searcher.unread().tolist() if row[CELL] > 0]

    def dividers(self) -> list[list[int]]:
        """The rules and walls between the cells of the tables in the last frame: each goes straight from (LEFT, TOP) to
        (RIGHT, BOTTOM), in pixels of the reduced frame. Boxes for one character each have none."""
        return [] if self._too_thin else self._searcher.dividers().tolist()

    def cut(self, row: int, slot: int) -> list[list[int]]:
        """Where a part may be cut: the cost of each seam, in 255ths of the ink of a pixel, and the column in which it
        crosses the middle of the part, the cheapest first. There are none if its box is larger than half of the frame.

        Args:
            row: of the part in the list from `find`.
            slot: number of the first seam, at least FIRST_SEAM. Seams of lower numbers are kept.
        """
        return self._searcher.cut(row, slot)

    def lift(self, members: Sequence[Member], uncovered: bool = False) -> Lifted | None:
        """Lift a group of parts, or of pieces between seams; None where it has no ink.

        Its picture has no paper, no shading and nothing around the group. The longer side has at most LIFTED_SIDE
        pixels, unless the other is at the minimum, LEAST_LIFTED; near a border, black is added.

        Args:
            uncovered: with what printed rules may hide of its strokes, if the doubt about it is HIDDEN.
        """
        lifted = self._searcher.lift(members, uncovered)
        if lifted is None or min(lifted.picture.shape) >= LEAST_LIFTED:
            return lifted
        padding = [(0, max(LEAST_LIFTED - side, 0)) for side in lifted.picture.shape]
        return lifted._replace(picture=np.pad(lifted.picture, padding))

    def strokes(self, row: Sequence[int]) -> Strokes:
        """Measures of the strokes of a part or group."""
        return strokes_of(row, self._longer, self.settings.largest_dot)

    def box(self, row: Sequence[int]) -> Box:
        """Box of a part or group, in pixels of the frame."""
        (left, top, right, bottom), factor = row[:4], self.factor
        x, y = self.region.x + left * factor, self.region.y + top * factor
        return Box(x, y, (right - left) * factor, (bottom - top) * factor)

    def wall_between(self, one: Box, other: Box, tilt: float = 0.0, behind: bool = False) -> int | None:
        """The column, in pixels of the reduced frame, in which a printed wall stands in the gap between two numerals of
        the last frame, None without one. However faint it is, it goes on above and below them, but not to the top and
        the bottom of the frame, as a line of squared paper does.

        Args:
            one, other: the boxes of the left and of the right one.
            tilt: how far their line goes down for every pixel to the right.
            behind: whether they may hide it, so that only what is above and below them tells.
        """
        (x, y, *_), factor = self.region, self.factor
        top, bottom = min(one.y, other.y) - y, max(one.bottom, other.bottom) - y
        gap = (one.right - x) // factor, top // factor - 1, (other.x - x) // factor, bottom // factor + 1
        wall = self._searcher.wall(gap, round(-STEPS * tilt), behind)
        return None if wall < 0 else wall

    def edges(self, box: Box) -> list[float]:
        """LEFT, TOP, RIGHT and BOTTOM of a box, in pixels of the reduced frame."""
        (x, y, *_), factor = self.region, self.factor
        return [(box.x - x) / factor, (box.y - y) / factor, (box.right - x) / factor, (box.bottom - y) / factor]


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
