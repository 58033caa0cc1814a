"""What is known of a connected part of the ink: the columns of the table that the backends fill."""

LEFT, TOP, RIGHT, BOTTOM, AREA, RUNS, SHARED, RIDGE = range(8)
"""RIGHT and BOTTOM are one past the part. AREA: pixels. RUNS: stretches of ink along rows. SHARED: pixels right
below ink. RIDGE: sum of the strongest contrast of each run."""
COLUMNS = 8

MOST_PARTS = 256
"""A frame with more parts than this keeps the largest."""

WORKING_SIDE = 320
"""Frames with a longer side than this are reduced first, by whole-number block means."""
