"""Points and a minus of Latin numbers: they are read, or leave a doubt, and dirt is none of them."""

from functools import reduce

import numpy as np
import pytest
from cards import sheet
from PIL import Image, ImageFilter

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader


@pytest.mark.parametrize("foot", [280, 246])
@pytest.mark.parametrize("gap", [6, 12, 24])
def test_a_number_with_a_point_is_never_read_as_one_ten_times_as_large(gap, foot):
    frame = np.full((480, 640), 200, np.uint8)
    for left in (260, 320):
        frame[200:280, left : left + 8] = 40
    reader = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640)
    (number,) = reader.read(frame).numbers
    assert (number.value, number.reason) == (11, None)
    frame[foot - 10 : foot, 320 - gap - 10 : 320 - gap] = 40
    assert all(number.rejected or number.value == 1.1 for number in reader.read(frame).numbers)


@pytest.mark.parametrize(
    ("place", "reason"),
    [((170, 238), "ink_unread"), ((222, 238), "ink_unread"), ((222, 276), "ink_unread"), ((222, 202), None)],
    ids=["minus", "dash", "point", "head"],
)
def test_what_is_too_thin_for_the_pen_but_where_a_mark_may_be_is_a_doubt(place, reason):
    frame = np.full((480, 640), 200, np.uint8)
    for left in (200, 260):
        frame[200:280, left : left + 8] = 40
    left, top = place
    frame[top : top + 4, left : left + 20] = 40
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame).numbers
    assert (number.value, number.reason) == (11, reason)


@pytest.mark.parametrize(
    ("bars", "reason"), [([(236, 8)], None), ([(226, 8), (248, 8)], "ink_unread")], ids=["minus", "equals"]
)
def test_a_minus_is_one_straight_stroke(bars, reason):
    frame = np.full((480, 640), 200, np.uint8)
    for top, height in bars:
        frame[top : top + height, 150:185] = 40
    frame[200:280, 210:218] = frame[200:280, 260:268] = 40
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame).numbers
    assert (number.value, number.reason) == (-11, reason)


@pytest.mark.parametrize(("joined", "reason"), [(True, "ink_unread"), (False, None)])
def test_a_point_is_not_cut_off_a_digit(joined, reason):
    """What a thin stroke joins to a digit may be a part of it."""
    frame = np.minimum(sheet((480, 640), 60, {(200, 200): "3"}), sheet((480, 640), 60, {(256, 200): "8"}))
    frame[250:258, 244:252] = 60
    if joined:
        frame[253:255, 252:270] = 60
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame).numbers
    assert (number.value, number.reason) == (3.8, reason)


@pytest.mark.parametrize("place", range(8))
def test_a_point_as_wide_as_the_pen_is_no_dirt(place):
    """Wherever it lies on the pixels of the reduced frame: of three pixels across, half may be ink."""
    page = reduce(np.minimum, [sheet((480, 640), 60, {(left, 150): digit}) for left, digit in ((60, "3"), (150, "62"))])
    rows, columns = np.ogrid[:480, :640]
    point = np.hypot(rows - 206 - place % 2 * 0.5, columns - 124 - place / 2) <= 3
    page = np.where(point, np.uint8(50), page)
    soft = np.asarray(Image.fromarray(page).filter(ImageFilter.GaussianBlur(0.7)))
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(soft).numbers
    assert (number.text, number.value) == ("3.62", 3.62)
