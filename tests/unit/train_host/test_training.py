"""Training from pictures to a classifier."""

from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from real_data import real_data
from small_sets import QUICK, QUICK_PAPER, count_correct, drawn_digits

from edge_lpdpl.errors import DatasetError, TrainingError
from edge_lpdpl.model.labels import LATIN
from edge_lpdpl.model.settings import EDGE
from train_host import training
from train_host.datasets import Dataset, open_dataset
from train_host.method.lpdpl import straight_scores
from train_host.method.refine import Refinement
from train_host.recipe import EDGE_RECIPE, CameraView, Jitter
from train_host.samples import prepare as preparing
from train_host.samples.features import extract_features
from train_host.samples.prepare import DRAWN_SAMPLES, Samples, prepare
from train_host.synthetic.options import parse_options
from train_host.training import Classifier, train

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return drawn_digits()


@pytest.fixture(scope="module")
def samples(dataset) -> Samples:
    return prepare(dataset, replace(QUICK, jitter=Jitter(copies=2)))


def bits(classifier: Classifier) -> list[bytes]:
    arrays = [*classifier.subspace[:2], *(array for pair in classifier.pairs for array in pair)]
    return [array.tobytes() for array in arrays]


class TestSamples:
    def test_features_and_copies_are_prepared_once(self, dataset, samples):
        np.testing.assert_array_equal(samples.features, extract_features(dataset.images, EDGE))
        assert samples.copies.shape == (2, *samples.features.shape)
        assert not np.array_equal(samples.copies[0], samples.features)
        assert not np.array_equal(samples.copies[0], samples.copies[1])
        assert samples.class_count == 10

    def test_drawn_numerals_come_behind_the_data_and_are_trained_on_whatever_is_chosen(self, dataset, samples):
        beside = prepare(dataset, replace(QUICK, jitter=Jitter(copies=2), drawn=2))
        drawn = 2 * DRAWN_SAMPLES * len(dataset.labels)
        np.testing.assert_array_equal(beside.drawn, np.arange(len(dataset), len(dataset) + drawn))
        np.testing.assert_array_equal(beside.features[: len(dataset)], samples.features)
        np.testing.assert_array_equal(beside.copies[:, : len(dataset)], samples.copies)
        assert np.bincount(beside.targets[beside.drawn]).tolist() == [2 * DRAWN_SAMPLES] * len(dataset.labels)
        rows, targets = beside.for_training(np.arange(5))
        assert len(rows) == len(targets) == 3 * (5 + drawn)
        np.testing.assert_array_equal(rows[5 : 5 + drawn], beside.features[beside.drawn])

    def test_drawn_numerals_share_no_writer_with_a_drawn_data_set(self, monkeypatch):
        """Else `--drawn` would train on the test pictures."""
        dataset, drawn = drawn_digits(), []
        draw = preparing.draw_dataset
        monkeypatch.setattr(preparing, "draw_dataset", lambda *of, **how: drawn.append(draw(*of, **how)) or drawn[-1])
        prepare(dataset, replace(QUICK, drawn=6))
        asked = draw(dataset.labels, name="asked for", writers=6, samples=DRAWN_SAMPLES, seed=QUICK.seed)
        tested = {picture.tobytes() for picture in asked.images}
        assert tested.isdisjoint(picture.tobytes() for picture in drawn[0].images)

    @pytest.mark.parametrize("seed", [0, 2**32 - 1])
    def test_drawn_numerals_have_a_seed_that_no_source_may_name(self, monkeypatch, seed):
        seeds = []
        draw = preparing.draw_dataset
        monkeypatch.setattr(preparing, "draw_dataset", lambda *of, **how: seeds.append(how["seed"]) or draw(*of, **how))
        prepare(drawn_digits(writers=1, samples=1), replace(QUICK, drawn=1, seed=seed))
        with pytest.raises(DatasetError, match="is not a whole number from 0 to"):
            parse_options(f"seed={seeds[0]}")

    def test_a_camera_makes_copies_of_further_copies(self, dataset, samples):
        recipe = replace(QUICK, jitter=Jitter(copies=2), camera=CameraView(copies=1))
        copies = prepare(dataset, recipe).copies
        np.testing.assert_array_equal(copies[:2], samples.copies)
        assert len(copies) == 3
        assert copies[2].any(axis=1).all()
        assert not any(np.array_equal(copies[2], other) for other in samples.copies)

    def test_without_jitter_there_are_no_copies(self, dataset):
        assert prepare(dataset, QUICK).copies.shape == (0, len(dataset), 512)

    def test_pixels_can_take_the_place_of_hog(self, dataset):
        assert prepare(dataset, replace(QUICK, features="pixels")).features.shape == (len(dataset), 32 * 32)

    def test_training_rows_are_the_chosen_pictures_and_their_copies(self, samples):
        chosen = np.array([5, 40, 7])
        rows, targets = samples.for_training(chosen)
        np.testing.assert_array_equal(rows[:3], samples.features[chosen])
        np.testing.assert_array_equal(rows[6:], samples.copies[1][chosen])
        np.testing.assert_array_equal(targets, np.tile(samples.targets[chosen], 3))

    def test_blank_pictures_are_not_trained_on(self, samples):
        features = samples.features.copy()
        features[[5, 6]] = 0
        rows, targets = samples._replace(features=features).for_training(np.arange(10))
        assert len(rows) == len(targets) == 28
        assert rows.any(axis=1).all()


class TestTrain:
    def test_classifies_what_it_was_trained_on_by_eq_12(self, samples):
        classifier = train(samples, np.arange(len(samples.targets)), QUICK)
        scores = classifier.scores(samples.features)
        np.testing.assert_array_equal(scores, straight_scores(classifier.pairs, classifier.subspace(samples.features)))
        assert np.mean(scores.argmin(axis=1) == samples.targets) > 0.95
        assert (np.diff(classifier.objective_history) <= 0).all()

    @pytest.mark.parametrize("refinement", [None, Refinement(epochs=1)], ids=["plain", "refined"])
    def test_the_same_bits_whatever_the_jobs(self, samples, refinement):
        recipe, chosen = replace(QUICK, refinement=refinement), np.arange(100)
        expected = bits(train(samples, chosen, recipe))
        with parallel_config(n_jobs=2):
            assert bits(train(samples, chosen, recipe)) == expected
        assert bits(train(samples, chosen, replace(recipe, seed=1))) != expected

    def test_only_the_chosen_pictures_matter(self, samples):
        chosen = np.arange(100)
        features, copies = samples.features.copy(), samples.copies.copy()
        features[100:], copies[:, 100:] = 1, 1
        changed = samples._replace(features=features, copies=copies)
        assert bits(train(changed, chosen, QUICK)) == bits(train(samples, chosen, QUICK))

    def test_edge_works_in_the_subspace_with_a_constant_beside(self, samples):
        classifier = train(samples, np.arange(120), QUICK)
        assert classifier.subspace.projection.shape == (512, 20)
        assert classifier.pairs[0].synthesis.shape == (21, 4)

    def test_paper_works_on_the_features(self):
        samples = prepare(drawn_digits(classes=3), QUICK_PAPER)
        classifier = train(samples, np.arange(36), QUICK_PAPER)
        np.testing.assert_array_equal(classifier.subspace(samples.features), samples.features)
        assert classifier.pairs[0].synthesis.shape == (900, 4)

    def test_atoms_and_dimensions_are_cut_to_what_there_is(self, samples):
        classifier = train(samples, np.arange(120), replace(QUICK, dimensions=5, atoms=50))
        assert classifier.pairs[0].synthesis.shape == (6, 6)
        wide = train(samples, np.arange(120), replace(QUICK, dimensions=5000, atoms=2, iterations=1))
        assert wide.subspace.projection.shape == (512, 512)

    def test_refinement_starts_where_lpdpl_ends(self, samples):
        chosen = np.arange(120)
        plain = train(samples, chosen, QUICK)
        still, refined = (
            train(samples, chosen, replace(QUICK, refinement=Refinement(epochs=2, rate=rate))) for rate in (0, 1e-3)
        )
        np.testing.assert_allclose(still.pairs[0].analysis, plain.pairs[0].analysis, rtol=1e-6, atol=1e-9)
        assert not np.allclose(refined.pairs[0].analysis, plain.pairs[0].analysis, rtol=1e-6, atol=1e-9)

    @pytest.mark.parametrize(("a_feature", "turned"), [(360 / 512, True), (361 / 512, False)])
    def test_refinement_turns_the_subspace_where_there_are_samples_enough(
        self, samples, a_feature, turned, monkeypatch
    ):
        """120 pictures, each with two copies, of 512 features."""
        monkeypatch.setattr(training, "TURNING_SAMPLES", a_feature)
        first, refined = (
            train(samples, np.arange(120), replace(QUICK, refinement=refinement)).subspace
            for refinement in (None, Refinement(epochs=2))
        )
        assert np.allclose(refined.projection, first.projection, rtol=1e-6) is not turned
        assert np.allclose(refined.offset, first.offset, rtol=1e-6) is not turned

    def test_the_whole_space_stays_the_features_as_they_are(self, samples, monkeypatch):
        monkeypatch.setattr(training, "TURNING_SAMPLES", 0)
        whole = replace(QUICK, dimensions=None, constant=0.0, refinement=Refinement(epochs=2))
        projection, offset, constant = train(samples, np.arange(120), whole).subspace
        np.testing.assert_array_equal(projection, np.eye(512))
        assert (offset.any(), constant) == (False, 0.0)


def test_edge_reads_new_writers_of_the_real_set():
    dataset = open_dataset(real_data("chinese_mnist.zip"))
    first_twenty = dataset.subset(dataset.writers <= 20)
    split = np.flatnonzero(first_twenty.writers <= 16), np.flatnonzero(first_twenty.writers > 16)
    assert len(split[1]) == 600
    assert count_correct(first_twenty, split, EDGE_RECIPE) >= 0.98 * 600


def test_class_in_which_nothing_is_seen_is_an_error_in_words():
    rows = np.zeros((12, 512), np.float32)
    rows[:8] = np.random.default_rng(0).random((8, 512))
    targets = np.array([0, 1] * 4 + [2] * 4)
    samples = Samples(rows, np.zeros((0, 12, 512), np.float32), targets, LATIN[5:8])
    with pytest.raises(TrainingError, match=r"^7 has no picture"):
        train(samples, np.arange(12), EDGE_RECIPE)
