"""Labels and their values."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL, value_of

SCRIPTS = [CHINESE, TRADITIONAL, CHEQUE, ARABIC_INDIC, LATIN]
scripts = pytest.mark.parametrize("labels", SCRIPTS, ids=["chinese", "traditional", "cheque", "arabic-indic", "latin"])


@scripts
def test_values_are_those_of_unicode(labels):
    for character, value in labels:
        assert unicodedata.numeric(character) == value


@scripts
def test_no_two_labels_are_alike(labels):
    assert len({label.character for label in labels}) == len({label.value for label in labels}) == len(labels)


def test_there_are_fifteen_chinese_numerals():
    assert len(CHINESE) == 15
    assert [label.value for label in CHINESE[-5:]] == [10, 100, 1000, 10_000, 100_000_000]
    assert "".join(label.character for label in CHINESE[-5:]) == "十百千万亿"


def test_a_numeral_of_any_script_has_its_value():
    for labels in SCRIPTS:
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
