"""Fields that cannot be read are refused, each fault with the field and the key that is wrong."""

import pytest

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.form.fields import Field, check_model, find_faults
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
        Area(-5, 50, 36, 12),
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
    with pytest.raises(ConfigError, match="model is mine, which lacks a character of value"):
        check_model(GOOD._replace(constraints=constraints), labels, "mine")


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
    check_model(GOOD._replace(constraints=constraints), labels, "mine")
