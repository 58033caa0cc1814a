"""The table of the parts of the ink: its columns, and the sizes that the backends share.

A row is a connected part of the ink. A group of parts, or of pieces of parts that seams cut, has a row like theirs.
"""

LEFT, TOP, RIGHT, BOTTOM, AREA, RUNS, SHARED, RIDGE, OPEN, LONGEST = range(10)
"""RIGHT and BOTTOM are one past the part. AREA: pixels. RUNS: stretches of ink along rows. SHARED: pixels below ink.
RIDGE: sum of the strongest contrast of each run. OPEN: how often, across and down, the darkness goes on beside a run
although the ink ends, as at the rim of things wider than a stroke. LONGEST: longer side of the longest connected
part."""
COLUMNS = 10

MEMBER, FROM, TO = range(3)
"""A member of a group: a row of the table, and the seams between which its ink belongs to the group."""
MOST_MEMBERS = 32
"""In a group."""

LEFT_END, RIGHT_END, FIRST_SEAM = range(3)
"""Seams: those of a part that is not cut, and the first one that cuts a part."""
MOST_SEAMS = 128
COST, COLUMN = range(2)
"""Of a seam: the ink it crosses, and where it crosses the middle row of its part."""

CUTS = 3.0
"""A part has at most CUTS * width / height + 1 seams."""
EMPTY = 5
"""What a pixel without ink costs a seam, and a step aside; one of ink costs up to 255 more."""

TOUCHES_BORDER, TOO_BOLD, TOO_LARGE, TOO_SMALL, TOO_FAINT, A_LINE, PRINT, RULES, NO_NUMERAL, TOO_MUCH_INK = range(1, 11)
"""Why ink is left out, in the order of `edge_lpdpl.page.boxes.UNREAD_REASONS`. A reason of 0 keeps it."""

REASON, STRENGTH, PEN, CELL, UNREAD_COLUMNS = 4, 5, 6, 7, 8
"""A row of the table of unread ink: LEFT, TOP, RIGHT, BOTTOM, REASON, STRENGTH, PEN, CELL. STRENGTH: mean of the
strongest contrast of each run. PEN: mean width of its strokes, in 256ths of a pixel; 0 where nobody asks for it. CELL:
width of the cells of a row of printed boxes, one for each character; 0 for other ink."""

MOST_PARTS = 256
"""In a frame with more parts, only the largest are kept; where the others are is listed as unread."""

REDUCED_SIDE = 320
"""Frames with a longer side are reduced first, to means of blocks of whole pixels."""

TILE, EVERY = 32, 4
"""Side of the tiles from which it is decided whether strokes are dark or light; every EVERY-th of their rows counts.
What is left of too many parts is listed in such tiles, too."""

MOST_TILES = (REDUCED_SIDE // TILE + 1) ** 2
"""In a frame."""

GRAIN_EVERY = 16
"""The grain of the paper is measured in one row of so many."""

COARSEST_GRAIN = 32
"""Grey levels. Rows that vary more vary with the light, not with the grain of the paper."""

BLOCK = 2
"""Side of the blocks for which the paper's light is estimated, in pixels of the reduced frame."""

AT_ONCE = 4096
"""Bytes of blocks that go through several steps of the opening at once, while they are in the cache."""

REACH = 2
"""Pixels of the reduced frame around a part that are lifted with it: the soft edge of its strokes."""

LIFTED_SIDE = 64
"""Most pixels a side of a lifted numeral. Small numerals are lifted from the frame itself, where their strokes are
finer, usual ones from the reduced frame, large ones from means of blocks of the reduced frame."""

LEAST_LIFTED = 8
"""Least pixels a side, which the recogniser needs; a thin numeral may therefore be longer than LIFTED_SIDE."""

MOST_LIFTED = max(LIFTED_SIDE**2, REDUCED_SIDE * 2 * (LEAST_LIFTED - 1))
"""Pixels of the largest lifted group: a compact one, or one as long as the frame, just too thin to be reduced."""

MOST_SHRUNK = REDUCED_SIDE // LIFTED_SIDE
"""Side of the blocks to whose means the largest numeral is reduced."""

SOFT = 4
"""The soft edge of strokes is left out of a lifted numeral where it takes less than a SOFT-th of the light that their
middle takes."""
