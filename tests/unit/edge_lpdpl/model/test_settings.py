"""Settings of profiles: all are in range, and settings from a file are accepted only if complete and in range."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.model.settings import EDGE, PAPER, PROFILES, HogSettings, Preprocessing, parse_settings

KINDS = [Preprocessing, HogSettings]
kinds = pytest.mark.parametrize("kind", KINDS)
fields = pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in kind._fields])
numbers = pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in KINDS for name, value in kind()._asdict().items() if not isinstance(value, bool)],
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(), values, max_size=3),
    max_leaves=8,
)


def changed(kind: type, **changes: object) -> dict[str, object]:
    return kind()._asdict() | changes


class TestProfiles:
    def test_have_names(self):
        assert {name: profile.name for name, profile in PROFILES.items()} == {"edge": "edge", "paper": "paper"}

    @pytest.mark.parametrize("profile", [EDGE, PAPER], ids=lambda profile: profile.name)
    def test_come_back_from_json(self, profile):
        for settings in (profile.preprocessing, profile.hog):
            values = json.loads(json.dumps(settings._asdict()))
            again = parse_settings(type(settings), values)
            assert again == settings
            assert list(map(type, again)) == list(map(type, settings)), "the compiled kernels are for these types"

    def test_paper_follows_the_paper(self):
        """32x32, plain Otsu, ink black or white, centred on its centroid, cells of 3x3 pixels, 9 unsigned bins."""
        preprocessing, hog = PAPER.preprocessing, PAPER.hog
        assert (preprocessing.side, preprocessing.low_ratio, preprocessing.ink_percentile) == (32, 1.0, 0)
        assert preprocessing.by_moments  # the paper does not say how the bounding box is placed: see the settings
        assert (hog.cell, hog.bins, hog.signed) == (3, 9, False)
        assert hog.feature_count(preprocessing.side) == 900

    def test_what_the_paper_leaves_open_is_set(self):
        preprocessing, hog = PAPER.preprocessing, PAPER.hog
        assert (hog.soft_bins, hog.soft_cells, hog.smoothing, hog.square_root, hog.contrast) == (
            True,
            True,
            0,
            False,
            1,
        )
        edge = Preprocessing()._asdict()
        assert preprocessing._asdict() == edge | {"low_ratio": 1.0, "ink_percentile": 0}


class TestParsing:
    @fields
    def test_needs_every_field(self, kind, name):
        values = kind()._asdict()
        del values[name]
        with pytest.raises(EdgeError, match=rf"missing \['{name}'\]"):
            parse_settings(kind, values)

    @kinds
    def test_takes_no_other_field(self, kind):
        with pytest.raises(EdgeError, match=r"unknown \['colour'\], missing \[\]"):
            parse_settings(kind, changed(kind, colour=1))

    @fields
    @pytest.mark.parametrize("value", [None, "1", [1], {}, math.nan, math.inf, -math.inf, 2**63 - 1])
    def test_names_the_field_whose_value_is_wrong(self, kind, name, value):
        with pytest.raises(EdgeError, match=f"^setting {name} = "):
            parse_settings(kind, changed(kind, **{name: value}))

    @numbers
    @pytest.mark.parametrize("value", [-1, 1000])
    def test_knows_a_range_for_every_number(self, kind, name, value):
        with pytest.raises(EdgeError, match=rf"^setting {name} = {value} is outside "):
            parse_settings(kind, changed(kind, **{name: value}))

    @numbers
    def test_takes_no_boolean_for_a_number(self, kind, name):
        with pytest.raises(EdgeError, match=rf"^setting {name} = True is not a (whole )?number"):
            parse_settings(kind, changed(kind, **{name: True}))

    @pytest.mark.parametrize("name", ["by_moments"])
    def test_takes_no_number_for_a_boolean(self, name):
        with pytest.raises(EdgeError, match=rf"^setting {name} = 1 is not true or false"):
            parse_settings(Preprocessing, changed(Preprocessing, **{name: 1}))

    def test_takes_no_fraction_for_a_whole_number(self):
        with pytest.raises(EdgeError, match=r"^setting cell = 4.0 is not a whole number"):
            parse_settings(HogSettings, changed(HogSettings, cell=4.0))

    def test_takes_a_whole_number_for_a_fraction(self):
        value = parse_settings(Preprocessing, changed(Preprocessing, low_ratio=1)).low_ratio
        assert value == 1
        assert type(value) is float

    @kinds
    @given(values=json_values)
    def test_refuses_anything_else(self, kind, values):
        with pytest.raises(EdgeError):
            parse_settings(kind, values)

    @kinds
    @given(data=st.data())
    def test_gives_settings_or_an_error_for_any_value_of_a_field(self, kind, data):
        name = data.draw(st.sampled_from(kind._fields))
        values = changed(kind, **{name: data.draw(json_values)})
        with contextlib.suppress(EdgeError):
            assert parse_settings(kind, values)._asdict() == values


@pytest.mark.parametrize(
    ("hog", "side", "count"),
    [
        (HogSettings(), 32, 512),
        (HogSettings(cell=3, bins=9), 32, 900),
        (HogSettings(cell=3, bins=9), 30, 900),
        (HogSettings(cell=16, bins=4), 8, 0),
    ],
)
def test_features_are_cells_times_bins(hog, side, count):
    assert hog.feature_count(side) == count
