"""Fields are read wherever the sheet lies; a frame without its marks gives none."""

import numpy as np
import pytest
from form_pictures import SCALE, View, blank_form, photograph, print_area
from PIL import Image
from sklearn.datasets import load_digits

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.errors import ConfigError, ImageError
from edge_lpdpl.form.fields import Field
from edge_lpdpl.form.homography import project
from edge_lpdpl.form.reader import FormReader
from edge_lpdpl.form.sheet import Area, mark_areas
from edge_lpdpl.number.constraints import Constraints

pytestmark = pytest.mark.slow

FIELDS = [
    Field("one", Area(30, 60, 20, 14)),
    Field("三", Area(120, 60, 20, 14)),
    Field("empty", Area(30, 110, 36, 12)),
    Field("many", Area(120, 230, 20, 14), Constraints(minimum=2)),
]
BARS = {"one": [(5, 7, 10)], "三": [(6, 2.5, 8), (7, 6.5, 6), (5, 11, 10)], "many": [(5, 7, 10)]}
"""The strokes of 一 and 三: from the left and the top of their field, and length, in millimetres."""


def put_digit(sheet, digit: int, area: Area) -> None:
    """Write a digit of scikit-learn into an area of the sheet."""
    data = load_digits()
    picture = data.images[np.flatnonzero(data.target == digit)[0]]
    size = round(area.width * SCALE), round(area.height * SCALE)
    cover = np.asarray(Image.fromarray(np.uint8(picture * 15)).resize(size, Image.Resampling.BICUBIC)) / 240
    top, left = round(area.y * SCALE), round(area.x * SCALE)
    part = sheet[top : top + size[1], left : left + size[0]]
    np.minimum(part, 0.9 - 0.75 * np.clip(3 * cover - 1, 0, 1), out=part)


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser.load(shipped_model("chinese15"))


@pytest.fixture(scope="module")
def digits():
    return Recogniser.load(shipped_model("latin10"))


@pytest.fixture(scope="module")
def sheet():
    sheet = blank_form(fields=FIELDS)
    for name, bars in BARS.items():
        area = next(field.area for field in FIELDS if field.name == name)
        for x, y, length in bars:
            print_area(sheet, Area(area.x + x, area.y + y - 0.4, length, 0.9), 0.15)
    return sheet


@pytest.mark.parametrize(
    "view", [View(), View(turned=15, pitch=15), View(turned=180, fills=0.7), View(turned=-98, yaw=-20)], ids=str
)
def test_numbers_are_read_where_the_sheet_lies(view, recogniser, sheet):
    frame, matrix = photograph(sheet, view, shadow=0.4)
    reading = FormReader(FIELDS, recogniser, view.height, view.width).read(frame)
    found = {name: None if place is None else reading.numbers[place] for name, place in reading.fields.items()}
    assert {name: one and (one.text, one.rejected) for name, one in found.items() if name != "many"} == {
        "one": ("一", False),
        "三": ("三", False),
        "empty": None,
    }
    assert found["many"] is None or found["many"].rejected  # because of its constraint
    x, y, width, height = found["one"].box
    middle = np.array([(x + width / 2, y + height / 2)])
    assert project(np.linalg.inv(matrix), middle)[0] == pytest.approx((40, 67), abs=2.5)
    assert len(reading.models) == len(reading.numbers)


class TestWithoutMarks:
    def test_a_hidden_mark_leaves_every_field_unread(self, recogniser, sheet):
        hidden = sheet.copy()
        print_area(hidden, mark_areas("A4")[2], 0.9)
        frame, _ = photograph(hidden, View())
        reader = FormReader(FIELDS, recogniser, *frame.shape)
        reading = reader.read(frame)
        assert reading.fields == dict.fromkeys([field.name for field in FIELDS])
        assert [(one.reason, one.box) for one in reading.unread] == [("no_marks", (0, 0, 1440, 1080))]
        assert not reading.numbers
        assert not reader.cut_outs()

    def test_regions_may_be_pixels_of_a_camera_that_stands_still(self, recogniser, sheet):
        level = (sheet * 255).astype(np.uint8)
        pixels = [field._replace(area=Area(*(SCALE * side for side in field.area))) for field in FIELDS[:3]]
        reading = FormReader(pixels, recogniser, *level.shape, paper=None).read(level)
        assert [number.text for number in reading.numbers] == ["一", "三"]
        assert reading.fields == {"one": 0, "三": 1, "empty": None}


def test_two_numbers_in_a_field_are_in_doubt(recogniser):
    field = Field("wide", Area(30, 60, 100, 14))
    sheet = blank_form(fields=[field])
    for x in (35, 100):
        print_area(sheet, Area(x, 66.5, 9, 0.9), 0.15)
    frame, _ = photograph(sheet, View())
    reading = FormReader([field], recogniser, *frame.shape).read(frame)
    assert reading.numbers[reading.fields["wide"]].reason == "ink_unread"


class TestSurroundings:
    """Digits of scikit-learn, of a field without a known length: what was written beside its box, and in empty ones."""

    FIELD = Field("code", Area(40, 60, 40, 11), boxes=4)

    def read(self, digits, written, field=FIELD, moved=None, above=None):
        """The number of a field in which digits stand.

        Args:
            written: places in millimetres from its left to digits, dashes and slashes.
            moved: by how many millimetres the box is printed to the right of where it should be.
            above: a place above the field where a small digit is written.
        """
        sheet = blank_form("A5", fields=[field])
        if moved:  # what is printed is elsewhere
            sheet = np.roll(sheet, round(moved * SCALE), axis=1)
            for area in mark_areas("A5"):
                print_area(sheet, area.grown(moved), 0.9)
            for area in mark_areas("A5"):
                print_area(sheet, area, 0.06)
        for x, digit in written.items():
            at = Area(field.area.x + x, field.area.y + 2, 7, 7)
            if digit == "-":
                print_area(sheet, Area(at.x + 1, at.y + 3.2, 5, 0.7), 0.15)
            elif digit == "/":
                for step in range(56):
                    print_area(sheet, Area(at.x + 6.5 - step / 9, at.y + step / 8, 0.8, 0.3), 0.15)
            else:
                put_digit(sheet, digit, at)
        if above is not None:
            put_digit(sheet, 4, Area(field.area.x + above, field.area.y - 5.7, 4.6, 4.6))
        frame, _ = photograph(sheet, View(), "A5")
        reading = FormReader([field], digits, *frame.shape, paper="A5").read(frame)
        place = reading.fields["code"]
        return None if place is None else reading.numbers[place]

    def test_a_number_that_overruns_its_boxes_is_read_whole(self, digits):
        inside = {1.5: 3, 11.5: 2, 21.5: 8, 31.5: 0}
        assert self.read(digits, inside).text == "3280"
        for beside, text in ((41.5, "32806"), (-8.5, "63280")):
            number = self.read(digits, inside | {beside: 6})
            assert number.text == text or number.rejected

    def test_known_limits_reject_what_overruns(self, digits):
        known = self.FIELD._replace(constraints=Constraints(length=4))
        assert self.read(digits, {1.5: 3, 11.5: 2, 21.5: 8, 31.5: 0, 41.5: 6}, known).rejected

    def test_a_digit_that_is_written_above_leaves_a_doubt(self, digits):
        inside = {1.5: 3, 11.5: 2, 21.5: 8}
        assert self.read(digits, inside).text == "328"
        assert self.read(digits, inside, above=7).reason == "ink_unread"

    def test_a_dash_in_an_empty_box_is_a_minus_only_where_limits_ask_for_one(self, digits):
        written = {1.5: "-", 11.5: 2, 21.5: 8, 31.5: 0}
        assert self.read(digits, written).rejected
        below = self.FIELD._replace(constraints=Constraints(minimum=-999))
        assert self.read(digits, written, below).text == "-280"

    def test_a_slash_in_an_empty_box_is_no_1(self, digits):
        number = self.read(digits, {1.5: "/", 11.5: 2, 21.5: 8, 31.5: 0})
        assert number.rejected

    def test_a_field_whose_box_is_elsewhere_is_in_doubt(self, digits):
        written = {11.5: 2, 21.5: 8, 31.5: 0}
        assert self.read(digits, written).reason is None
        assert self.read(digits, written, moved=5).reason == "out_of_place"

    @pytest.mark.parametrize(("elsewhere", "reasons"), [(1, [None, None, "out_of_place"]), (2, ["out_of_place"] * 3)])
    def test_all_fields_are_in_doubt_where_most_boxes_are_elsewhere(self, digits, elsewhere, reasons):
        fields = [Field(str(place), Area(30, 60 + 30 * place, 40, 11), boxes=4) for place in range(3)]
        printed = [field._replace(area=field.area._replace(x=36)) for field in fields[3 - elsewhere :]]
        sheet = blank_form("A5", fields=[*fields[: 3 - elsewhere], *printed])
        for place, field in enumerate(fields):
            for x, digit in ((13, 2), (23, 8), (33, place)):
                put_digit(sheet, digit, Area(field.area.x + x, field.area.y + 2, 7, 7))
        frame, _ = photograph(sheet, View(), "A5")
        reading = FormReader(fields, digits, *frame.shape, paper="A5").read(frame)
        found = [reading.numbers[place] for place in reading.fields.values()]
        assert [number.reason for number in found] == reasons


def test_a_second_sheet_is_unread(recogniser, sheet):
    halves = [photograph(one, View(960, 640, fills=0.9))[0] for one in (sheet, blank_form())]
    frame = np.hstack(halves)
    reading = FormReader(FIELDS, recogniser, *frame.shape).read(frame)
    (other,) = (one for one in reading.unread if one.reason == "another_form")
    read_left = reading.fields["one"] is not None  # one of the two is read, whichever is more certain
    assert other.box.x >= 620 if read_left else other.box.right <= 660
    assert min(other.box[2:]) > 500


def test_fields_with_faults_are_refused(recogniser):
    with pytest.raises(ConfigError, match="a form has no field; give at least one"):
        FormReader([], recogniser, 480, 640)
    with pytest.raises(ConfigError, match="field 2: region is less than"):
        FormReader([FIELDS[0], FIELDS[1]._replace(area=FIELDS[0].area)], recogniser, 480, 640)
    with pytest.raises(ConfigError, match="field 1: model is 'chinese15', which is not among the recognisers"):
        FormReader([FIELDS[0]._replace(model="chinese15")], recogniser, 480, 640)
    with pytest.raises(ConfigError, match="paper is 'a4'; give A4, A5, A6 or None"):
        FormReader(FIELDS, recogniser, 480, 640, paper="a4")
    with pytest.raises(ImageError, match="640x480"):
        FormReader(FIELDS, recogniser, 480, 640).read(np.zeros((640, 480), np.uint8))


def test_boxes_stay_inside_of_the_frame(recogniser, sheet):
    """A sheet may reach beyond the frame as long as its marks do not."""
    view = View(480, 640, fills=1.0)
    reading = FormReader(FIELDS, recogniser, 480, 640).read(photograph(sheet, view, blur=0.3)[0])
    for number in reading.numbers:
        assert min(number.box) >= 0
        assert number.box.right <= 640
        assert number.box.bottom <= 480
