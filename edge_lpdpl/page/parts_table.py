"""What is known of a connected part of the ink, or of parts put together: the columns of the backends' tables."""

LEFT, TOP, RIGHT, BOTTOM, AREA, RUNS, SHARED, RIDGE, OPEN, HEAD, FOOT, LONGEST = range(12)
"""RIGHT and BOTTOM are one past the part. AREA: pixels. RUNS: stretches of ink along rows. SHARED: pixels below ink.
RIDGE: sum of the strongest contrast of each run. OPEN: how often, across and down, the darkness goes on at one side of
a run though the ink ends, as it does at the rim of things that are wider than a stroke. HEAD, FOOT: twice the middle
column of the first and of the last run. LONGEST: longer side of the longest single part."""
COLUMNS = 12
ADDED = range(AREA, HEAD)
"""Columns that add up where parts are put together."""

TOUCHES_BORDER, TOO_BOLD, TOO_LARGE, TOO_SMALL, TOO_FAINT, A_LINE, PRINT = range(1, 8)
"""Why ink is left out, in the order of `edge_lpdpl.page.boxes.UNREAD_REASONS`. A reason of 0 keeps it."""

REASON, UNREAD_COLUMNS = 4, 5
"""A row of the table of unread ink: LEFT, TOP, RIGHT, BOTTOM, REASON."""

MOST_PARTS = 256
"""A frame with more parts than this keeps the largest."""

WORKING_SIDE = 320
"""Frames with a longer side than this are reduced first, by whole-number block means."""

TILE, EVERY = 32, 4
"""Side of the tiles that tell whether strokes are dark or light, and which of their rows are looked at."""

GRAIN_EVERY = 16
"""One row of so many tells the grain of the paper."""

COARSEST_GRAIN = 32
"""Grey levels that no grain of paper reaches: what varies more is light."""

BLOCK = 2
"""Pixels of the reduced frame, across and down, that have one paper."""

AT_ONCE = 4096
"""Bytes of blocks that go through several steps of the opening before the next ones are fetched."""

REACH = 2
"""Pixels of the reduced frame around a part's own that are lifted with it: the soft edge of its strokes."""

LIFTED_SIDE = 64
"""A lifted numeral has at most so many pixels a side: small ones come from the frame itself, where their strokes are
finer, usual ones from the reduced frame, large ones from means of its blocks."""

LEAST_LIFTED = 8
"""But as many, which is what the recogniser takes, across one that is long and thin, however long it is then."""

MOST_SHRUNK = WORKING_SIDE // LIFTED_SIDE
"""Side of the blocks of which the largest numeral keeps the means."""

SOFT = 4
"""The soft edge of strokes that is left out when a numeral is lifted: what takes less light than this part of what
their middle takes."""
