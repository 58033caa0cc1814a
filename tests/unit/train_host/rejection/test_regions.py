"""The region of a class: a Mahalanobis distance that is fitted against non-numerals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from small_sets import QUICK, drawn_digits
from threadpoolctl import threadpool_limits

from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.compare.studies import scribbles
from train_host.recipe import NoveltySettings
from train_host.rejection.calibration import BY_DISTANCE, BY_LEAD
from train_host.rejection.regions import (
    Region,
    _rivals,
    _slopes,
    diagonal_and_factors,
    distances_from,
    gaussian_regions,
    learn_regions,
)
from train_host.shipping.fit import fit_model

pytestmark = pytest.mark.slow

SETTINGS = NoveltySettings(factors=2, epochs=40, batch=32)


@pytest.fixture(scope="module")
def clouds() -> tuple[np.ndarray, np.ndarray]:
    """Two long clouds of samples, and their classes."""
    random = np.random.default_rng(0)
    samples = random.normal(size=(400, 5)) * (4, 1, 1, 0.5, 0.5)
    targets = np.arange(400) % 2
    samples[targets == 1, 1] += 8
    return samples, targets


@pytest.fixture(scope="module")
def strangers() -> tuple[np.ndarray, np.ndarray]:
    """Samples off the clouds along the third axis, where a cloud has no more spread than elsewhere."""
    random = np.random.default_rng(1)
    samples = random.normal(size=(300, 5)) * (4, 5, 1, 0.5, 0.5)
    samples[:, 2] += random.choice([-3, 3], 300)
    return samples, (samples[:, 1] > 4).astype(int)


class TestRegion:
    def test_distance_is_a_quadratic_form_with_a_positive_definite_matrix(self):
        random = np.random.default_rng(0)
        region = Region(random.normal(size=4), random.random(4), random.normal(size=(4, 2)))
        samples = random.normal(size=(7, 4))
        precision = np.diag(region.weights) + region.factors @ region.factors.T
        away = samples - region.mean
        np.testing.assert_allclose(region.distances(samples), np.einsum("si,ij,sj->s", away, precision, away))

    def test_can_be_told_in_another_unit(self):
        random = np.random.default_rng(0)
        region = Region(random.normal(size=4), random.random(4), random.normal(size=(4, 2)))
        samples = random.normal(size=(7, 4))
        np.testing.assert_allclose(region.in_units_of(5).distances(samples), region.distances(samples) / 5)

    def test_each_sample_is_measured_by_the_class_it_is_read_as(self):
        regions = [Region(np.full(1, mean), np.ones(1), np.zeros((1, 1))) for mean in (0.0, 10.0)]
        distances = distances_from(regions, np.array([[1.0], [1.0], [8.0]]), np.array([0, 1, 1]))
        assert distances.tolist() == [1, 81, 4]


class TestStart:
    def test_enough_factors_give_the_mahalanobis_distance(self, clouds):
        samples, targets = clouds
        region = gaussian_regions(samples, targets, 5)[0]
        own = samples[targets == 0]
        # with 200 pictures a class, a third of the spread comes from both classes, which have the same
        precision = np.linalg.inv(np.cov(own.T, bias=True))
        away = own - own.mean(axis=0)
        expected = np.einsum("si,ij,sj->s", away, precision, away)
        assert np.corrcoef(region.distances(own), expected)[0, 1] > 0.99
        assert region.distances(own).mean() == pytest.approx(5, rel=0.1)

    @pytest.mark.parametrize("factors", [1, 4, 9])
    def test_a_matrix_keeps_its_diagonal(self, factors):
        square = np.random.default_rng(0).normal(size=(6, 6))
        matrix = square @ square.T + np.eye(6)
        diagonal, found = diagonal_and_factors(matrix, factors)
        assert found.shape == (6, factors)
        assert (diagonal > 0).all()
        np.testing.assert_allclose(diagonal + np.sum(found**2, axis=1), np.diag(matrix), rtol=0.02)

    def test_one_picture_a_class_is_enough_to_begin_with(self):
        regions = gaussian_regions(np.eye(3), np.arange(3), 2)
        assert all(np.isfinite(region.distances(np.eye(3))).all() for region in regions)


class TestLearning:
    def test_slopes_are_those_of_finite_differences(self):
        random = np.random.default_rng(0)
        parameters = random.normal(size=3), random.normal(size=3), random.normal(size=(3, 2)), np.array([0.4])
        samples, strange = random.normal(size=(6, 3)), np.arange(6) % 2 == 0
        costs, sharpness = random.random(6), 0.7

        def loss(middle, logarithms, factors, bound):
            away = samples - middle
            distances = away**2 @ np.exp(logarithms) + np.sum((away @ factors) ** 2, axis=1)
            odds = sharpness * (distances - 10 * bound)
            return np.mean(costs * (np.logaddexp(0, odds) - strange * odds))

        slopes = _slopes(parameters, samples, strange, costs, sharpness)
        for index, slope in enumerate(slopes):

            def moved(flat, index=index):
                changed = list(parameters)
                changed[index] = flat.reshape(parameters[index].shape)
                return loss(*changed)

            expected = approx_fprime(parameters[index].ravel(), moved, 1e-6)
            np.testing.assert_allclose(slope.ravel(), expected, rtol=1e-3, atol=1e-5)

    def test_tells_strangers_better_than_the_gaussian_it_starts_as(self, clouds, strangers):
        (samples, targets), (strange, read_as) = clouds, strangers
        learned = learn_regions(samples, targets, strange[::2], read_as[::2], SETTINGS, 0)
        accepted = []
        for regions in (gaussian_regions(samples, targets, 2), learned):
            reach = np.quantile(distances_from(regions, samples, targets), 0.98)
            accepted.append(np.mean(distances_from(regions, strange[1::2], read_as[1::2]) <= reach))
        assert accepted[1] < 0.6 * accepted[0]

    def test_the_border_is_about_1(self, clouds, strangers):
        learned = learn_regions(*clouds, *strangers, SETTINGS, 0)
        assert np.median(distances_from(learned, *clouds)) < 1 < np.median(distances_from(learned, *strangers))

    def test_a_seed_gives_the_same_bits_on_any_number_of_threads(self, clouds, strangers):
        found = []
        for threads in (1, 2):
            with threadpool_limits(limits=threads):
                found.append(learn_regions(*clouds, *strangers, SETTINGS, 3))
        for one, other in zip(*found, strict=True):
            for array, same in zip(one, other, strict=True):
                np.testing.assert_array_equal(array, same)

    def test_a_non_numeral_that_looks_like_a_numeral_does_not_shrink_the_region(self, clouds):
        samples, targets = clouds
        perfect = 0.3 * samples[:200] + 0.7 * np.array([[0.0] * 5, [0, 8, 0, 0, 0]])[targets[:200]]
        learned = learn_regions(samples, targets, perfect, targets[:200], SETTINGS, 0)
        reach = np.quantile(distances_from(learned, samples, targets), 0.98)
        assert np.mean(distances_from(learned, perfect, targets[:200]) <= reach) > 0.97

    def test_perfect_numerals_are_not_among_the_rivals(self, clouds):
        samples, targets = clouds
        own = samples[targets == 0]
        start = gaussian_regions(samples, targets, 2)[0]
        near = start.distances(own) < np.median(start.distances(own))
        for are_read in (np.ones(len(own), np.bool_), np.zeros(len(own), np.bool_)):
            rivals = _rivals(start, own, own, are_read, np.random.default_rng(0))
            expected, found = (sorted(map(tuple, rows.tolist())) for rows in (own[~near], rivals.samples))
            assert found == expected
            assert rivals.are_read.all() == are_read.all()


@pytest.fixture(scope="module")
def recogniser(tmp_path_factory) -> Recogniser:
    """A model of drawn digits with novelty."""
    path = tmp_path_factory.mktemp("novelty") / "digits.safetensors"
    recipe = replace(QUICK, dimensions=48, novelty=NoveltySettings())
    found = fit_model(drawn_digits(writers=16, samples=4), path, recipe, name="digits")
    assert found["false_rejects"] == pytest.approx(BY_DISTANCE + BY_LEAD, abs=0.003)
    assert found["strangers_accepted"] < 0.15
    assert found["characters_accepted"] is None, "there are no drawn numerals beside the digits"
    assert found["struck_accepted"] < 0.2
    return Recogniser.load(path)


class TestTrainedModel:
    def test_refuses_most_scribbles_that_its_confidence_would_take(self, recogniser):
        read = [recogniser.recognise(picture, "light") for picture in scribbles(200, seed=5)]
        sure = [one for one in read if one.confidence >= recogniser.model.threshold]
        assert len(sure) > 40, "or the test says nothing"
        assert np.mean([not one.rejected for one in sure]) < 0.2

    def test_still_reads_digits_of_writers_it_never_saw(self, recogniser):
        others = drawn_digits(writers=60)
        chosen = np.flatnonzero(others.writers > 20)[::3]
        read = [recogniser.recognise(others.images[index], "light") for index in chosen]
        right = np.array([one.value == others.targets[index] for one, index in zip(read, chosen, strict=True)])
        assert right.mean() > 0.95
        assert np.mean([one.rejected for one, is_right in zip(read, right, strict=True) if is_right]) < 0.05

    def test_holds_the_bound_within_its_self_test(self, recogniser):
        recogniser.self_test()
        assert recogniser.model.novelty.means.shape == (10, 48)
