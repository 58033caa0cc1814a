"""How a numeral is written: what its pixels on the page tell that its lifted picture does not."""

from collections.abc import Sequence
from typing import NamedTuple

from edge_lpdpl.page.parts_table import AREA, BOTTOM, LEFT, LONGEST, OPEN, RIDGE, RIGHT, RUNS, SHARED, TOP

GRANTED = 5
"""Stretches of ink that every numeral is counted with: a bar has few, of which a speck of dirt beside it opens some."""


class Strokes(NamedTuple):
    """Measures of one numeral."""

    side: float
    """Its longer side over that of the frame, or of the region that is searched."""
    shape: float
    """Its longer side over its shorter one."""
    width: float
    """Mean width of its strokes, in pixels of the reduced frame."""
    slender: float
    """Its longer side over that width."""
    strength: float
    """Share of the paper's light that the middle of its strokes takes, the mean over them, 0 to 1."""
    longest: float
    """Longer side of its longest single part over its own: 1 where it is written without lifting the pen."""
    filled: float
    """Share of its box that is ink."""
    rim: float
    """Share of its ink where the darkness goes on at one side though the ink ends there, as at the rim of a finger."""


def strokes_of(row: Sequence[int], longer: int) -> Strokes:
    """The measures of one row of the table of numerals (`parts_table`).

    Args:
        longer: longer side of the reduced frame, in pixels.

    >>> bar = [10, 20, 90, 24, 320, 4, 240, 816, 0, 100, 100, 80]
    >>> strokes_of(bar, 320)._replace(width=3.8, slender=21.0)
    Strokes(side=0.25, shape=20.0, width=3.8, slender=21.0, strength=0.8, longest=1.0, filled=1.0, rim=0.0)
    """
    width, height, runs = row[RIGHT] - row[LEFT], row[BOTTOM] - row[TOP], row[RUNS]
    side = max(width, height)
    half_outline = runs + row[AREA] - row[SHARED]
    return Strokes(
        side=side / longer,
        shape=side / min(width, height),
        width=row[AREA] / half_outline,
        slender=side * half_outline / row[AREA],
        strength=row[RIDGE] / (255 * runs),
        longest=row[LONGEST] / side,
        filled=row[AREA] / (width * height),
        rim=row[OPEN] / (runs + GRANTED),
    )
