"""The values of class names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL
from train_host.datasets.class_names import value_of


def test_a_numeral_of_any_script_has_its_value():
    for labels in (CHINESE, TRADITIONAL, CHEQUE, ARABIC_INDIC, LATIN):
        for character, value in labels:
            assert value_of(character) == value


def test_both_ways_to_write_zero_are_zero():
    assert value_of("零") == value_of("〇") == 0


@given(st.integers(0, 999_999), st.integers(0, 3))
def test_a_decimal_number_is_its_own_value(value, zeros):
    assert value_of("0" * zeros + str(value)) == value


@pytest.mark.parametrize("name", ["", "five", "-1", "1.5", "五五", "圓", "²", "1_000", " 5", "9" * 10])
def test_anything_else_has_none(name):
    with pytest.raises(EdgeError, match="is neither a numeral nor a number such as 05"):
        value_of(name)
