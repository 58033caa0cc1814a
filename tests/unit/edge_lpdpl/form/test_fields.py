"""Fields that cannot be read are refused, each fault with the field and the key that is wrong."""

import pytest

from edge_lpdpl.form.fields import Field, find_faults, find_unreadable
from edge_lpdpl.form.sheet import Area
from edge_lpdpl.model.labels import CHINESE, LATIN
from edge_lpdpl.number.constraints import Constraints

GOOD = Field("score", Area(30, 50, 36, 12))


def faults(*fields, paper="A4", frame=None):
    return [(fault.field, fault.key) for fault in find_faults(fields, paper, frame)]


def test_fields_apart_on_the_sheet_have_no_faults():
    assert faults(GOOD, Field("age", Area(30, 64.5, 36, 12)), Field("年龄", Area(68.5, 50, 24, 12))) == []


def test_a_form_has_at_most_32_fields():
    many = [Field(f"field {number}", Area(20 * number, 0, 16, 16)) for number in range(200)]
    assert faults(*many[:32], paper=None) == []
    assert faults(*many, paper=None) == [(32, "name")]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 41, GOOD.name])
def test_a_name_is_a_short_text_of_its_own(name):
    assert faults(GOOD, Field(name, Area(30, 90, 36, 12))) == [(1, "name")]


@pytest.mark.parametrize(
    "area",
    [
        Area(190, 50, 36, 12),
        Area(-5, 90, 36, 12),
        Area(30, 290, 36, 12),
        Area(30, 90, 36, 4),
        Area(20, 12, 36, 12),
        Area(180, 270, 20, 12),
        Area(60, 55, 36, 12),
        Area(30, 63, 36, 12),
    ],
    ids=["right", "left", "below", "flat", "on the bar", "on a square", "overlapping", "too near"],
)
def test_a_region_is_on_the_paper_off_the_marks_and_apart_from_others(area):
    assert faults(GOOD, Field("other", area)) == [(1, "region")]


def test_each_fault_of_a_field_is_named():
    """What is wrong with the first of two fields does not hide that they overlap, nor a name a region."""
    assert faults(GOOD._replace(name=""), GOOD._replace(name="other")) == [(0, "name"), (1, "region")]
    beyond = Field("", Area(190, 50, 36, 12))
    assert faults(beyond, beyond) == [(0, "name"), (1, "name"), (0, "region"), (1, "region"), (1, "region")]


@pytest.mark.parametrize(
    ("area", "found"),
    [
        (Area(600, 400, 40, 80), []),
        (Area(601, 400, 40, 80), [(1, "region")]),
        (Area(100, 400, 40, 15), [(1, "region")]),
        (Area(66, 62, 40, 20), []),
        (Area(65, 61, 40, 20), [(1, "region")]),
    ],
)
def test_without_marks_regions_are_pixels_of_the_frame(area, found):
    fields = Field("score", Area(30, 42, 36, 20)), Field("other", area)
    assert faults(*fields, paper=None, frame=(480, 640)) == found


@pytest.mark.parametrize(
    ("constraints", "labels"),
    [
        (None, LATIN[:9]),
        (Constraints(maximum=10), LATIN[:9]),
        (Constraints(minimum=5, maximum=9), LATIN[:9]),
        (Constraints(minimum=100), CHINESE[:11]),
        (Constraints(length=4), CHINESE[:12]),
        (Constraints(maximum=10_000), CHINESE[:13]),
    ],
)
def test_a_model_must_know_every_character_of_the_field(constraints, labels):
    (fault,) = find_unreadable(constraints, 0, labels, "mine")
    assert fault.startswith("model is mine, which lacks a character of value")


@pytest.mark.parametrize(
    ("constraints", "labels"),
    [
        (None, LATIN),
        (Constraints(minimum=1, maximum=6), LATIN[1:7]),
        (None, CHINESE[:11]),
        (Constraints(maximum=99), CHINESE[:11]),
        (Constraints(length=5), CHINESE[:14]),
    ],
)
def test_a_model_may_know_fewer_if_no_number_needs_more(constraints, labels):
    assert list(find_unreadable(constraints, 0, labels, "mine")) == []


def test_all_that_a_model_cannot_read_is_named():
    faults = find_unreadable(Constraints(length=5, decimals=2), 4, LATIN[:9], "mine")
    assert [fault.partition(" ")[0] for fault in faults] == ["decimals", "model", "boxes"]


@pytest.mark.parametrize(
    ("constraints", "boxes", "fault"),
    [
        (Constraints(length=5), 4, "boxes is 4, too few for the length 5"),
        (Constraints(minimum=1000), 3, "boxes is 3, too few for the minimum 1000"),
        (Constraints(minimum=100, decimals=1), 3, "boxes is 3, too few for the minimum 100 with decimals = 1"),
        (Constraints(maximum=-10), 1, "boxes is 1, too few for the maximum -10"),
        (Constraints(decimals=2), 2, "boxes is 2, too few for decimals = 2"),
        (Constraints(decimals=2), 3, None),
        (Constraints(minimum=-1000, maximum=5), 1, None),
        (Constraints(minimum=1000), 0, None),
    ],
)
def test_each_digit_needs_a_box(constraints, boxes, fault):
    assert list(find_unreadable(constraints, boxes, LATIN, "mine")) == ([fault] if fault else [])


def test_numbers_below_zero_need_a_minus():
    (fault,) = find_unreadable(Constraints(maximum=-1), 0, CHINESE, "mine")
    assert fault == "maximum is -1, but numbers of mine have no minus"
