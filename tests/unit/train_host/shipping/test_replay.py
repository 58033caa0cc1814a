"""A replay of what each writer would teach."""

from dataclasses import replace

import numpy as np
import pytest
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.numeral.hand import Hand, Sample
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.datasets import open_dataset
from train_host.recipe import NoveltySettings
from train_host.samples.non_numerals import strangers
from train_host.shipping.fit import fit_model
from train_host.shipping.replay import STRANGERS, STRANGERS_SEED, replay_teaching

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "digits.safetensors"
    fit_model(drawn_digits(2, 1), path, QUICK, name="digits")
    return path


@pytest.fixture(scope="module")
def digits():
    return open_dataset("synthetic:writers=4,samples=4,script=latin,size=48,seed=6")


def test_each_error_is_counted_before_it_is_taught(model, digits):
    found = replay_teaching(model, digits, "errors")
    errors, taught = 0, 0
    for writer in np.unique(digits.writers):
        recogniser, hand = Recogniser.load(model), Hand()
        for row in np.flatnonzero(digits.writers == writer):
            right = digits.labels[digits.targets[row]].character
            if recogniser.recognise(digits.images[row]).label != right:
                errors += 1
                hand = hand.with_sample(Sample(right, recogniser.square()))
                recogniser.wear(hand)
        taught += len(hand)
    assert (found["errors_after"], found["taught"], found["n"]) == (errors, taught, len(digits))
    assert found["errors_before"] > found["errors_after"], "a weak model learns its writers"


def test_what_is_taught_beforehand_does_not_count(model, digits):
    found = replay_teaching(model, digits, "1")
    assert (found["taught"], found["n"]) == (4 * 10, 4 * 10 * 3)
    assert found["errors_before"] > found["errors_after"]
    assert found["spoilt"] <= found["errors_after"]


def test_every_writer_has_a_hand_of_its_own(model, digits):
    whole = replay_teaching(model, digits, "2")
    parts = [replay_teaching(model, digits.written_by([(writer, writer)]), "2") for writer in np.unique(digits.writers)]
    for key in ("taught", "n", "errors_before", "errors_after", "spoilt", "rejected_after"):
        assert whole[key] == sum(part[key] for part in parts)


def test_non_numerals_are_read_with_the_hands_too(tmp_path):
    novel = replace(QUICK, novelty=NoveltySettings(most_strangers=1000, epochs=2))
    fit_model(drawn_digits(), tmp_path / "m.safetensors", novel, name="m")
    found = replay_teaching(tmp_path / "m.safetensors", drawn_digits(2), "1")
    recogniser = Recogniser.load(tmp_path / "m.safetensors")
    pictures = strangers(STRANGERS, STRANGERS_SEED, recogniser.model.labels)
    read = [recogniser.recognise(picture, "light") for picture in pictures]
    assert found["strangers_before"] == sum(one.value is not None and not one.rejected for one in read) / len(pictures)
    assert 0 < found["strangers_after"] < 1


def test_data_without_writers_is_refused(model, digits):
    with pytest.raises(DatasetError, match="does not record its writers; leave out --teach"):
        replay_teaching(model, replace(digits, writers=None), "errors")


def test_something_has_to_be_left_to_count(model, digits):
    with pytest.raises(DatasetError, match="none is left to count; teach fewer"):
        replay_teaching(model, digits.subset(digits.samples == 1), "1")
