"""The sheet of a form, in millimetres from its top left corner: its size, and the marks that are printed on it.

Three marks are squares. The one at the top left is a bar, twice as long, so that a sheet that lies upside down is
noticed. The marks are wider than any stroke of a pen, and white paper surrounds each one.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # the page in the browser checks fields, and its process has little memory
    from numpy.typing import NDArray

PAPERS = {"A4": (210.0, 297.0), "A5": (148.0, 210.0), "A6": (105.0, 148.0)}
"""Width and height, upright."""
SIDE = 8.0
"""Of a square mark, and the shorter one of the bar."""
LENGTH = 16.0
"""Of the bar."""
QUIET = 4.0
"""Width of the white paper around a mark."""
EDGE = 10.0
"""From the edge of the paper to a mark: printers reach as far."""


class Area(NamedTuple):
    """A rectangle on the sheet, in millimetres."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    def overlaps(self, other: "Area") -> bool:
        """Whether both have a point inside in common.

        >>> Area(0, 0, 10, 10).overlaps(Area(10, 0, 10, 10)), Area(0, 0, 10, 10).overlaps(Area(9, 9, 10, 10))
        (False, True)
        """
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def grown(self, margin: float) -> "Area":
        """The same with a margin around it."""
        return Area(self.x - margin, self.y - margin, self.width + 2 * margin, self.height + 2 * margin)


def mark_areas(paper: str) -> tuple[Area, Area, Area, Area]:
    """The marks of a form: the bar at the top left, and the squares at the top right, bottom right and bottom left.

    >>> mark_areas("A4")[:2]
    (Area(x=10.0, y=10.0, width=16.0, height=8.0), Area(x=192.0, y=10.0, width=8.0, height=8.0))
    """
    width, height = PAPERS[paper]
    right, low = width - EDGE - SIDE, height - EDGE - SIDE
    bar = Area(EDGE, EDGE, LENGTH, SIDE)
    return bar, Area(right, EDGE, SIDE, SIDE), Area(right, low, SIDE, SIDE), Area(EDGE, low, SIDE, SIDE)


def mark_centres(paper: str) -> "NDArray[Any]":
    """The middles of the marks, (4, 2) float64, in the order of `mark_areas`."""
    import numpy as np

    return np.array([(one.x + one.width / 2, one.y + one.height / 2) for one in mark_areas(paper)])
