"""The buffers of one locator, made once: afterwards the kernels allocate nothing for a frame."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.record import make_arrays
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page import rules_table as rule
from edge_lpdpl.page.settings import Limits

LIGHT, PART_COUNT, ROW_COUNT, UNREAD_COUNT, STRONGEST = range(5)
LIFTED_HEIGHT, LIFTED_WIDTH, GROUP_REASON, GROUP_DOUBT, WALLS_TRIED, DIVIDER_COUNT = range(5, 11)
"""Places in `Buffers.found`: 1 where the ink is light and 0 where it is dark; number of parts, small ones included;
number of rows of `Buffers.table` and of `Buffers.unread` in use; contrast of the strongest part; height and width of
the lifted group, why it is no numeral, and the doubt that a printed rule leaves about it; walls of printed frames that
were looked for; number of rows of `Buffers.dividers` in use."""


Bytes = NDArray[np.uint8]
Words = NDArray[np.int64]
Indices = NDArray[np.int32]


class Buffers(NamedTuple):
    """Maps are flat and have rows of `stride` bytes; those of `contrast` end in zeros, so that rows do not touch.

    `edge_lpdpl.jit.record` explains the shapes, `make_buffers` the lengths that have names.
    """

    ink: Annotated[Bytes, "map_size"]
    """The reduced frame, light ink on dark."""
    blocks: Annotated[Bytes, "block_map_size"]
    """The same without ink, in blocks."""
    spare: Annotated[Bytes, part.AT_ONCE]
    """Scratch of `edge_lpdpl.numeral.kernels.paper`."""
    lines: Annotated[Bytes, 3, "stride"]
    """Scratch: properties of the pixels of a row."""
    contrast: Annotated[Bytes, "contrast_size"]
    """How much of the paper's light the ink takes, 0 where there is no ink: an empty row, the rows that have ink, and
    one more."""
    starts: Annotated[Words, "height"]
    """Where each row begins in `contrast`; 0 for rows without ink."""
    own: Annotated[Bytes, "lifting_area"]
    """Scratch: the ink in which walls of printed frames are searched for; then, for lifting, a group's ink."""
    mask: Annotated[Bytes, "lifting_area"]
    """Scratch: which pixels belong to printed rules, until those are taken out; then which pixels are lifted."""
    sums: Annotated[NDArray[np.uint32], "sum_count"]
    """Column sums of a row of blocks."""
    thin: Annotated[Indices, 3, rule.MOST_THIN]
    """Scratch: the thin strokes; see `edge_lpdpl.page.kernels.rules.lines`."""
    votes: Annotated[Indices, rule.VOTES]
    """Scratch: the votes of the thin strokes for straight lines."""
    rules: Annotated[Words, rule.MOST_RULES + rule.MOST_WALLS + 2, rule.COLUMNS]
    """Scratch: the lying rules of a frame, then the walls between two of them; last, where the teeth of a comb end."""
    dividers: Annotated[Words, rule.MOST_DIVIDERS, rule.DIVIDER_COLUMNS]
    """The rules and walls between the cells of tables."""
    scale: Annotated[NDArray[np.uint32], 256]
    """256 * 255 over the light that paper of each grey level sends back."""
    counts: Annotated[Words, 256]
    """Histogram."""
    borders: Annotated[Indices, "border_count"]
    """Where every run of ink begins and ends in its row; see `edge_lpdpl.page.kernels.contrast`."""
    firsts: Annotated[Indices, "first_count"]
    """The first run of every row, and of one more."""
    parts: Annotated[Indices, "most_runs"]
    """The part of each run."""
    measures: Annotated[Indices, 3, "most_runs"]
    """Scratch: measures of all parts, before the small ones are left out; costs of seams."""
    table: Annotated[Words, part.MOST_PARTS, part.COLUMNS]
    """The parts that may be writing."""
    unread: Annotated[Words, 2 * part.MOST_PARTS + part.MOST_TILES + rule.MOST_RULES, part.UNREAD_COLUMNS]
    """Ink that was left out, and why: printed frames, at the border, what is too much, then of the table."""
    places: Annotated[Indices, part.MOST_PARTS]
    """Scratch: the new place of each row, or minus the reason of one that is left out."""
    row_of: Annotated[Indices, "most_runs"]
    """The row of the table that each part belongs to, negative for none."""
    seams: Annotated[Indices, part.MOST_SEAMS, "height"]
    """Columns: pixels of a row before that of a seam are on its left. The first seam has all pixels on its right, the
    second on its left."""
    crossings: Annotated[Indices, part.MOST_SEAMS, 2]
    """COST and COLUMN of each seam."""
    members: Annotated[Indices, part.MOST_MEMBERS, 3]
    """The group to lift next: MEMBER, FROM and TO of each of its members."""
    group: Annotated[Words, part.COLUMNS]
    """Its measures. Those that cannot be told for a piece of a part are shares of those of the part."""
    hidden: Annotated[Words, 4, 4]
    """The stretches of rules, one on each side, that may hide strokes of the group."""
    gap: Annotated[Words, 4]
    """The gap to look for a wall in: LEFT and RIGHT of it, TOP and BOTTOM of the numerals beside it."""
    lifted: Annotated[Bytes, part.MOST_LIFTED]
    """The group, cleaned, row by row without gaps."""
    found: Annotated[Words, 11]
    """What the kernels found in the frame: `LIGHT` and the constants beside it name the places."""


def make_buffers(limits: Limits) -> Buffers:
    """Buffers for frames of one size (about 1 MB for 640 x 480)."""
    height, width, stride = limits.height, limits.width, limits.stride
    runs = most_runs(limits)
    lengths = {
        "height": height,
        "stride": stride,
        "map_size": height * stride,
        "block_map_size": -(-height // part.BLOCK) * limits.block_stride,
        "contrast_size": (height + 2) * stride,
        "lifting_area": (height + 2 * part.REACH) * (width + 2 * part.REACH),
        "sum_count": width * limits.factor + part.MOST_SHRUNK,
        "most_runs": runs,
        "border_count": 2 * runs,
        "first_count": height + 1,
    }
    buffers = make_arrays(Buffers, lengths)._replace(scale=light_scale())
    buffers.seams[part.RIGHT_END] = width
    return buffers


def most_runs(limits: Limits) -> int:
    """Runs of ink that a frame may have: every other pixel of every row. A part whose box has more pixels is not cut.

    >>> from edge_lpdpl.page.settings import ON_PAPER, limits_of
    >>> most_runs(limits_of(ON_PAPER, 240, 320))
    38640
    """
    return limits.height * (limits.width // 2 + 1)


def light_scale() -> NDArray[np.uint32]:
    """(256,): what a step of one grey level is worth on paper of each level, where 255 * 256 is all of its light."""
    return (65280 // np.maximum(255 - np.arange(256), 1)).astype(np.uint32)
