"""Calibration: from held-out pictures only, low confidence for errors, few right decisions rejected."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_sets import QUICK, drawn_digits, listed

from edge_lpdpl.errors import TrainingError
from train_host.recipe import NoveltySettings
from train_host.rejection import calibration
from train_host.rejection.calibration import (
    Calibration,
    HeldOut,
    Novel,
    calibrate,
    expected_calibration_error,
    hold_out,
)
from train_host.rejection.examples import Examples
from train_host.rejection.rule import Decided, together
from train_host.samples.prepare import DRAWN_SAMPLES, Samples, prepare
from train_host.training import Judgement

pytestmark = pytest.mark.slow

KNOWING = replace(QUICK, novelty=NoveltySettings(factors=1))


def decided(margins, correct) -> HeldOut:
    nothing = np.zeros(len(margins))
    pictures = Decided(np.asarray(margins, float), nothing, nothing, np.asarray(correct, bool))
    return HeldOut(pictures, [1.0], 1.0, "made up")


def decisions(count: int, seed: int = 0, slope: float = 6.0) -> HeldOut:
    """Held-out decisions that are right with a probability that is a logistic function of their margin."""
    random = np.random.default_rng(seed)
    margins = random.gamma(2.0, 0.5, count)
    return decided(margins, random.random(count) < 1 / (1 + np.exp(-slope * margins)))


@pytest.fixture(scope="module")
def many() -> tuple[HeldOut, Calibration]:
    held_out = decisions(20_000)
    return held_out, calibrate(held_out)


class TestError:
    def test_is_small_where_confidence_is_the_share_of_right_decisions(self):
        random = np.random.default_rng(0)
        confidences = random.uniform(0.5, 1, 20_000)
        assert expected_calibration_error(confidences, random.random(20_000) < confidences) < 0.015

    def test_is_the_gap_where_confidence_is_too_great(self):
        random = np.random.default_rng(0)
        confidences = random.uniform(0.9, 1, 20_000)
        assert expected_calibration_error(confidences, random.random(20_000) < 0.6) == pytest.approx(0.35, abs=0.01)

    def test_is_the_gap_where_confidence_is_too_small(self):
        assert expected_calibration_error(np.full(50, 0.7), np.ones(50, bool)) == pytest.approx(0.3)


class TestCurve:
    @given(st.integers(2, 300), st.integers(0, 999), st.floats(0.1, 20))
    @settings(max_examples=20)
    def test_is_a_table_that_a_model_file_takes(self, count, seed, slope):
        held_out = decisions(count, seed, slope)
        assume(held_out.pictures.correct.sum() >= 2)
        found = calibrate(held_out)
        assert found.margins.dtype == found.values.dtype == np.float32
        assert found.margins[0] == 0
        assert (np.diff(found.margins) > 0).all()
        assert (np.diff(found.values) >= 0).all()
        assert 0 <= found.values[0] <= found.values[-1] <= 1
        assert 0 <= found.threshold <= 1
        assert 0 <= found.report["expected_calibration_error"] <= 1

    def test_recovers_the_probability_of_being_right(self, many):
        _, found = many
        margins = np.linspace(0, 1.5, 50)
        np.testing.assert_allclose(found.confidence(margins), 1 / (1 + np.exp(-6 * margins)), atol=0.04)
        assert found.report["expected_calibration_error"] < 0.01

    def test_does_not_depend_on_the_scale_of_the_scores(self):
        held_out = decisions(2000)
        found, scaled = (
            calibrate(held_out),
            calibrate(decided(1e-3 * held_out.pictures.margins, held_out.pictures.correct)),
        )
        np.testing.assert_allclose(scaled.values, found.values, atol=1e-5)
        np.testing.assert_allclose(scaled.margins, 1e-3 * found.margins, rtol=1e-5)

    def test_never_falls_even_where_sure_decisions_are_wrong(self):
        margins = np.linspace(0.1, 1, 100)
        found = calibrate(decided(margins, margins < 0.6))
        assert (np.diff(found.values) >= 0).all()

    def test_is_never_certain_even_without_an_error(self):
        found = calibrate(decided(np.linspace(0.5, 1, 200), np.ones(200)))
        assert found.values[0] < 0.6
        assert 0.95 < found.values[-1] < 1
        assert found.report["errors_rejected"] == 1


class TestThreshold:
    def test_rejects_about_one_in_a_hundred_right_decisions(self, many):
        held_out, found = many
        rejected = found.confidence(held_out.pictures.margins) < found.threshold
        assert found.false_rejects == np.mean(rejected[held_out.pictures.correct])
        assert found.false_rejects == pytest.approx(0.01, abs=0.001)

    def test_rejects_errors_far_more_often(self, many):
        assert many[1].report["errors_rejected"] > 0.05


def test_the_report_tells_what_was_measured():
    report = calibrate(decisions(500)).report
    assert (report["held_out"], report["protocol"], report["bins"]) == (500, "made up", 15)


@pytest.mark.parametrize("correct", [[], [False], [True], [False] * 20, [True] + [False] * 19])
def test_too_few_right_decisions_are_refused_in_words(correct):
    with pytest.raises(TrainingError, match=f"{sum(correct)} of {len(correct)} held-out pictures were read right"):
        calibrate(decided(np.linspace(0.1, 1, len(correct)), correct))


def test_a_half_without_a_right_decision_is_no_matter():
    found = calibrate(decided(np.linspace(0.1, 1, 20), [True, False] * 10))
    assert found.report["expected_calibration_error"] > 0.3


class Stub:
    """Stands for a classifier and remembers the pictures of training and testing, which features identify."""

    calls: list[tuple[set[int], set[int]]]

    def __init__(self, chosen):
        self.chosen = set(chosen.tolist())

    def subspace(self, features):
        return features

    def judge(self, features):
        Stub.calls.append((self.chosen, set((features[:, 0] - 1).astype(int).tolist())))
        return Judgement(np.tile([0.0, 1.0, 3.0], (len(features), 1)), np.zeros((len(features), 0)))


class TestHoldOut:
    @pytest.fixture
    def stubbed(self, monkeypatch):
        """`hold_out` on the listed set, with the trainings and tests it asked for."""
        Stub.calls = []
        monkeypatch.setattr(calibration, "train", lambda samples, chosen, recipe, beside=None: Stub(chosen))

        def run(dataset, chosen, blank=()):
            features = np.arange(1.0, len(dataset) + 1, dtype=np.float32)[:, None]
            features[list(blank)] = 0
            samples = Samples(features, np.zeros((0, *features.shape), np.float32), dataset.targets, dataset.labels)
            return hold_out(dataset, samples, np.asarray(chosen), QUICK), Stub.calls

        return run

    @pytest.mark.parametrize("writers_known", [True, False])
    def test_test_parts_and_training_parts_are_disjoint(self, stubbed, writers_known):
        dataset = listed() if writers_known else listed(writers=None)
        chosen = np.arange(0, 72, 2)
        _, calls = stubbed(dataset, chosen)
        assert len(calls) == 5
        for trained, tested in calls:
            assert not trained & tested
            assert trained | tested == set(chosen)
            if writers_known:
                assert not set(dataset.writers[list(trained)]) & set(dataset.writers[list(tested)])
        assert sorted(picture for _, tested in calls for picture in tested) == chosen.tolist()

    def test_margins_are_runner_up_less_best_and_right_is_the_best(self, stubbed):
        held_out, _ = stubbed(listed(), np.arange(72))
        assert held_out.pictures.margins.tolist() == [1] * 72
        assert held_out.pictures.correct.sum() == 24, "the stub says class 0 to everything"
        assert held_out.accuracy == pytest.approx(1 / 3)
        assert held_out.protocol == "5 folds of the training data, writers out"

    def test_few_writers_are_not_left_out(self, stubbed):
        held_out, _ = stubbed(listed(people=4), np.arange(48))
        assert held_out.protocol == "5 folds of the training data, pictures out"

    def test_a_picture_in_which_nothing_is_seen_is_wrong_but_has_no_margin(self, stubbed):
        held_out, _ = stubbed(listed(), np.arange(72), blank=[0, 3])
        assert len(held_out.pictures.margins) == 70
        assert held_out.accuracy == pytest.approx(22 / 72)

    def test_one_picture_a_class_cannot_be_held_out(self, stubbed):
        with pytest.raises(TrainingError, match=r"has one picture of .; give two or more"):
            stubbed(listed(people=1, times=1), np.arange(3))

    def test_drawn_digits_are_calibrated_on_new_writers(self):
        dataset = drawn_digits()
        samples = prepare(dataset, QUICK)
        chosen = np.flatnonzero(dataset.samples == 1)
        held_out = hold_out(dataset, samples, chosen, QUICK)
        assert len(held_out.pictures.margins) == len(chosen)
        assert (held_out.pictures.margins >= 0).all()
        assert held_out.accuracy == pytest.approx(held_out.pictures.correct.mean())
        assert (
            held_out.pictures.margins[held_out.pictures.correct].mean()
            > held_out.pictures.margins[~held_out.pictures.correct].mean()
        )
        other_seed = hold_out(dataset, samples, chosen, replace(QUICK, seed=1))
        assert not np.array_equal(other_seed.pictures.margins, held_out.pictures.margins)


class TestStrangers:
    """Kinds alternate with period ten: five folds must not hold out a whole kind."""

    def test_some_of_every_kind_are_held_out_and_some_are_learned_from(self, monkeypatch):
        learned = []
        monkeypatch.setattr(calibration, "train", lambda samples, chosen, recipe, beside: Stub(chosen))
        monkeypatch.setattr(
            calibration, "fit_regions", lambda classifier, samples, known, *more: learned.append(known.rows[:, 0])
        )
        Stub.calls = []
        dataset, strange = listed(), np.arange(1000, 2000, dtype=np.float32)[:, None]
        features = np.ones((len(dataset), 1), np.float32)
        samples = Samples(features, np.zeros((0, *features.shape), np.float32), dataset.targets, dataset.labels)
        examples = Examples({"strangers": strange}, features, None)
        held_out = hold_out(dataset, samples, np.arange(len(dataset)), KNOWING, examples)
        assert len(held_out.novel.others["strangers"].margins) == len(strange)
        for rows in learned:
            known = rows[rows >= 1000]
            unseen = np.setdiff1d(strange[:, 0], known)
            assert len(unseen) == 200
            assert set(known % 10) == set(unseen % 10) == set(range(10))


class TestNothingIsDecidedOnThatWasLearnedFrom:
    """Folds of data, drawn numerals and non-numerals, which their only feature identifies."""

    OF_A_WRITER = 3 * DRAWN_SAMPLES
    DATA, DRAWN, STRANGE = np.arange(1, 73), np.arange(101, 101 + 7 * OF_A_WRITER), np.arange(1001, 1101)
    STRUCK = np.concatenate([DATA, DRAWN]) + 2000

    @pytest.fixture
    def folds(self, monkeypatch):
        """The pictures of training and of testing, for each fold."""
        folds = []

        class Fold(Stub):
            def judge(self, features):
                folds[-1][1].update(features[:, 0].astype(int).tolist())
                return Judgement(np.tile([0.0, 1.0, 3.0], (len(features), 1)), np.zeros((len(features), 0)))

        def learned(samples, chosen, known):
            pictures = samples.features[[*chosen, *samples.drawn], 0]
            return set(np.concatenate([pictures, known.rows[:, 0]]).astype(int).tolist())

        def train(samples, chosen, recipe, beside):
            folds.append((learned(samples, chosen, beside), set()))
            return Fold(chosen)

        def fit_regions(classifier, samples, known, chosen, recipe):
            folds[-1][0].update(learned(samples, chosen, known))

        monkeypatch.setattr(calibration, "train", train)
        monkeypatch.setattr(calibration, "fit_regions", fit_regions)
        features = np.concatenate([self.DATA, self.DRAWN]).astype(np.float32)[:, None]
        dataset = listed()
        targets = np.concatenate([dataset.targets, np.arange(len(self.DRAWN)) % 3])
        drawn = np.arange(len(self.DATA), len(features))
        copies = np.zeros((0, *features.shape), np.float32)
        samples = Samples(features, copies, targets, dataset.labels, drawn=drawn)
        strange, struck = (one.astype(np.float32)[:, None] for one in (self.STRANGE, self.STRUCK))
        examples = Examples({"strangers": strange}, struck, None)
        hold_out(dataset, samples, np.arange(len(dataset)), KNOWING, examples=examples)
        return folds

    def test_no_fold_decides_on_what_it_learned_from(self, folds):
        assert len(folds) == 5
        for learned, decided_on in folds:
            assert not learned & decided_on

    def test_no_fold_decides_on_a_drawn_writer_that_it_learned_from(self, folds):
        for learned, decided_on in folds:
            known, new = (
                {(one - 101) // self.OF_A_WRITER for one in kind & {*self.DRAWN}} for kind in (learned, decided_on)
            )
            assert known | new == set(range(7))
            assert not known & new

    @pytest.mark.parametrize("kind", ["DATA", "DRAWN", "STRANGE", "STRUCK"])
    def test_each_fold_learns_from_some_of_a_kind_and_every_one_is_decided_on_once(self, folds, kind):
        every = set(getattr(self, kind).tolist())
        assert all(learned & every for learned, _ in folds)
        assert sorted(one for _, decided_on in folds for one in decided_on & every) == sorted(every)

    def test_what_is_not_decided_on_is_learned_from(self, folds):
        for learned, decided_on in folds:
            kinds = self.DATA, self.DRAWN, self.STRANGE, self.STRUCK
            assert learned | decided_on == set(np.concatenate(kinds).tolist())


class TestDrawnNumerals:
    """Drawn numerals are held out like the data, but accuracy counts the data alone."""

    def test_are_held_out_once_each_and_do_not_count_as_data(self):
        dataset = drawn_digits(writers=6, samples=2, classes=3)
        recipe = replace(QUICK, drawn=5)
        samples = prepare(dataset, recipe)
        held_out = hold_out(dataset, samples, np.arange(len(dataset)), recipe)
        assert len(held_out.pictures.margins) == len(samples.features) == len(dataset) + len(samples.drawn)
        features = samples.features.copy()
        features[samples.drawn] = 0  # blank pictures: neither trained on nor tested
        without = hold_out(dataset, samples._replace(features=features), np.arange(len(dataset)), recipe)
        plain = hold_out(dataset, prepare(dataset, QUICK), np.arange(len(dataset)), QUICK)
        np.testing.assert_array_equal(without.pictures.margins, plain.pictures.margins)
        assert without.accuracy == plain.accuracy


class TestRule:
    """The allowed distance of a numeral from its class."""

    near = np.linspace(0, 1, 20_000)

    def held_out(self) -> HeldOut:
        """Decisions with distances, and no non-numerals."""
        found = decisions(20_000)
        pictures, none = found.pictures._replace(distances=self.near), decided([], []).pictures
        return found._replace(pictures=pictures, novel=Novel(pictures, {"strangers": none}))

    def test_takes_the_place_of_the_threshold(self):
        found = calibrate(self.held_out())
        assert found.threshold == 0
        assert found.rule.full == found.margins[-1]
        assert found.false_rejects == pytest.approx(calibration.BY_DISTANCE, abs=0.0005)

    def test_is_wider_where_a_camera_sees_numerals_farther_away(self):
        held_out = self.held_out()
        pictures = held_out.pictures
        views = together([pictures, pictures._replace(distances=2 * self.near)])
        plain, camera = calibrate(held_out), calibrate(held_out._replace(novel=held_out.novel._replace(views=views)))
        assert camera.rule.reach > 1.5 * plain.rule.reach
        assert camera.false_rejects < plain.false_rejects
