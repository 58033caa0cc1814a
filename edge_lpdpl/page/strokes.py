"""Measures of a numeral's strokes on the page, which its lifted picture no longer has."""

from collections.abc import Sequence
from typing import NamedTuple

from edge_lpdpl.page.parts_table import AREA, BOTTOM, LEFT, LONGEST, OPEN, RIDGE, RIGHT, RUNS, SHARED, TOP

GRANTED = 5
"""Runs that are added to those of every numeral in `Strokes.rim`: a bar has few runs, so one speck of dirt beside it
would make a large share."""


class Strokes(NamedTuple):
    """Measures of one numeral."""

    of_largest_dot: float
    """Its longer side over that of the largest dot that is a numeral."""
    shape: float
    """Its longer side over its shorter one."""
    width: float
    """Mean width of its strokes, in pixels of the reduced frame."""
    slender: float
    """Its longer side over that width."""
    strength: float
    """Share of the paper's light that the middle of its strokes takes, 0 to 1, the mean over its runs."""
    longest: float
    """Longer side of its longest connected part over its own: 1 where it is written without lifting the pen."""
    filled: float
    """Share of its box that is ink."""
    turns: float
    """Half of its outline over the sum of its sides: 1 for a bar or a cross, more where strokes turn back or are beside
    each other."""
    rim: float
    """How often, per run of its ink, the darkness goes on although the ink ends, as at the rim of a finger."""


def strokes_of(row: Sequence[int], longer: int, largest_dot: float) -> Strokes:
    """The measures of one row of the table of numerals (`edge_lpdpl.page.parts_table`).

    Args:
        longer: longer side of the reduced frame, in pixels.
        largest_dot: longer side of the largest dot that is a numeral, over `longer`; 0 where no numeral is a dot.

    >>> bar = [10, 20, 90, 24, 320, 4, 240, 816, 0, 80]
    >>> measured = strokes_of(bar, 320, 0.5)
    >>> measured.shape, measured.strength, measured.longest, measured.filled, measured.turns, measured.rim
    (20.0, 0.8, 1.0, 1.0, 1.0, 0.0)
    """
    width, height, runs = row[RIGHT] - row[LEFT], row[BOTTOM] - row[TOP], row[RUNS]
    side = max(width, height)
    half_outline = runs + row[AREA] - row[SHARED]
    return Strokes(
        of_largest_dot=side / longer / max(largest_dot, 1e-6),
        shape=side / min(width, height),
        width=row[AREA] / half_outline,
        slender=side * half_outline / row[AREA],
        strength=row[RIDGE] / (255 * runs),
        longest=row[LONGEST] / side,
        filled=row[AREA] / (width * height),
        turns=half_outline / (width + height),
        rim=row[OPEN] / (runs + GRANTED),
    )
