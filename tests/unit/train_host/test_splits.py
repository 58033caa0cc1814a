"""The protocols of the paper: training part, test part, and the reported figures."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from small_sets import QUICK, count_correct, drawn_digits, listed

from edge_lpdpl.errors import DatasetError
from train_host.compare.table import evaluate
from train_host.datasets import Dataset, open_dataset
from train_host.splits import PROTOCOLS, Split, make_splits, writer_groups

pytestmark = pytest.mark.slow

SET = listed()


def splits_of(protocol: str, dataset: Dataset = SET, folds: int = 4, groups: int | None = None, seed: int = 0):
    return make_splits(dataset, protocol, folds, groups, seed)


def assert_tests_everything_once(splits: list[Split], dataset: Dataset = SET) -> None:
    np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in splits])), np.arange(len(dataset)))
    for chosen, test in splits:
        np.testing.assert_array_equal(np.sort(np.concatenate([chosen, test])), np.arange(len(dataset)))


class TestConventional:
    @given(folds=st.integers(2, 24), seed=st.integers(0, 99))
    def test_folds_test_every_picture_once_and_hold_every_class_alike(self, folds, seed):
        splits = splits_of("conventional", folds=folds, seed=seed)
        assert len(splits) == folds
        assert_tests_everything_once(splits)
        counts = np.array([np.bincount(SET.targets[test], minlength=3) for _, test in splits])
        assert (np.ptp(counts, axis=0) <= 1).all()

    def test_the_seed_draws_the_folds(self):
        (_, first), (_, same), (_, other) = (splits_of("conventional", seed=seed)[0] for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, same)
        assert not np.array_equal(first, other)

    @pytest.mark.parametrize("folds", [0, 1, 25])
    def test_too_many_or_too_few_folds_are_refused(self, folds):
        with pytest.raises(DatasetError, match=f"listed cannot be cut into {folds} folds"):
            splits_of("conventional", folds=folds)


class TestWithinSubject:
    def test_the_nth_sample_of_every_writer_is_tested(self):
        splits = splits_of("within-subject")
        assert_tests_everything_once(splits)
        for number, (chosen, test) in enumerate(splits, 1):
            assert set(SET.samples[test]) == {number}
            assert number not in SET.samples[chosen]
            assert set(SET.writers[test]) == set(SET.writers[chosen]) == set(SET.writers)

    def test_sample_numbers_are_needed_and_more_than_one(self):
        with pytest.raises(DatasetError, match="listed does not record its sample numbers"):
            splits_of("within-subject", listed(samples=None))
        with pytest.raises(DatasetError, match="nothing would be left to train on"):
            splits_of("within-subject", listed(times=1))


class TestBetweenSubject:
    def test_one_writer_at_a_time(self):
        splits = splits_of("between-subject")
        assert_tests_everything_once(splits)
        assert [set(SET.writers[test]) for _, test in splits] == [{writer} for writer in range(1, 7)]

    @given(groups=st.integers(2, 6), seed=st.integers(0, 99))
    def test_groups_never_have_a_writer_on_both_sides(self, groups, seed):
        splits = splits_of("between-subject", groups=groups, seed=seed)
        assert len(splits) == groups
        assert_tests_everything_once(splits)
        for chosen, test in splits:
            assert not set(SET.writers[chosen]) & set(SET.writers[test])
        sizes = [len(set(SET.writers[test])) for _, test in splits]
        assert max(sizes) - min(sizes) <= 1

    def test_the_seed_deals_the_groups(self):
        writers = np.arange(100).repeat(2)
        first, same, other = (writer_groups(writers, 10, seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, same)
        assert not np.array_equal(first, other)
        np.testing.assert_array_equal(first[::2], first[1::2])
        assert np.bincount(first).tolist() == [20] * 10

    def test_more_groups_than_writers_are_one_writer_each(self):
        assert len(splits_of("between-subject", groups=50)) == 6

    def test_writers_are_needed_and_more_than_one(self):
        with pytest.raises(DatasetError, match="listed does not record its writers: use conventional"):
            splits_of("between-subject", listed(writers=None))
        with pytest.raises(DatasetError, match="nothing would be left to train on"):
            splits_of("between-subject", listed(people=1))


class TestStandard:
    def test_is_the_sets_own_split(self):
        own = np.arange(72) % 5 == 0
        ((chosen, test),) = splits_of("standard", listed(is_test=own))
        np.testing.assert_array_equal(test, np.flatnonzero(own))
        np.testing.assert_array_equal(chosen, np.flatnonzero(~own))

    def test_is_needed(self):
        with pytest.raises(DatasetError, match="listed has no split of its own"):
            splits_of("standard")


@pytest.mark.parametrize(
    ("columns", "protocol", "advice"),
    [
        ({}, "standard", "conventional or within-subject or between-subject"),
        ({"writers": None}, "between-subject", "conventional or within-subject"),
        ({"writers": None, "samples": None}, "between-subject", "conventional"),
        (
            {"samples": None, "is_test": np.arange(72) % 5 == 0},
            "within-subject",
            "conventional or between-subject or standard",
        ),
        ({"samples": None, "is_test": np.zeros(72, bool)}, "within-subject", "conventional or between-subject"),
    ],
)
def test_what_is_named_instead_of_a_protocol_can_be_done(columns, protocol, advice):
    dataset = listed(**columns)
    with pytest.raises(DatasetError, match=f"^listed .*: use {advice}$"):
        splits_of(protocol, dataset)
    for other in advice.split(" or "):
        assert splits_of(other, dataset)


def test_there_is_no_other_protocol():
    with pytest.raises(DatasetError, match="no protocol 'jackknife': use one of conventional, within-subject"):
        splits_of("jackknife")


@pytest.fixture(scope="module")
def found():
    return evaluate(open_dataset("synthetic:writers=4,samples=4"), QUICK, "between-subject", groups=2)


class TestEvaluate:
    def test_tells_what_was_done_and_found_in_json(self, found):
        assert json.loads(json.dumps(found)) == found
        promised = {"accuracy", "std", "folds", "n", "protocol", "profile", "seed", "seconds"}
        assert promised <= found.keys()
        assert (found["n"], found["protocol"], found["profile"], found["seed"]) == (240, "between-subject", "edge", 0)
        assert found["seconds"] > 0

    def test_accuracy_is_over_all_test_pictures(self, found):
        assert 0.5 < found["accuracy"] < 1
        assert found["accuracy"] == pytest.approx(1 - found["errors"] / found["n"])
        assert len(found["folds"]) == 2
        assert found["accuracy"] == pytest.approx(np.mean(found["folds"]))  # folds of one size
        assert found["std"] == pytest.approx(np.std(found["folds"]))

    def test_does_not_depend_on_the_jobs(self, found):
        dataset = open_dataset("synthetic:writers=4,samples=4")
        with parallel_config(n_jobs=2):
            again = evaluate(dataset, QUICK, "between-subject", groups=2)
        assert again | {"seconds": 0} == found | {"seconds": 0}

    @pytest.mark.parametrize("protocol", PROTOCOLS)
    def test_every_protocol_reads_drawn_digits(self, protocol):
        drawn = drawn_digits(writers=3, samples=3)
        dataset = replace(drawn, is_test=drawn.writers == 3)
        found = evaluate(dataset, QUICK, protocol, folds=3)
        assert found["n"] == (30 if protocol == "standard" else 90)
        assert found["accuracy"] > 0.6

    def test_folds_of_different_size_count_by_their_pictures(self):
        drawn = drawn_digits(writers=3, samples=3)
        uneven = drawn.subset((drawn.writers < 3) | (drawn.samples == 1))
        found = evaluate(uneven, QUICK, "between-subject")
        assert found["accuracy"] == pytest.approx(np.average(found["folds"], weights=[30, 30, 10]))


def test_what_is_tested_is_not_trained_on():
    """A mislabelled test picture is read as what it shows."""
    dataset = drawn_digits()
    chosen, test = np.flatnonzero(dataset.writers < 6), np.flatnonzero(dataset.writers == 6)
    lied = dataset.targets.copy()
    lied[test] = (lied[test] + 1) % 10
    right = count_correct(dataset, (chosen, test), QUICK)
    assert right > 0.6 * len(test)
    assert count_correct(replace(dataset, targets=lied), (chosen, test), QUICK) <= len(test) - right


def test_a_test_picture_in_which_nothing_is_seen_is_wrong():
    dataset = drawn_digits()
    chosen, test = np.flatnonzero(dataset.writers < 6), np.flatnonzero(dataset.writers == 6)
    images = dataset.images.copy()
    images[test] = 0
    assert count_correct(replace(dataset, images=images), (chosen, test), QUICK) == 0
