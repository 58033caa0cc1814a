"""Accepted numbers are read once more, each from its own part of the picture, where points and signs are seen."""

from functools import reduce

import numpy as np
import pytest
from cards import sheet
from PIL import Image, ImageFilter

import edge_lpdpl
from edge_lpdpl.number.lattice import NOT_READ
from edge_lpdpl.number.line_reader import INK_UNREAD, Number, Numeral
from edge_lpdpl.number.pictures.confirming import ConfirmingReader, confirmed, marks_of
from edge_lpdpl.number.pictures.parts import distances_below
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.settings import reduction


@pytest.fixture(scope="module")
def reader():
    return edge_lpdpl.PictureReader(edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10")))


@pytest.mark.parametrize("place", range(4))
def test_a_point_too_small_from_afar_is_read(reader, place):
    """Of 13 pixels in a picture of 3200, of which ten become one."""
    left, top = 300 + 500 * place, 300 + 401 * place
    digits = (
        sheet((2400, 3200), 110, {corner: digit}) for corner, digit in (((left, top), "3"), ((left + 140, top), "62"))
    )
    picture = reduce(np.minimum, digits)
    rows, columns = np.ogrid[:2400, :3200]
    picture[np.hypot(rows - top - 102, columns - left - 115) <= 6.5] = 50
    soft = np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(1)))
    assert [(number.text, number.value, number.reason) for number in reader.read(soft).numbers] == [
        ("3.62", 3.62, None)
    ]


def with_point(picture: np.ndarray, left: int, top: int) -> np.ndarray:
    """A picture with a point of 9 pixels."""
    rows, columns = np.ogrid[: picture.shape[0], : picture.shape[1]]
    picture[np.hypot(rows - top, columns - left) <= 4.5] = 50
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(1)))


def test_a_point_before_a_number_leaves_a_doubt(reader):
    """.62 is no 62. In a picture of 1600 pixels, of which five become one."""
    plain = sheet((1200, 1600), 110, {(700, 500): "62"})
    assert [(number.text, number.reason) for number in reader.read(plain).numbers] == [("62", None)]
    (number,) = reader.read(with_point(plain, 680, 602)).numbers
    assert (number.text, number.reason) == ("62", INK_UNREAD)


def test_what_the_border_of_its_part_cuts_leaves_no_doubt(reader):
    """Lines above and below a number go on beyond its part of the picture, and so do other numbers."""
    picture = sheet((1200, 1600), 110, {(700, 500): "62", (640, 330): "38", (690, 690): "52"})
    for row in (460, 640):
        picture[row : row + 5, 100:1500] = 60
    assert [(number.text, number.reason) for number in reader.read(picture).numbers] == [
        ("38", None),
        ("62", None),
        ("52", None),
    ]


def test_a_number_wider_than_half_of_the_picture_is_read_again_if_less_is_lost(reader):
    digits = {(140 + 90 * place, 300): digit for place, digit in enumerate("62362")}
    picture = reduce(np.minimum, (sheet((800, 1000), 90, {corner: digit}) for corner, digit in digits.items()))
    (number,) = reader.read(with_point(picture, 126, 384)).numbers
    assert (number.text, number.reason) == ("62362", INK_UNREAD)


class Seen:
    """Stands for a reader of parts that reads these numbers, and from the second part on others."""

    def __init__(self, *numbers, then=None):
        self.numbers, self.then, self.parts = numbers, then, []

    def __call__(self, height, width):
        self.parts.append((height, width))
        return self

    def read_cut_out(self, part, known):
        return Reading(self.numbers if self.then is None or len(self.parts) == 1 else self.then, [])


def number(text, box, reason=None):
    return Number(text, None, 0.9, reason, box, (0,))


def read_again(shape, name, parts, numbers, numerals):
    """What this reader of parts makes of numbers in a picture of this shape."""
    distances = distances_below(reduction(max(shape)))
    picture, marks = np.zeros(shape, np.uint8), marks_of([recogniser(name)])
    return confirmed(Reading(numbers, numerals), picture, marks, parts, distances).numbers


FOUR = Numeral(Box(500, 600, 60, 100), NOT_READ)
SMALL_FOUR = Numeral(Box(100, 100, 20, 30), NOT_READ)


def recogniser(name):
    return edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model(name))


@pytest.mark.parametrize(
    ("seen", "in_picture", "in_frame"),
    [
        ([("427", None)], ("427", None), ("427", None)),
        ([("427", UNSURE)], ("427", UNSURE), ("427", None)),
        ([("427", INK_UNREAD)], ("427", INK_UNREAD), ("427", INK_UNREAD)),
        ([("-42.7", None)], ("-42.7", None), ("-42.7", None)),
        ([("42.7", UNSURE)], ("42.7", UNSURE), ("42.7", UNSURE)),
        ([("421", None)], ("427", UNSURE), ("427", None)),
        ([("4", None), ("27", None)], ("427", UNSURE), ("427", None)),
        ([], ("427", None), ("427", None)),
    ],
)
def test_what_is_seen_from_near_counts_and_in_a_large_picture_other_digits_are_a_doubt(seen, in_picture, in_frame):
    places = [
        ((2000, 3000), Box(500, 600, 300, 100), FOUR, (320, 640), in_picture),
        ((480, 640), Box(100, 100, 60, 30), SMALL_FOUR, (160, 320), in_frame),
    ]
    for shape, box, four, part, expected in places:
        near = box._replace(x=four.box.height, y=four.box.height)
        parts = Seen(*(number(text, near, reason) for text, reason in seen))
        (one,) = read_again(shape, "latin10", parts, [number("427", box)], [four])
        assert (one.text, one.reason, one.box) == (*expected, box)
        assert parts.parts == [part]


@pytest.mark.parametrize(
    ("farther", "expected"),
    [
        ([("427", None)], ("427", None)),
        ([("42.7", None)], ("427", UNSURE)),
        ([("427", INK_UNREAD)], ("427", UNSURE)),
        ([("429", None)], ("427", UNSURE)),
        ([("429", UNSURE)], ("427", UNSURE)),
        ([], ("427", UNSURE)),
    ],
)
def test_pieces_that_thick_rules_leave_count_only_if_it_is_not_whole_from_farther_off(farther, expected):
    """From the nearest place it is pieces, and not sure. In 3000 pixels it is seen from three places: as many pixels
    become one as in a part of 640, 960 and 1600."""
    near, shape = Box(100, 100, 300, 100), (2000, 3000)
    pieces, whole = [number("41171", near, UNSURE)], [number(text, near, reason) for text, reason in farther]
    parts = Seen(*pieces, then=whole)
    (one,) = read_again(shape, "latin10", parts, [number("427", Box(500, 600, 300, 100))], [FOUR])
    assert (one.text, one.reason) == expected
    is_settled = farther != [("429", UNSURE)]
    assert parts.parts == [(320, 640), (480, 960), (800, 1600)][: 2 if is_settled else 3]


@pytest.mark.parametrize("shape", [(2000, 3000), (480, 640)])
def test_a_zero_that_is_a_dot_and_was_too_small_leaves_a_doubt(shape):
    four = FOUR if shape[0] > 480 else SMALL_FOUR
    box = four.box._replace(width=3 * four.box.width)
    parts = Seen(number("٤٠٧", box._replace(x=four.box.height, y=four.box.height)))
    (one,) = read_again(shape, "arabic10", parts, [number("٤٧", box)], [four])
    assert (one.text, one.reason) == ("٤٧", UNSURE)


@pytest.mark.parametrize(
    ("name", "reason", "side"), [("chinese15", None, 3000), ("latin10", UNSURE, 3000), ("latin10", None, 900)]
)
def test_only_accepted_numbers_with_marks_that_are_small_are_read_again(name, reason, side):
    parts, known = Seen(), number("427", Box(500, 600, 300, 100), reason)
    assert read_again((side, side), name, parts, [known], [FOUR]) == [known]
    assert parts.parts == []


def test_one_part_does_for_all_numbers_that_are_whole_in_it():
    first, second = Box(100, 100, 60, 30), Box(200, 104, 60, 30)
    parts = Seen(number("4.27", Box(30, 30, 60, 30)), number("42.7", Box(130, 34, 60, 30)))
    numbers = [number("427", first), number("427", second)]
    assert [one.text for one in read_again((480, 640), "latin10", parts, numbers, [SMALL_FOUR])] == ["4.27", "42.7"]
    assert parts.parts == [(160, 320)]


class TestCutOuts:
    """A part of a picture is read where it has ink that is none of the numerals that were read in the picture."""

    FRAME = np.minimum(sheet((160, 320), 30, {(100, 60): "3"}), sheet((160, 320), 30, {(140, 60): "62"}))
    READER = PageReader(recogniser("latin10"), *FRAME.shape)
    KNOWN = tuple(one.box for one in READER.read(FRAME).numerals)

    def test_known_numerals_and_nothing_else_are_not_read(self):
        assert self.READER.read_cut_out(self.FRAME, self.KNOWN) is None
        roughly = [box._replace(x=box.x - 2, width=box.width + 3) for box in reversed(self.KNOWN)]
        assert self.READER.read_cut_out(self.FRAME, roughly) is None

    @pytest.mark.parametrize("known", [(), KNOWN[1:], (*KNOWN[:2], KNOWN[2]._replace(x=200))])
    def test_other_numerals_are(self, known):
        assert [one.text for one in self.READER.read_cut_out(self.FRAME, known).numbers] == ["362"]

    def test_a_point_is(self):
        frame = self.FRAME.copy()
        frame[85:90, 130:135] = 50
        assert [one.text for one in self.READER.read_cut_out(frame, self.KNOWN).numbers] == ["3.62"]

    @pytest.mark.parametrize(("top", "same"), [(0, True), (20, False)])
    def test_what_the_border_cuts_is_something_else(self, top, same):
        frame = self.FRAME.copy()
        frame[top : top + 12, 40:46] = 50
        assert (self.READER.read_cut_out(frame, self.KNOWN) is None) == same


class TestFrames:
    """Of a camera: one reader does for all parts."""

    @pytest.mark.parametrize("place", range(4))
    @pytest.mark.parametrize("size", [2, 3])
    def test_a_small_point_is_read(self, place, size):
        left, top = 60 + 130 * place, 50 + 101 * place
        frame = np.minimum(sheet((480, 640), 24, {(left, top): "3"}), sheet((480, 640), 24, {(left + 30, top): "62"}))
        assert [one.text for one in PageReader(recogniser("latin10"), 480, 640).read(frame).numbers] == ["362"]
        frame[top + 24 - size : top + 24, left + 24 : left + 24 + size] = 50
        reader = ConfirmingReader(recogniser("latin10"), 480, 640)
        (one,) = reader.read(frame).numbers
        assert one.text == "3.62" or one.rejected

    def test_without_a_point_digits_are_recognised_once(self, monkeypatch):
        reader, calls = ConfirmingReader(recogniser("latin10"), 480, 640), []
        recognise = reader.recogniser.recognise
        monkeypatch.setattr(reader.recogniser, "recognise", lambda *given: calls.append(given) or recognise(*given))
        frame = np.minimum(sheet((480, 640), 24, {(200, 100): "3"}), sheet((480, 640), 24, {(230, 100): "62"}))
        reader.read(frame)
        assert len(calls) == 3
        frame[121:124, 224:227] = 50
        reader.read(frame)
        assert len(calls) > 3 + 2 * 3

    @pytest.mark.parametrize("shape", [(480, 640), (240, 320), (160, 120), (1080, 1920), (90, 700)])
    def test_frames_of_any_size_are_read(self, shape):
        frame = sheet(shape, max(shape) // 12, {(shape[1] // 8, shape[0] // 8): "62"})
        assert [one.text for one in ConfirmingReader(recogniser("latin10"), *shape).read(frame).numbers] == ["62"]
