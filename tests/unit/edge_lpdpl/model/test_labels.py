"""Labels and their values."""

import unicodedata

import pytest

from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL

SCRIPTS = [CHINESE, TRADITIONAL, CHEQUE, ARABIC_INDIC, LATIN]
scripts = pytest.mark.parametrize("labels", SCRIPTS, ids=["chinese", "traditional", "cheque", "arabic-indic", "latin"])


@scripts
def test_values_are_those_of_unicode(labels):
    for character, value in labels:
        assert unicodedata.numeric(character) == value


@scripts
def test_no_two_labels_are_alike(labels):
    assert len({label.character for label in labels}) == len({label.value for label in labels}) == len(labels)


@pytest.mark.parametrize("labels", [ARABIC_INDIC, LATIN], ids=["arabic-indic", "latin"])
def test_there_are_ten_digits(labels):
    assert [label.value for label in labels] == list(range(10))


def test_there_are_fifteen_chinese_numerals():
    assert len(CHINESE) == 15
    assert [label.value for label in CHINESE[-5:]] == [10, 100, 1000, 10_000, 100_000_000]
    assert "".join(label.character for label in CHINESE[-5:]) == "十百千万亿"
