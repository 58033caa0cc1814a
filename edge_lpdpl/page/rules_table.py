"""Printed rules: the columns of their table, and the numbers that decide what is one, which the backends share.

Lengths are pixels of the reduced frame. They do not grow with the writing, because a rule is as thin under large
characters as under small ones.
"""

from edge_lpdpl.page.parts_table import REDUCED_SIDE

SLOPE, LEVEL, START, END, THICK, PLACE, GRADE, DIVIDES = range(8)
"""A rule is straight: at `along`, between START and END, it is (LEVEL + SLOPE * (along - middle)) / ONE across, where
`middle` is half of the frame. It is THICK pixels thick. Of a wall, PLACE is its column half way down, and GRADE one
of the grades below, and DIVIDES 1 if it is an end of a cell; of a lying rule, GRADE is LONE or FRAMED."""
COLUMNS = 8
DIVIDER_COLUMNS = 4
"""Of what divides the cells of a table: it goes straight from (LEFT, TOP) to (RIGHT, BOTTOM)."""
ONE = 1 << 16

MERGED, CLEAR, FLAWLESS, SEPARATE, FIELD = range(5)
"""Grades of a wall: writing runs along it; most of it is a thin line; nearly all of it is; it is an end of one of
several boxes in a row that do not touch, one for each character; it is an end of one of several fields in a row."""
WHOLE, OPEN, BROKEN = range(3)
"""How two rules go on from one wall to the next: without a wide gap; not at all, so that a box ends and the next one
begins; or neither."""
LONE, FRAMED = range(2)
"""Whether a rule is the top or the bottom of a frame."""

INK, NOW, BEFORE = range(3)
"""Marks in `Buffers.mask`: no rule; a rule that is being taken out, so still ink; one that has been."""

RULED = 1
"""Contrast of pixels whose rule was taken out; that of ink is higher."""

THINNEST, THICKEST = 1, 4
"""Of a rule, with a camera's blur: as far as it is half as dark as in its middle."""
BOLDEST = 7
"""A rule has at most BOLDEST halves as much ink across as its darkest pixel: it is printed at most 3 pixels thick."""
STEP_BITS = 5
STEEPEST, STEPS = 12, 1 << STEP_BITS
"""A rule rises by at most STEEPEST STEPS-ths, which is 20 degrees; slopes are tried in steps of a STEPS-th."""
ABOVE = STEEPEST * (REDUCED_SIDE // 2) // (2 * STEPS) + 2
"""Slots for rules that cross the middle of the frame above its top, or below its bottom."""
SLOTS = REDUCED_SIDE // 2 + 2 * ABOVE
"""For the votes of one slope of lying rules; each is two pixels high."""
VOTES = (2 * STEEPEST + 1) * SLOTS
"""For all slopes. The walls of a frame need fewer."""
SHORTEST = 36
SEED = SHORTEST // 2
"""Length over which a line is seen before it is fitted: crossed strokes of writing are mostly shorter."""
LEAST = 32
"""Pixels of a rule that are a thin line; without so many, nothing is searched for."""
NEAR = 2
"""A rule is fitted to the thin strokes so near to it."""
FITS = 3
"""Each fit finds more of the rule, the next one fits to that."""
MOST_THIN = 8192
"""Thin pieces of strokes in a frame. A frame of more, such as a woven cloth, has rules of which nothing is gained."""
MOST_RULES = 12
"""Lying rules in a frame, the longest ones."""
MOST_WALLS = 40
"""Between two of them."""
MOST_TRIED = MOST_RULES * MOST_WALLS
"""In a frame. Writing in rows that look like rules would have them looked for between all pairs of rows."""
MOST_CELLS = 32
MOST_DIVIDERS = MOST_TRIED + 2 * MOST_RULES
"""The walls, and the top and the bottom of each frame."""

SHALLOWEST = 8
"""A valley between two walls side by side is fainter than both by a SHALLOWEST-th or more."""
FLATTEST = 7
"""A frame is at least so many times as high as its rules are thick: bars of small characters in a row are not."""
STUMPIEST = 4
"""The tooth of a comb is at least so many times as long as its rule is thick."""
GAP = 6
"""A frame is more than so many times as high as the gaps in its rules: bars of characters in a row are farther apart
than boxes, and than the gaps of rules that are hardly seen."""
ASIDE = 8
"""Perspective turns a wall by at most an ASIDE-th from the perpendicular; writing slants more."""
OFF_GRID = 6
"""Walls divide a frame into equal cells. Perspective, and the gaps between separate boxes, move them by up to an
OFF_GRID-th of a cell."""
WIDEST_CELL, NARROWEST_CELL = 3, 3
"""A box for one character is at most WIDEST_CELL halves as wide as it is high. The cells of a table are wider. Boxes
and fields that do not touch are at least NARROWEST_CELL fifths as wide as high: the zeros of a display are narrower."""
MARGIN = 4
"""A rule that ends nearer to the border leaves the frame. It is taken for one of ruled paper, which is fainter than
what is written on it, and which `edge_lpdpl.page.kernels.parts` clears."""
LOWER = 5
"""What is written on an underline is at most LOWER eighths as high as the underline is long. A bar of a character is at
most a fourth longer than the character is high."""
TALL = 2 * THICKEST
"""A run of ink down a column that is longer belongs to an upright stroke, so not to a bar of 三."""
CROSSING = 2
"""A stroke that crosses a rule may move so far aside until it is half way through."""
DARKER = 10
"""Ink more than DARKER quarters as dark as a rule is writing on it."""
HEAVIER = 4
"""What was taken out as a rule may hide a stroke where it has more ink than around, by a HEAVIER-th of that of the
pen."""
REST, HIDDEN = 1, 2
"""Doubts that a printed rule leaves about a group: it may be what is left of one, or a stroke of it may have been taken
out with one."""
HIDES_UPRIGHT, HIDES_ACROSS, HIDES_FROM, HIDES_TO = range(4)
"""Columns of a stretch of a rule that may hide a stroke: whether the rule is upright, where it is across, and from
where to where the stretch goes along it."""
SLIM = 3
"""A bar is at least SLIM times as long as it is wide."""
LEAST_HIDDEN = 4
"""A stroke that hides is longer than a LEAST_HIDDEN-th of its numeral."""
FAINTER = 3
"""Ink less than FAINTER quarters as dark as a rule is no stroke that crosses it, unless it goes on."""
ONWARD = 8
"""How many pixels beyond a rule fainter ink goes on that crosses it: a line of ruled paper has to stay whole, or its
pieces between two walls would look like bars."""

FAINTEST = 5
"""Grey levels that a wall between two numerals is darker than the paper beside it."""
BESIDE = 3
"""How far beside the middle of such a wall the paper is."""
BEYOND, LEAST_BEYOND = 5, 4
"""It goes on above and below the numerals by a BEYOND-th of their height, and by at least so many pixels."""
BEHIND = 4
"""How far behind a numeral it may be where that hides it, as a BEHIND-th of the numerals' height."""
LEANS = 16
"""It is looked for at slopes of whole LEANS-ths."""
PIECE, MOST_HIDDEN = 6, 3
"""Length of a piece of a line in which it is seen or not, and how many in a row may hide."""
NARROWEST_SQUARE, WIDEST_SQUARE = 5, 4
"""Squared paper has such lines on both sides of one, evenly apart: a NARROWEST_SQUARE-th to WIDEST_SQUARE times as far
as the numerals are high."""
