"""The refinement: right gradients, less loss, a refined subspace, atoms in the unit ball, the same bits."""

import io
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from planted import planted
from scipy.optimize import approx_fprime
from scipy.special import log_softmax
from threadpoolctl import threadpool_limits

from train_host import LpDPL
from train_host.method.adam import Adam
from train_host.method.lpdpl import DictionaryPair, straight_scores
from train_host.method.refine import Axes, Refinement, gradients, refine
from train_host.method.subspace import Subspace, whole_space
from train_host.progress import progress_bars

SETTINGS = Refinement(epochs=20, rate=1e-2, subspace_rate=0.0, batch=32)


@pytest.fixture(scope="module")
def learned() -> list[DictionaryPair]:
    """A separable problem learned with too few atoms, so that there is something to refine."""
    return LpDPL(constant=0.0, lambda1=1e-5, atoms=2).fit(*planted(0)).pairs_


def naive_loss(pairs: list[DictionaryPair], samples: np.ndarray, wanted: np.ndarray, sharpness: float) -> float:
    """Mean cross-entropy of the softmax over eq. 12's negative scores."""
    return -float(np.mean(np.sum(wanted.T * log_softmax(-sharpness * straight_scores(pairs, samples), axis=1), axis=1)))


def smoothed(targets: np.ndarray, classes: int, share: float) -> np.ndarray:
    """(Q, N) target distributions."""
    return ((1 - share) * np.eye(classes)[targets] + share / classes).T


def accuracy(pairs: list[DictionaryPair], samples: np.ndarray, targets: np.ndarray) -> float:
    return float(np.mean(straight_scores(pairs, samples).argmin(axis=1) == targets))


class TestGradients:
    Q, N, M, B = 3, 5, 2, 4

    @pytest.fixture(params=range(3))
    def point(self, request):
        random = np.random.default_rng(request.param)
        shapes = (self.Q, self.N, self.M), (self.Q, self.M, self.N), (self.Q, self.Q, self.M)
        parameters = tuple(random.standard_normal(shape) * 0.4 for shape in shapes)
        wanted = smoothed(random.integers(0, self.Q, self.B), self.Q, 0.1)
        return parameters, random.standard_normal((self.B, self.N)), wanted

    @pytest.mark.parametrize("sharpness", [0.5, 3.0])
    def test_are_those_of_finite_differences(self, point, sharpness):
        parameters, samples, wanted = point
        slopes, _, loss = gradients(parameters, samples, wanted, sharpness)
        assert loss == pytest.approx(self.loss_at(parameters, samples, wanted, sharpness), rel=1e-9)
        for index, slope in enumerate(slopes):
            assert slope.shape == parameters[index].shape

            def loss_of(flat, index=index):
                moved = list(parameters)
                moved[index] = flat.reshape(parameters[index].shape)
                return self.loss_at(tuple(moved), samples, wanted, sharpness)

            expected = approx_fprime(parameters[index].ravel(), loss_of, 1e-6)
            np.testing.assert_allclose(slope.ravel(), expected, atol=1e-4 * np.abs(expected).max())

    def test_by_the_samples_are_those_of_finite_differences(self, point):
        parameters, samples, wanted = point

        def loss_of(flat):
            return self.loss_at(parameters, flat.reshape(samples.shape), wanted, 3.0)

        expected = approx_fprime(samples.ravel(), loss_of, 1e-6)
        found = gradients(parameters, samples, wanted, 3.0).samples
        assert found.shape == samples.shape
        np.testing.assert_allclose(found.ravel(), expected, atol=1e-4 * np.abs(expected).max())

    @staticmethod
    def loss_at(parameters, samples, wanted, sharpness) -> float:
        pairs = [DictionaryPair(*arrays) for arrays in zip(*parameters, strict=True)]
        return naive_loss(pairs, samples, wanted, sharpness)

    def test_survive_scores_far_apart(self, point):
        parameters, samples, wanted = point
        slopes = gradients(parameters, 100 * samples, wanted, 1000.0)
        assert np.isfinite(slopes.loss)
        assert all(np.isfinite(slope).all() for slope in (*slopes.parameters, slopes.samples))


def test_steps_fall_to_nothing_on_a_cosine():
    """With a constant gradient, Adam's step is its rate."""
    place, places = np.zeros(1, np.float32), [0.0]
    adam = Adam((place,), rate=0.1, steps=8)
    for _ in range(8):
        adam.step((np.ones(1, np.float32),))
        places.append(float(place[0]))
    expected = [0.05 * (1 + np.cos(np.pi * done / 8)) for done in range(1, 9)]
    np.testing.assert_allclose(-np.diff(places), expected, atol=1e-6)
    assert places[-1] == places[-2]


def test_adam_is_that_of_its_paper():
    """Algorithm 1 of Kingma and Ba, written out for one number, with the step size on a cosine."""
    slopes = [0.5, -2.0, 0.001, 3.0, -1.0]
    place = np.full(1, 0.25, np.float32)
    adam, expected, mean, square = Adam((place,), rate=0.1, steps=5), 0.25, 0.0, 0.0
    for step, slope in enumerate(slopes, start=1):
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        rate = 0.1 * (1 + np.cos(np.pi * step / 5)) / 2
        expected -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        adam.step((np.full(1, slope, np.float32),))
        assert place[0] == pytest.approx(expected, rel=1e-5)


def test_a_slope_of_nothing_moves_nothing_and_a_tiny_one_hardly_anything():
    places = np.zeros(2, np.float32)
    Adam((places,), rate=1.0, steps=9).step((np.float32([0, 1e-8]),))
    assert places[0] == 0
    assert places[1] == pytest.approx(-0.5 * (1 + np.cos(np.pi / 9)) / 2, rel=1e-3)  # as large as epsilon: half a step


class TestAxes:
    @pytest.fixture(params=[0.0, 1.0], ids=["without a constant", "with a constant"])
    def subspace(self, request) -> Subspace:
        random = np.random.default_rng(0)
        return Subspace(random.standard_normal((7, 3)), random.standard_normal(3), request.param)

    def test_enter_as_the_subspace_does(self, subspace):
        features = np.random.default_rng(1).standard_normal((5, 7)).astype(np.float32)
        np.testing.assert_allclose(Axes(subspace).enter(features), subspace(features), atol=1e-5)

    def test_slopes_are_those_of_finite_differences(self, subspace):
        """Gradients, by the subspace, of a weighted sum of the places of samples; the weights stand for any loss."""
        random = np.random.default_rng(2)
        features = random.standard_normal((5, 7))
        weights = random.standard_normal(subspace(features).shape)

        def loss_of(flat):
            moved = Subspace(flat[:21].reshape(7, 3), flat[21:], subspace.constant)
            return float(np.sum(weights * moved(features)))

        expected = approx_fprime(np.concatenate([subspace.projection.ravel(), subspace.offset]), loss_of, 1e-6)
        found = Axes(subspace).slopes(features, weights)
        np.testing.assert_allclose(np.concatenate([slope.ravel() for slope in found]), expected, atol=1e-5)

    def test_leave_the_subspace_that_they_started_from_alone(self, subspace):
        before = subspace.projection.copy()
        axes = Axes(subspace)
        axes.projection += 1
        np.testing.assert_array_equal(subspace.projection, before)
        np.testing.assert_allclose(axes.subspace.projection, before + 1, atol=1e-6)
        assert axes.subspace.constant == subspace.constant


def refined_in_place(
    pairs: list[DictionaryPair], samples: np.ndarray, targets: np.ndarray, settings: Refinement, seed: int = 0
) -> list[DictionaryPair]:
    """The dictionaries alone, with a fixed subspace."""
    return refine(whole_space(samples), pairs, samples, targets, settings, seed)[1]


class TestRefine:
    def test_lowers_the_loss(self, learned):
        samples, targets = planted(0)
        wanted = smoothed(targets, 3, SETTINGS.label_smoothing)
        losses = [
            naive_loss(pairs, samples, wanted, SETTINGS.sharpness)
            for pairs in (learned, refined_in_place(learned, samples, targets, SETTINGS))
        ]
        assert losses[1] < 0.75 * losses[0]

    def test_does_not_worsen_what_was_separable(self):
        samples, targets = planted(0)
        pairs = LpDPL(constant=0.0, lambda1=1e-5, atoms=4).fit(samples, targets).pairs_
        fresh = planted(1)
        assert accuracy(pairs, *fresh) == 1
        assert accuracy(refined_in_place(pairs, samples, targets, SETTINGS), *fresh) == 1

    def test_betters_what_was_not(self, learned):
        samples, targets = planted(0)
        fresh = planted(1)
        assert accuracy(learned, *fresh) < accuracy(refined_in_place(learned, samples, targets, SETTINGS), *fresh)

    def test_keeps_atoms_in_the_unit_ball_and_the_pairs_as_they_were_made(self, learned):
        samples, targets = planted(0)
        refined = refined_in_place(learned, samples, targets, Refinement(epochs=3, rate=0.1, batch=32))
        norms = [np.linalg.norm(pair.synthesis, axis=0).max() for pair in refined]
        assert 0.999 < max(norms) <= 1 + 1e-6
        for before, after in zip(learned, refined, strict=True):
            assert [array.shape for array in after] == [array.shape for array in before]
            assert {array.dtype for array in after} == {np.dtype(np.float64)}

    def test_leaves_atoms_inside_the_ball_as_short_as_they_are(self, learned):
        samples, targets = planted(0)
        short = [pair._replace(synthesis=pair.synthesis / 2) for pair in learned]
        same = refined_in_place(short, samples, targets, Refinement(epochs=1, rate=0.0))
        for before, after in zip(short, same, strict=True):
            np.testing.assert_allclose(after.synthesis, before.synthesis, atol=1e-6)

    def test_gives_the_same_bits_for_a_seed_whatever_the_threads(self, learned):
        samples, targets = planted(0)
        turning = replace(SETTINGS, subspace_rate=0.3)

        def bits(seed: int, threads: int) -> list[bytes]:
            with threadpool_limits(threads):
                subspace, refined = refine(whole_space(samples), learned, samples, targets, turning, seed)
            return [subspace.projection.tobytes(), *(array.tobytes() for pair in refined for array in pair)]

        assert bits(seed=1, threads=1) == bits(seed=1, threads=2)
        assert bits(seed=1, threads=1) != bits(seed=2, threads=1)

    @pytest.mark.parametrize(("count", "batch", "steps"), [(10, 4, 2), (8, 4, 2), (3, 4, 1), (9, 3, 3)])
    def test_an_epoch_takes_whole_batches_of_samples_that_differ(self, learned, monkeypatch, count, batch, steps):
        """Samples are told apart by their first number, which nothing moves: the rates are 0."""
        samples, targets = planted(0, each=4)
        samples, targets = samples[:count].astype(np.float32), targets[:count]
        seen, smoothed_targets = [], []

        def watch(parameters, rows, wanted, sharpness):
            seen.append(rows[:, 0].tolist())
            smoothed_targets.append(wanted.T)
            return gradients(parameters, rows, wanted, sharpness)

        monkeypatch.setattr("train_host.method.refine.gradients", watch)
        refined_in_place(learned, samples, targets, Refinement(epochs=2, rate=0.0, batch=batch))
        assert [len(rows) for rows in seen] == [min(batch, count)] * (2 * steps)
        for epoch in (seen[:steps], seen[steps:]):
            drawn = [first for rows in epoch for first in rows]
            assert len(set(drawn)) == len(drawn)
            assert set(drawn) <= set(samples[:, 0].tolist())
        label_of = dict(zip(samples[:, 0].tolist(), targets, strict=True))
        for rows, wanted in zip(seen, smoothed_targets, strict=True):
            expected = smoothed(np.array([label_of[first] for first in rows]), 3, 0.1).T
            np.testing.assert_allclose(wanted, expected, atol=1e-6)

    def test_the_step_size_falls_to_nothing_at_the_last_step_of_the_last_epoch(self, learned, monkeypatch):
        samples, targets = planted(0)
        seen = []

        def watch(parameters, rows, wanted, sharpness):
            seen.append(parameters[1].copy())
            return gradients(parameters, rows, wanted, sharpness)

        monkeypatch.setattr("train_host.method.refine.gradients", watch)
        settings = Refinement(epochs=3, rate=1e-2, batch=len(samples) // 4)
        refined = refined_in_place(learned, samples, targets, settings)
        assert len(seen) == 3 * 4
        np.testing.assert_array_equal([pair.analysis for pair in refined], seen[-1])
        assert not np.array_equal(seen[-1], seen[-2])

    def test_leaves_its_input_alone(self, learned):
        samples, targets = planted(0)
        before = [array.copy() for pair in learned for array in pair]
        refined_in_place(learned, samples, targets, SETTINGS)
        for old, new in zip(before, (array for pair in learned for array in pair), strict=True):
            np.testing.assert_array_equal(old, new)

    def test_takes_fewer_samples_than_a_batch(self, learned):
        samples, targets = planted(0, each=2)
        refined = refined_in_place(learned, samples, targets, Refinement(epochs=1, batch=256))
        assert not np.array_equal(refined[0].analysis, learned[0].analysis)

    def test_a_person_at_a_terminal_sees_a_bar_with_the_mean_loss_of_an_epoch(self, learned, monkeypatch):
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        samples, targets = planted(0)
        still = Refinement(epochs=3, rate=0.0, batch=len(samples) // 2)
        monkeypatch.setattr(sys, "stderr", Terminal())
        refine(whole_space(samples), learned, samples, targets, still, seed=0)
        assert sys.stderr.getvalue() == ""
        with progress_bars():
            refine(whole_space(samples), learned, samples, targets, still, seed=0)
        expected = naive_loss(learned, samples, smoothed(targets, 3, still.label_smoothing), still.sharpness)
        shown = float(re.findall(r"loss=([0-9.]+)", sys.stderr.getvalue())[-1])
        assert shown == pytest.approx(expected, rel=1e-3)


@pytest.fixture(scope="module")
def started():
    """Two classes differ in one direction; LpDPL starts in the direction of largest variance, which is another."""
    random = np.random.default_rng(3)
    targets = np.arange(200) % 2
    apart = np.where(targets, 1, -1) + 0.1 * random.standard_normal(200)
    features = np.stack([3 * random.standard_normal(200), apart], axis=1)
    largest = Subspace(np.array([[0.3], [0.0]]), np.zeros(1), 1.0)
    return largest, LpDPL(constant=0.0, lambda1=1e-5, atoms=2).fit(largest(features), targets).pairs_, features, targets


class TestTurning:
    @pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0.3, 0.7), (1.0, 0.98, 1.0)])
    def test_finds_the_direction_in_which_classes_are_apart(self, started, share, least, most):
        subspace, pairs, features, targets = started
        settings = replace(SETTINGS, subspace_rate=share, rate=3e-2)
        turned, refined = refine(subspace, pairs, features, targets, settings, seed=0)
        assert least <= accuracy(refined, turned(features), targets) <= most

    def test_a_share_of_nothing_keeps_the_subspace(self, started):
        subspace, pairs, features, targets = started
        kept, _ = refine(subspace, pairs, features, targets, SETTINGS, seed=0)
        np.testing.assert_array_equal(kept.projection, subspace.projection.astype(np.float32))
        assert kept.constant == subspace.constant
