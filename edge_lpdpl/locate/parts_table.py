"""What is known of a connected part of the ink, or of parts put together: the columns of the backends' tables."""

LEFT, TOP, RIGHT, BOTTOM, AREA, RUNS, SHARED, RIDGE, OPEN, HEAD, FOOT = range(11)
"""RIGHT and BOTTOM are one past the part. AREA: pixels. RUNS: stretches of ink along rows. SHARED: pixels below ink.
RIDGE: sum of the strongest contrast of each run. OPEN: ends and sides of runs where the darkness goes on though the
contrast ends, as it does inside of things that are wider than a stroke. HEAD, FOOT: twice the middle column of the
first and of the last run."""
COLUMNS = 11
ADDED = range(AREA, HEAD)
"""Columns that add up where parts are put together."""

MOST_PARTS = 256
"""A frame with more parts than this keeps the largest."""

WORKING_SIDE = 320
"""Frames with a longer side than this are reduced first, by whole-number block means."""

REACH = 2
"""Pixels of the reduced frame around a part's own that are lifted with it: the soft edge of its strokes."""

FINE_SIDE = 48
"""Numerals with a longer side than this, in pixels of the reduced frame, are lifted from it, smaller ones from the
frame itself."""
