"""Whether there is only paper around a number, whatever is farther away: the table that its page lies on."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.doubts.lost_ink import APART
from edge_lpdpl.number.line_reader import Line
from edge_lpdpl.page.boxes import Box, longest_side, within

AS_DARK = 0.5
"""Share of the light that is missing where there is no paper, over that of the strokes of the number."""


def stands_alone(grey: NDArray[np.uint8], line: Line, others: Sequence[Box], margin: int) -> bool:
    """Whether nothing around the number of a line takes as much of the paper's light as half of what its strokes do: as
    far as a numeral is large beside it, and as far above and below it as ink may be that belongs to it.

    Args:
        grey: the frame, (height, width) uint8.
        others: boxes of other ink that is known, which does not count.
        margin: pixels around ink that its blur may reach.
    """
    if line.number is None:
        return False
    box, size = line.number.box, longest_side(one.box for one in line.numerals)
    aside, above = size + margin, round(APART * size) + margin
    area = Box(box.x - aside, box.y - above, box.width + 2 * aside, box.height + 2 * above)
    top, left = max(area.y, 0), max(area.x, 0)
    around = grey[top : area.bottom, left : area.right].astype(np.int64)
    is_beside = np.ones(around.shape, bool)
    own = around[within(box, top, left, margin)]
    for one in (box, *others):
        is_beside[within(one, top, left, margin)] = False
    if not own.size or not is_beside.any():
        return False
    paper = np.median(around[is_beside])
    if own.max() - paper > paper - own.min():  # light ink
        paper, around = 255 - paper, 255 - around
    return bool(around[is_beside].min() >= paper * (1 - AS_DARK * line.strength))
