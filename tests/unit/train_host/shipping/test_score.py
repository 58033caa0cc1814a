"""An exported model on labelled pictures, counted through the device's own code."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import DatasetError, ModelError
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE, LATIN, Label
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.datasets import Dataset, open_dataset
from train_host.shipping.fit import fit_model
from train_host.shipping.score import score_model

KEYS = ["n", "correct", "accuracy", "rejected", "accuracy_accepted", "confusion", "labels"]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A model that reads most digits right and rejects some."""
    path = tmp_path_factory.mktemp("model") / "digits.safetensors"
    fit_model(drawn_digits(), path, QUICK, name="digits")
    write_model(path, replace(read_model(path), threshold=0.99))
    return path


@pytest.fixture(scope="module")
def digits() -> Dataset:
    return open_dataset("synthetic:writers=5,samples=2,script=latin,size=48,seed=6")


@pytest.fixture(scope="module")
def found(model, digits):
    return score_model(model, digits)


@pytest.fixture(scope="module")
def dark(digits) -> Dataset:
    return replace(digits, images=255 - digits.images)


def test_tells_exactly_what_was_promised_first(found):
    assert list(found)[: len(KEYS)] == KEYS
    assert found["labels"] == list("0123456789")


def test_the_test_part_of_a_set_is_counted_apart(model, digits, found):
    is_test = np.arange(len(digits)) % 2 == 1
    counted = score_model(model, replace(digits, is_test=is_test))
    alone = score_model(model, digits.subset(is_test))
    assert found["test_part"] is None
    assert counted["test_part"] == {"n": alone["n"], "correct": alone["correct"]}
    assert counted["correct"] == found["correct"]


def test_data_of_one_class_is_counted_too(model, found, digits):
    sevens = replace(digits.subset(digits.targets == 7), labels=LATIN[7:8], targets=np.zeros(10, int))
    confusion = np.array(score_model(model, sevens)["confusion"])
    np.testing.assert_array_equal(confusion[7], found["confusion"][7])
    assert confusion.sum() == confusion[7].sum() > 0


def test_counts_what_the_recogniser_reads(model, found, digits):
    recogniser = Recogniser.load(model)
    read = [recogniser.recognise(picture) for picture in digits.images]
    true = [digits.labels[target].character for target in digits.targets]
    right = np.array([decision.label == label for decision, label in zip(read, true, strict=True)])
    rejected = np.array([decision.rejected for decision in read])
    assert 0 < rejected.sum() < 50, "or else the counts below say little"
    assert (found["n"], found["correct"], found["rejected"]) == (100, right.sum(), rejected.sum())
    assert found["accuracy"] == right.mean()
    assert found["accuracy_accepted"] == right[~rejected].mean()


def test_the_confusion_has_true_classes_in_its_rows(model, found, digits):
    confusion = np.array(found["confusion"])
    np.testing.assert_array_equal(confusion.sum(axis=1), np.bincount(digits.targets))
    assert np.trace(confusion) == found["correct"] < 100
    ((true, decided), *_) = np.argwhere(confusion - np.diag(np.diag(confusion)))
    one_class = digits.subset(digits.targets == true)
    assert score_model(model, one_class)["confusion"][true] == confusion[true].tolist()
    assert confusion[true, decided] > 0


def test_data_may_hold_fewer_classes_than_the_model(model, digits, found):
    some = digits.subset(np.isin(digits.targets, (3, 7)))
    fewer = replace(some, labels=(LATIN[3], LATIN[7]), targets=(some.targets == 7).astype(int))
    scored = score_model(model, fewer)
    assert (scored["n"], scored["labels"]) == (20, found["labels"])
    expected = np.array(found["confusion"])
    expected[[0, 1, 2, 4, 5, 6, 8, 9]] = 0
    np.testing.assert_array_equal(scored["confusion"], expected)


def test_classes_are_matched_by_value(model, digits, found):
    for others in (ARABIC_INDIC, CHINESE[:10]):
        scored = score_model(model, replace(digits, labels=others))
        assert (scored["confusion"], scored["labels"]) == (found["confusion"], found["labels"])


def test_a_class_that_the_model_does_not_know_is_named(model, digits):
    strange = replace(digits, labels=(*LATIN[:8], CHINESE[10], Label("百", 100)))
    with pytest.raises(DatasetError, match="synthetic: the model does not know 十 百; use data of its classes"):
        score_model(model, strange)


class TestInvert:
    def test_auto_finds_out(self, model, digits, dark, found):
        assert score_model(model, dark, "auto")["correct"] == found["correct"]

    def test_yes_is_dark_ink_and_no_is_light_ink(self, model, digits, dark, found):
        assert score_model(model, digits, "no") == found
        assert score_model(model, dark, "yes")["correct"] == found["correct"]

    def test_the_wrong_word_goes_wrong(self, model, digits, dark):
        assert score_model(model, digits, "yes")["accuracy"] < 0.5
        assert score_model(model, dark, "no")["accuracy"] < 0.5


def test_a_picture_in_which_nothing_is_seen_is_wrong_and_rejected(model, digits, found):
    recogniser = Recogniser.load(model)
    first = recogniser.recognise(digits.images[0])
    blanked = replace(digits, images=np.concatenate([np.zeros_like(digits.images[:1]), digits.images[1:]]))
    scored = score_model(model, blanked)
    assert scored["nothing_seen"] == 1
    assert scored["correct"] == found["correct"] - (first.value == digits.labels[digits.targets[0]].value)
    assert scored["rejected"] == found["rejected"] + (not first.rejected)
    assert np.sum(scored["confusion"]) == 99


def test_where_all_is_rejected_there_is_no_accuracy_of_the_rest(model, digits, tmp_path):
    never_sure = tmp_path / "never-sure.safetensors"
    surest = read_model(model)
    write_model(never_sure, replace(surest, threshold=1.0, confidence_values=surest.confidence_values / 2))
    scored = score_model(never_sure, digits)
    assert (scored["rejected"], scored["accuracy_accepted"]) == (100, None)
    assert scored["correct"] > 0


def test_a_file_that_is_no_model_is_named(digits):
    with pytest.raises(ModelError, match=r"test_score\.py"):
        score_model(__file__, digits)
