"""A page is read line by line, each line as a number, by the same recogniser as everywhere else."""

import json
from functools import reduce

import numpy as np
import pytest
from cards import sheet
from PIL import Image, ImageDraw, ImageFilter

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.commands.main import main
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.number.pictures.reader import PictureReader
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.settings import LocateSettings


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("chinese15"))


@pytest.fixture(scope="module")
def arabic() -> Recogniser:
    return Recogniser.load(shipped_model("arabic10"))


@pytest.fixture(scope="module")
def page(recogniser) -> np.ndarray:
    """A page with 五十四 on it."""
    return written(recogniser, (5, 90, 160), (10, 230, 160), (4, 370, 160))


def written(recogniser: Recogniser, *numerals: tuple[int, int, int]) -> np.ndarray:
    """Shipped numerals, each with its left and top, in felt-tip pen on paper (480, 640) lit from the left."""
    frame = np.full((480, 640), 210, float)
    pictures = {one.label.value: one.path for one in specimens(recogniser.model.labels) if one.look == "screen"}
    for value, left, top in numerals:
        ink = Image.fromarray(read_picture(pictures[value])).resize((150, 150), Image.Resampling.BICUBIC)
        ink = ink.filter(ImageFilter.MaxFilter(5))
        frame[top : top + 150, left : left + 150] -= np.minimum(np.asarray(ink, float), 160)
    frame *= np.linspace(1, 0.6, 640)
    return frame.astype(np.uint8)


def test_a_point_between_chinese_digits_leaves_a_doubt(recogniser):
    page, reader = written(recogniser, (5, 90, 160), (4, 250, 160)), PageReader(recogniser, 480, 640)
    assert [(number.text, number.rejected) for number in reader.read(page).numbers] == [("五四", False)]
    box = reader.read(page).numbers[0].box
    page[box.bottom - 14 : box.bottom, 238:252] = 30
    assert [number.rejected for number in reader.read(page).numbers] == [True]


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_line_of_numerals_is_a_number(page, backend):
    reading = PageReader(Recogniser.load(shipped_model("chinese15"), backend), 480, 640).read(page)
    (number,) = reading.numbers
    assert (number.text, number.value, number.reason, number.rejected) == ("五十四", 54, None, False)
    assert 0.9 < number.confidence <= 1
    assert number.numerals == (0, 1, 2)
    assert [numeral.recognition.value for numeral in reading.numerals] == [5, 10, 4]
    boxes = [numeral.box for numeral in reading.numerals]
    assert not any(numeral.recognition.rejected for numeral in reading.numerals)
    assert (number.box.x, number.box.right) == (boxes[0].x, boxes[2].right)
    assert (number.box.y, number.box.bottom) == (min(box.y for box in boxes), max(box.bottom for box in boxes))
    assert {one.reason for one in reading.unread} <= {"too_small"}
    assert reading.locate_us > 0
    assert reading.recognise_us > 0


def test_numbers_are_read_row_by_row_from_left_to_right(recogniser):
    frame = written(recogniser, (10, 20, 40), (8, 140, 40), (4, 440, 25), (5, 230, 290))
    reading = PageReader(recogniser, 480, 640).read(frame)
    assert [(number.text, number.numerals) for number in reading.numbers] == [
        ("十八", (0, 1)),
        ("四", (2,)),
        ("五", (3,)),
    ]
    assert [numeral.recognition.label for numeral in reading.numerals] == list("十八四五")


def test_a_page_of_nothing_has_no_numbers(recogniser):
    reading = PageReader(recogniser, 480, 640).read(np.full((480, 640), 128, np.uint8))
    assert (reading.numbers, reading.numerals, reading.unread) == ([], [], [])


def test_a_dot_is_read_only_by_a_model_that_knows_one(recogniser, arabic):
    frame = np.full((480, 640), 200, np.uint8)
    rows, columns = np.ogrid[:480, :640]
    frame[(rows - 240) ** 2 + (columns - 320) ** 2 < 18**2] = 40
    assert PageReader(recogniser, 480, 640).read(frame).numerals == []
    assert [one.recognition.value for one in PageReader(arabic, 480, 640).read(frame).numerals] == [0]


@pytest.mark.parametrize(("name", "parts"), [("chinese15", 1), ("latin10", 2)])
def test_halves_are_put_together_only_for_a_model_that_knows_numerals_of_two(name, parts):
    frame = np.full((480, 640), 200, np.uint8)
    frame[200:280, 300:308] = frame[200:280, 328:336] = frame[200:208, 328:356] = frame[272:280, 328:356] = 40
    reader = PageReader(Recogniser.load(shipped_model(name)), 480, 640)
    assert len(reader.read(frame).numerals) == parts


def test_what_is_read_as_a_dot_but_is_no_dot_is_rejected(arabic):
    frame = np.full((480, 640), 200, np.uint8)
    rows, columns = np.ogrid[:480, :640]
    frame[(rows - 240) ** 2 + (columns - 320) ** 2 < 18**2] = 40
    for largest, rejected in ((0.14, False), (0.04, True)):
        reader = PageReader(arabic, 480, 640, LocateSettings(largest_dot=largest))
        assert [one.recognition.rejected for one in reader.read(frame).numerals] == [rejected]


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize(
    ("side", "long", "pen", "gap"), [(8, 5, 2, 1), (20, 5, 1, 1), (149, 8, 2, 1), (161, 5, 1, 2), (250, 7, 1, 2)]
)
def test_a_numeral_close_to_a_border_does_not_end_the_reading_of_its_page(side, long, pen, gap, backend):
    frame, start = np.full((side, side), 200, np.uint8), (side - long) // 2
    frame[gap : gap + pen, start : start + long] = 40
    reader = PageReader(Recogniser.load(shipped_model("chinese15"), backend), side, side)
    for turns in range(4):
        (numeral,) = reader.read(np.rot90(frame, turns)).numerals
        assert {numeral.box.width, numeral.box.height} == {long, pen}
        assert numeral.recognition.label is not None


@pytest.mark.parametrize(("width", "rejected"), [(48, False), (80, True)])
def test_a_zero_may_be_a_short_dash(arabic, width, rejected):
    frame = np.full((480, 640), 200, np.uint8)
    frame[230:248, 300 : 300 + width] = 40
    (numeral,) = PageReader(arabic, 480, 640).read(frame).numerals
    assert (numeral.recognition.value, numeral.recognition.rejected) == (0, rejected)


def test_small_pictures_and_single_ones_are_one_numeral(recogniser, page):
    small = np.zeros((64, 64), np.uint8)
    small[30:32, 10:50] = 200
    reading = PictureReader(recogniser).read(small)
    (only,), (number,) = reading.numerals, reading.numbers
    assert (only.box, only.recognition.label) == (Box(10, 30, 40, 2), "一")
    assert number == ("一", 1, only.recognition.confidence, only.recognition.reason, only.box, (0,))
    assert len(PictureReader(recogniser, single=True).read(page).numerals) == 1


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("shape", [(8, 4096), (4096, 12)])
def test_pictures_too_thin_for_a_page_are_one_numeral(backend, shape):
    reader = PictureReader(Recogniser.load(shipped_model("chinese15"), backend))
    dash, (height, width) = np.zeros(shape, np.uint8), shape
    dash[height // 4 : -height // 4, width // 4 : -width // 4] = 200
    (only,) = reader.read(dash).numerals
    assert only.recognition.label is not None
    assert only.box == pytest.approx(
        (width // 4, height // 4, width - 2 * (width // 4), height - 2 * (height // 4)), abs=52
    )
    assert only.box.right <= width
    assert only.box.bottom <= height
    assert reader.is_single(dash)
    assert not reader.is_single(np.zeros((13, 4096), np.uint8))


def test_the_command_prints_a_number_before_its_numerals_and_draws_them(capsys, page, tmp_path):
    file, drawing = tmp_path / "page.png", tmp_path / "how.png"
    Image.fromarray(page).save(file)
    assert main(["recognise", "--json", str(file), "--explain", str(drawing)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    answer = json.loads(line)
    assert list(answer) == ["file", "numbers", "numerals", "unread", "elapsed_us"]
    (number,), numerals = answer["numbers"], answer["numerals"]
    assert (number["text"], number["value"], number["numerals"]) == ("五十四", 54, [0, 1, 2])
    assert [numeral["value"] for numeral in numerals] == [5, 10, 4]
    assert [numeral["box"][0] for numeral in numerals] == sorted(numeral["box"][0] for numeral in numerals)
    assert Image.open(drawing).size == (640, 540)
    assert main(["recognise", str(file)]) == 0
    _, *told = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in told] == [",".join(map(str, one["box"])) for one in (number, *numerals)]
    assert [line.split()[-3] for line in told][:1] == ["54"]
    assert [line.split()[0] for line in told][1:] == list("五十四")
    assert main(["recognise", "--json", "--single", str(file)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    (numeral,) = json.loads(line)["numerals"]
    x, y, width, height = numeral["box"]
    assert 0 <= x < x + width <= 640
    assert 0 <= y < y + height <= 480


@pytest.mark.parametrize(("dirt", "reason"), [((16, 2), None), ((2, 18), None), ((16, 10), "ink_unread")])
def test_what_is_too_thin_for_the_pen_of_a_number_is_no_doubt(dirt, reason):
    frame = np.full((480, 640), 200, np.uint8)
    for left in (260, 320):
        frame[200:280, left : left + 8] = 40
    width, height = dirt
    frame[240 : 240 + height, 340 : 340 + width] = 40
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame).numbers
    assert (number.value, number.reason) == (11, reason)


@pytest.mark.parametrize("others", [0, 2])
def test_a_numeral_too_bold_to_stand_alone_is_read_beside_others(others):
    frame, latin = np.full((480, 640), 200, np.uint8), Recogniser.load(shipped_model("latin10"))
    rows, columns = np.ogrid[:480, :640]
    away = np.hypot((rows - 240) / 40, (columns - 236) / 30)
    frame[(away <= 1) & (away > 0.25)] = 40
    for left in range(300, 300 + 60 * others, 60):
        frame[200:280, left : left + 16] = 40
    reading = PageReader(latin, 480, 640).read(frame)
    assert [number.text for number in reading.numbers] == (["011"] if others else [])
    assert [one.reason for one in reading.unread] == ([] if others else ["too_bold"])


@pytest.mark.parametrize(("place", "reason"), [((400, 240), "ink_unread"), ((400, 276), None)], ids=["dash", "foot"])
def test_a_thin_flat_bar_at_the_foot_of_a_number_in_printed_boxes_is_a_rest_of_them(place, reason):
    frame = np.full((480, 640), 200, np.uint8)
    frame[180:300, 160:640:80] = frame[180:300, 161:640:80] = 90
    frame[180:182, 160:562] = frame[300:302, 160:562] = 90
    for left in (190, 270, 350, 430, 510):
        frame[200:280, left : left + 8] = 40
    reader = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640)
    assert [(number.value, number.reason) for number in reader.read(frame).numbers] == [(11111, None)]
    left, top = place
    frame[top : top + 4, left - 20 : left - 4] = 40
    assert [(number.value, number.reason) for number in reader.read(frame).numbers] == [(11111, reason)]


@pytest.mark.parametrize(("pen", "reason"), [(12, "ink_unread"), (6, "ink_unread"), (4, None), (30, None)])
def test_a_faint_numeral_beside_others_is_a_doubt(pen, reason):
    """Much thinner or broader ink is no numeral: a crease, or the back of the page that shines through."""
    frame = np.full((480, 640), 200, np.uint8)
    for left in (200, 260):
        frame[200:280, left : left + 12] = 40
    frame[200:280, 320 : 320 + pen] = 150
    reading = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame)
    assert [(number.value, number.reason) for number in reading.numbers] == [(11, reason)]
    assert "too_faint" in [one.reason for one in reading.unread]


@pytest.mark.parametrize(("across", "reason"), [(0, "ink_unread"), (4, None)])
def test_faint_ink_that_looks_like_no_numeral_is_no_doubt(across, reason):
    """A bar is a 1; crossed by others, like a fence, it is what shows through from the back."""
    frame = np.full((480, 640), 200, np.uint8)
    for left in (200, 270):
        frame[200:280, left : left + 12] = 40
    frame[200:280, 340:350] = 150
    for bar in range(across):
        frame[205 + 20 * bar : 213 + 20 * bar, 320:370] = 150
    reading = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame)
    assert [(number.value, number.reason) for number in reading.numbers] == [(11, reason)]
    assert [one.reason for one in reading.unread] == ["too_faint"]


def test_a_faint_box_around_numerals_is_no_other_one():
    """What is in the box was read; the box alone looks like no numeral."""
    frame, reader = np.full((480, 640), 200, np.uint8), PageReader(Recogniser.load(shipped_model("latin10")), 480, 640)
    for left in (200, 270):
        frame[200:280, left : left + 12] = 40
    frame[190:290, 180:183] = frame[190:290, 300:303] = frame[190:193, 180:303] = frame[287:290, 180:303] = 160
    reading = reader.read(frame)
    assert [(number.value, number.reason) for number in reading.numbers] == [(11, None)]
    assert [one.reason for one in reading.unread] == ["too_faint"]


def test_both_halves_of_a_line_that_breaks_at_a_faint_numeral_are_in_doubt():
    """By itself the left half, of a finer pen, has no such numeral beside it."""
    frame = np.full((480, 640), 200, np.uint8)
    frame[200:280, 100:106] = frame[200:280, 216:228] = 40
    frame[200:280, 154:166] = 150
    reading = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame)
    assert [(number.value, number.reason) for number in reading.numbers] == [(1, "ink_unread"), (1, "ink_unread")]
    assert [one.reason for one in reading.unread] == ["too_faint"]


@pytest.mark.parametrize(("left", "reason"), [(0, "ink_unread"), (120, None)])
def test_a_rest_of_a_numeral_at_the_border_is_a_doubt(left, reason):
    frame = np.full((480, 640), 200, np.uint8)
    for start, width in ((0, 2), (40, 12), (90, 12)):
        frame[200:280, left + start : left + start + width] = 40
    reading = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame)
    assert [(number.value, number.reason) for number in reading.numbers] == [(11, reason)]


@pytest.mark.parametrize(("top", "reason"), [(200, "ink_unread"), (230, "ink_unread"), (260, None)])
def test_long_ink_beside_a_number_may_hold_a_digit_of_it(top, reason):
    frame = np.full((480, 640), 200, np.uint8)
    for left in (200, 260):
        frame[200:280, left : left + 12] = 40
    frame[top:, 320:332] = 40
    reading = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame)
    assert [(number.value, number.reason) for number in reading.numbers] == [(11, reason)]
    assert [one.reason for one in reading.unread] == ["touches_border"]


@pytest.mark.parametrize(("width", "reason"), [(6, None), (12, "ink_unread")])
def test_a_faint_bar_that_lies_beside_a_numeral_may_be_one_if_it_is_as_thick(width, reason):
    """Thinner ones are pieces of ruled lines."""
    frame = np.full((480, 640), 200, np.uint8)
    frame[200:212, 200:280] = frame[234:246, 190:290] = 40
    frame[220 : 220 + width, 320:400] = 150
    reading = PageReader(Recogniser.load(shipped_model("chinese15")), 480, 640).read(frame)
    assert [(number.text, number.reason) for number in reading.numbers] == [("二", reason)]


def boxed(text: str, side: int = 70, apart: int = 0) -> np.ndarray:
    """Digits, half as high as the printed boxes that they stand in, each in its own; none for a space."""
    places = [(40 + place * (side + apart), digit) for place, digit in enumerate(text)]
    page = reduce(
        np.minimum, [sheet((480, 640), side // 2, {(x + 20, 168): digit}) for x, digit in places if digit != " "]
    )
    picture = Image.fromarray(page)
    for x, _ in places:
        ImageDraw.Draw(picture).rectangle([x, 150, x + side, 150 + side], outline=120, width=3)
    return np.asarray(picture)


@pytest.mark.parametrize("apart", [0, 10])
def test_small_digits_in_a_row_of_boxes_are_one_number(apart):
    latin = Recogniser.load(shipped_model("latin10"))
    (number,) = PageReader(latin, 480, 640).read(boxed("42736", apart=apart)).numbers
    assert (number.text, number.reason) == ("42736", None)


def test_two_numbers_in_one_row_of_boxes_are_in_doubt():
    """The empty box between them is for a digit that was forgotten, or not found."""
    numbers = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(boxed("42 36")).numbers
    assert [(number.text, number.reason) for number in numbers] == [("42", "ink_unread"), ("36", "ink_unread")]


@pytest.mark.parametrize(("number", "left"), [("  36", 66), ("  36", 90), ("63", 206), ("63", 230)])
def test_a_stroke_in_the_same_row_of_boxes_belongs_to_their_number(number, left):
    """A 1 that stands alone, with an empty box beside it or at the far wall of its own, is not left out silently."""
    page = boxed(f"{number:4}", apart=0).copy()
    page[162:212, left : left + 4] = 50
    numbers = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(page).numbers
    assert all("1" in number.text or number.reason == "ink_unread" for number in numbers)


@pytest.mark.parametrize(("place", "read"), [(204, "421736"), (31, "142736")])
def test_two_numerals_nearer_than_boxes_are_in_doubt(place, read):
    """One of them may be a wall that was not taken for one, also at the end of the row."""
    page = boxed("42736", apart=8).copy()
    page[160:212, place : place + 6] = 40
    (number,) = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(page).numbers
    assert (number.text, number.reason) == (read, "unsure")


class TestCutOuts:
    @pytest.mark.parametrize("tilt", [0, 8])
    def test_each_is_what_its_numeral_was_read_from(self, recogniser, page, tilt):
        """Of a number that goes down, too: the recogniser is given its numerals turned level."""
        grey = np.asarray(Image.fromarray(page).rotate(-tilt, Image.Resampling.BICUBIC, fillcolor=215))
        reader = PageReader(recogniser, *grey.shape)
        reading = reader.read(grey)
        assert len(reading.numerals) == 3
        for numeral, cut_out in zip(reading.numerals, reader.cut_outs(), strict=True):
            assert np.array_equal(recogniser.recognise(cut_out, "light").scores, numeral.recognition.scores)

    @pytest.mark.parametrize("backend", ["numba", "numpy"])
    @pytest.mark.parametrize("also", [[], ["arabic10"]], ids=["one model", "two models"])
    def test_numbers_that_are_cut_are_beside_each_other(self, backend, also):
        """Both have digits that touch; the seams of one are in the rows of the other."""
        corners = [(left + 52 * place, 200) for left in (40, 380) for place in range(4)]
        digits = (sheet((480, 640), 80, {corner: digit}) for corner, digit in zip(corners, "38233823", strict=True))
        first, *others = (Recogniser.load(shipped_model(name), backend) for name in ("latin10", *also))
        reader = PageReader(first, 480, 640, also=others)
        reading = reader.read(reduce(np.minimum, digits))
        assert [number.text for number in reading.numbers] == ["3823", "3823"]
        for numeral, cut_out in zip(reading.numerals, reader.cut_outs(), strict=True):
            assert np.array_equal(first.recognise(cut_out, "light").scores, numeral.recognition.scores)


@pytest.mark.parametrize(("high", "reason"), [(36, "ink_unread"), (100, None)])
def test_an_upright_stroke_too_straight_for_a_hand_may_be_a_1_if_it_is_as_high_as_the_digits(high, reason):
    frame = sheet((480, 640), 36, {(200, 200): "3", (260, 200): "2"})
    frame[218 - high // 2 : 218 + high // 2, 184:186] = 60
    reading = PageReader(Recogniser.load(shipped_model("latin10")), 480, 640).read(frame)
    assert [(number.text, number.reason) for number in reading.numbers] == [("32", reason)]
    assert [one.reason for one in reading.unread] == ["a_line"]


@pytest.mark.parametrize(("level", "reason"), [(210, None), (40, "ink_unread")])
def test_a_tip_of_a_numeral_at_the_border_is_a_doubt(level, reason):
    frame = sheet((480, 640), 60, {(400, 200): "32"})
    right = int(np.flatnonzero(frame.min(axis=0) < 100).max()) // 2 * 2 + 20
    frame = np.ascontiguousarray(frame[:, right - 400 : right])
    frame[220:228, -6:] = level  # no longer than a tenth of the digits
    reading = PageReader(Recogniser.load(shipped_model("latin10")), *frame.shape).read(frame)
    assert [(number.text, number.reason) for number in reading.numbers] == [("32", reason)]
