"""Characters that are no numerals: every one that can be drawn, but for those that somebody writes like a numeral."""

import numpy as np
import pytest

from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL
from train_host.samples.other_characters import LOOK_ALIKES, other_characters, strange_to
from train_host.synthetic.strokes import characters, others

SCRIPTS = {"latin": LATIN, "arabic": ARABIC_INDIC, "chinese": CHINESE, "cheque": CHEQUE, "traditional": TRADITIONAL}


@pytest.mark.parametrize("labels", SCRIPTS.values(), ids=SCRIPTS)
def test_no_numeral_of_the_script_is_among_them_and_nothing_that_looks_like_one(labels):
    own = {label.character for label in labels}
    strange = set(strange_to(labels))
    assert not strange & own
    assert not strange & set("".join(LOOK_ALIKES.get(one, "") for one in own))


@pytest.mark.parametrize(
    ("labels", "strange"), [(LATIN, "A五٣€"), (ARABIC_INDIC, "A五3"), (CHINESE, "人5٣A"), (CHEQUE, "五5")]
)
def test_letters_and_numerals_of_other_scripts_are(labels, strange):
    assert set(strange) <= set(strange_to(labels))


@pytest.mark.parametrize(("labels", "shape"), [(CHEQUE, "貳參陸萬億"), (CHINESE, "〇萬億")])
def test_another_shape_of_a_numeral_is_none(labels, shape):
    assert not set(shape) & set(strange_to(labels))


def test_every_look_alike_can_be_drawn():
    assert set("".join(LOOK_ALIKES.values())) <= {*others(), *characters()}
    assert set(LOOK_ALIKES) <= set(characters())


def test_a_seed_draws_the_same_pictures_and_another_one_others():
    first = other_characters(30, 5, LATIN)
    assert first.shape == (30, 64, 64)
    assert (first.max(axis=(1, 2)) > 50).all()
    np.testing.assert_array_equal(first, other_characters(30, 5, LATIN))
    assert (first != other_characters(30, 6, LATIN)).any(axis=(1, 2)).all()


def test_no_two_pictures_are_the_same():
    assert len(np.unique(other_characters(500, 0, LATIN), axis=0)) == 500
