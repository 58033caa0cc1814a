"""Numbers are written as people do; the grammar reads every text as the number that it was made of."""

import cn2an
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE, LATIN, TRADITIONAL
from edge_lpdpl.number.grammar import grammar_for
from train_host.scenes.number_texts import number_text
from train_host.synthetic.dice import Dice

numbers = st.integers(0, 16).flatmap(lambda length: st.integers(0, 10**length - 1))


def texts(value, labels=CHINESE, count=200):
    """How often each text of a number is written."""
    written = [number_text(value, labels, Dice(seed)) for seed in range(count)]
    return {text: written.count(text) for text in written}


@pytest.mark.parametrize("labels", [CHINESE, TRADITIONAL, ARABIC_INDIC, LATIN], ids=lambda labels: labels[1].character)
@given(value=numbers, seed=st.integers(0, 2**32))
def test_the_grammar_reads_the_number(labels, value, seed):
    assert grammar_for(labels).value(number_text(value, labels, Dice(seed))) == value


@given(value=numbers)
def test_the_text_of_cn2an_is_among_them(value):
    chinese = texts(value, count=100)
    text = cn2an.an2cn(value)
    assert {text, text.replace("零一十", "零十")} & chinese.keys()


@pytest.mark.parametrize(
    ("value", "variants"),
    [
        (15, "十五 一十五 一五"),
        (1015, "一千零十五 一千零一十五 一零一五"),
        (107_000, "十万七千 十万零七千 一十万七千 一零七零零零"),
    ],
)
def test_every_variant_is_written_and_the_first_most_often(value, variants):
    written = texts(value)
    first, *others = variants.split()
    assert max(written, key=written.get) == first
    assert {first, *others} <= written.keys()


def test_cheques_keep_the_one_before_ten():
    written = texts(15, TRADITIONAL)
    assert max(written, key=written.get) == "壹拾伍"


def test_digits_have_one_text():
    assert texts(1050, LATIN) == {"1050": 200}
    assert texts(0) == {"零": 200}


def test_the_same_dice_write_the_same_text():
    assert [number_text(value, CHINESE, Dice(3, value)) for value in range(99)] == [
        number_text(value, CHINESE, Dice(3, value)) for value in range(99)
    ]


@pytest.mark.parametrize("value", [-1, 10**16])
def test_a_number_out_of_range_is_refused(value):
    with pytest.raises(DatasetError, match=f"the number {value} cannot be written; give 0 to 9999999999999999"):
        number_text(value, CHINESE, Dice(0))


def test_a_character_that_is_missing_is_named():
    with pytest.raises(DatasetError, match="the number 7 cannot be written: no label has the value 7"):
        number_text(7, LATIN[:5], Dice(0))
    with pytest.raises(DatasetError, match="the number 10000 cannot be written: no label has the value 10000"):
        texts(10_000, CHINESE[:13])
