"""From a data set to a model file: checked before it is written, and what is read back decides as eq. 12 does."""

from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from small_sets import QUICK, QUICK_PAPER, drawn_digits

from edge_lpdpl.errors import BackendError, ModelError, TrainingError
from edge_lpdpl.jit.memory import fit_float16, round_to_float16
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.labels import CHINESE, Label
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.plain import histogram as numpy_histogram
from edge_lpdpl.numeral.plain import ink as numpy_ink
from edge_lpdpl.numeral.plain import square as numpy_square
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.datasets import Dataset, open_dataset
from train_host.method.folding import FoldedForm, fold
from train_host.method.lpdpl import DictionaryPair, straight_scores
from train_host.recipe import EDGE_RECIPE
from train_host.rejection.calibration import HeldOut, calibrate
from train_host.rejection.rule import Decided
from train_host.samples.features import extract_features
from train_host.samples.prepare import prepare
from train_host.shipping import export as exporting
from train_host.shipping.export import (
    check_decisions,
    device_scores,
    export,
    model_name,
    self_test_pictures,
    with_self_test,
)
from train_host.shipping.fit import fit_model
from train_host.training import train

pytestmark = pytest.mark.slow

KIB = 1024

OTHER_PREPROCESSING = {
    "low_ratio": 0.5,
    "ink_percentile": 75,
    "by_moments": False,
    "moment_width": 4.4,
    "aspect_power": 0.6,
    "margin": 2,
    "least_contrast": 200.0,
    "paper_window": 0.0,
    "speck_share": 0.1,
    "most_growth": 0.1,
    "most_ink": 0.1,
    "pixel_spread": 0.2,
    "photograph_level": 255,
}
OTHER_HOG = {
    "signed": False,
    "soft_bins": False,
    "soft_cells": False,
    "smoothing": 2,
    "square_root": False,
    "contrast": 1,
}

ONLY_COMPILED = {"signed", "soft_bins", "soft_cells", "contrast"}
"""Settings whose other values the numpy backend refuses, because it has the histogram of the profile edge alone."""


def read_by_device(path, images) -> list[str | None]:
    recogniser = Recogniser.load(path)
    return [recogniser.recognise(picture).label for picture in images]


def weights(model: Model) -> list[bytes]:
    """Everything that decides, without the metadata."""
    arrays = [array for name, array in model.tensors().items() if not name.startswith("selftest")]
    return [array.tobytes() for array in arrays] + [np.float64(model.threshold).tobytes()]


class TestEdgeModel:
    """What `lpdpl-train fit --with-dictionaries` writes for all 15 classes, settings as shipped."""

    def test_says_what_was_trained_on_and_found(self, dataset, found, model):
        assert model.labels == CHINESE
        assert (model.name, model.profile) == ("six-writers", "edge")
        assert model.training["data"] == dataset.name
        assert model.training["digest"] == dataset.digest
        assert (model.training["images"], model.training["seed"]) == (360, 0)
        assert model.training["settings"] == EDGE_RECIPE.to_json()
        assert model.accuracy["value"] == found["held_out_accuracy"]
        assert model.accuracy["protocol"] == found["held_out_protocol"] == "5 folds of the training data, writers out"
        assert model.accuracy["std"] >= 0
        assert model.calibration["held_out"] <= 360
        assert model.calibration["expected_calibration_error"] == found["expected_calibration_error"] < 0.05
        assert (model.digest, model.weight_bytes) == (found["digest"], found["weight_bytes"])

    def test_reads_new_writers_of_its_training_part(self, found):
        assert found["held_out_accuracy"] > 0.95

    def test_decides_as_eq_12(self, found):
        assert found["agreement_float64"] == 1
        assert found["agreement_device"] >= 0.9995

    def test_is_small_enough_for_the_cache_of_a_pi(self, model, path, tmp_path):
        folded_only = tmp_path / "folded.safetensors"
        write_model(folded_only, replace(model, dictionaries=None))
        assert folded_only.stat().st_size <= 512 * KIB
        assert model.weight_bytes <= 384 * KIB
        assert path.stat().st_size - folded_only.stat().st_size >= sum(array.nbytes for array in model.dictionaries)

    @pytest.mark.parametrize("backend", ["numba", "numpy"])
    def test_passes_its_self_test_with_either_backend(self, model, path, backend):
        assert len(model.selftest_pictures) == len(CHINESE)
        Recogniser.load(path, backend).self_test()

    def test_its_dictionaries_decide_as_the_device_does(self, dataset, model, path):
        pairs = [
            DictionaryPair(*(array.astype(np.float64) for array in arrays))
            for arrays in zip(*model.dictionaries, strict=True)
        ]
        features = extract_features(dataset.images, EDGE_RECIPE.profile).astype(np.float64)
        inside = features @ model.projection.astype(np.float64) + model.projection_offset
        decisions = straight_scores(pairs, np.c_[inside, np.full(len(inside), model.constant)]).argmin(axis=1)
        read = read_by_device(path, dataset.images)
        assert [CHINESE[decision].character for decision in decisions] == read
        assert np.mean(decisions == dataset.targets) > 0.99

    def test_rejects_few_of_the_decisions_that_are_right(self, found):
        assert found["false_rejects"] < 0.008, "of pictures as they are, fewer than of a camera's"

    def test_objective_fell(self, found):
        assert (np.diff(found["objective"]) < 0).all()


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return open_dataset("synthetic:writers=6,samples=4")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("model") / "six.safetensors"


@pytest.fixture(scope="module")
def found(dataset, path):
    return fit_model(dataset, path, EDGE_RECIPE, name="six-writers", with_dictionaries=True)


@pytest.fixture(scope="module")
def model(found, path) -> Model:
    return read_model(path)


class TestFit:
    def test_paper_profile_has_no_projection_and_decides_too(self, tmp_path):
        digits, path = drawn_digits(classes=4), tmp_path / "paper.safetensors"
        found = fit_model(digits, path, QUICK_PAPER, name="paper")
        model = read_model(path)
        assert (model.profile, model.projection, model.dictionaries) == ("paper", None, None)
        assert (model.dimensions, model.rank, model.constant) == (900, 8, 0)
        assert found["agreement_device"] >= 0.9995
        Recogniser(model).self_test()
        read = read_by_device(path, digits.images)
        right = [label == digits.labels[target].character for label, target in zip(read, digits.targets, strict=True)]
        assert np.mean(right) > 0.8

    def test_the_jobs_do_not_matter_and_the_seed_does(self, tmp_path):
        def digest(jobs: int, seed: int) -> str:
            recipe, digits = replace(QUICK, seed=seed), drawn_digits(classes=4)
            with parallel_config(n_jobs=jobs):
                return fit_model(digits, tmp_path / "it.safetensors", recipe, name="it")["digest"]

        assert digest(jobs=1, seed=1) == digest(jobs=2, seed=1) != digest(jobs=1, seed=2)

    def test_the_sets_own_test_part_is_not_trained_on(self, tmp_path):
        digits, path = drawn_digits(classes=5), tmp_path / "it.safetensors"
        kept_back = digits.writers == 6

        def fitted(targets, **options) -> Model:
            split = replace(digits, is_test=kept_back, targets=targets)
            fit_model(split, path, QUICK, name="it", **options)
            return read_model(path)

        shuffled = np.where(kept_back, digits.targets[::-1], digits.targets)
        honest, lied_to, all_in = fitted(digits.targets), fitted(shuffled), fitted(digits.targets, everything=True)
        assert honest.training["images"] == 50
        assert weights(honest) == weights(lied_to)
        assert all_in.training["images"] == 60
        assert weights(all_in) != weights(honest)

    def test_nothing_is_written_where_the_folded_form_is_wrong(self, tmp_path, monkeypatch):
        monkeypatch.setattr(exporting, "fold", lambda pairs: tampered(fold(pairs)))
        with pytest.raises(TrainingError, match="not exported"):
            fit_model(drawn_digits(), tmp_path / "it.safetensors", QUICK, name="it")
        assert list(tmp_path.iterdir()) == []

    def test_a_file_that_cannot_be_written_is_named(self, tmp_path):
        nowhere = tmp_path / "none" / "it.safetensors"
        with pytest.raises(ModelError, match=str(nowhere)):
            fit_model(drawn_digits(), nowhere, QUICK, name="it")


def tampered(folded: FoldedForm) -> FoldedForm:
    """The folded form of one class is slightly wrong."""
    linears = folded.linears.copy()
    linears[0, 3] += 1
    return folded._replace(linears=linears)


@pytest.fixture(scope="module")
def trained():
    return make_trained()


def make_trained():
    dataset = drawn_digits()
    samples, everything = prepare(dataset, QUICK), np.arange(len(dataset))
    pictures = Decided(np.linspace(0.01, 1, 50), np.zeros(50), np.zeros(50), np.arange(50) > 2)
    held_out = HeldOut(pictures, [0.9, 1.0], 0.94, "made up")
    classifier = train(samples, everything, QUICK)
    model, agreements = export(
        classifier, samples, dataset, len(dataset), QUICK, calibrate(held_out), held_out, name="it"
    )
    return model, agreements, classifier, samples.features


class TestCheck:
    """The decision on every picture is compared before a model is written."""

    def test_a_right_form_passes(self, trained):
        model, agreements, classifier, features = trained
        assert agreements == check_decisions(model, classifier, fold(classifier.pairs), features)
        assert agreements["float64"] == 1

    def test_a_form_that_decides_otherwise_in_float64_fails(self, trained):
        model, _, classifier, features = trained
        with pytest.raises(TrainingError, match=r"in float64 and 100\.0000% in float32: not exported"):
            check_decisions(model, classifier, tampered(fold(classifier.pairs)), features)

    def test_arrays_that_decide_otherwise_on_the_device_fail(self, trained):
        model, _, classifier, features = trained
        wrong = replace(model, linears=tampered(fold(classifier.pairs)).linears.astype(np.float32))
        with pytest.raises(TrainingError, match=r"100\.0000% of the pictures in float64 .* not exported"):
            check_decisions(wrong, classifier, fold(classifier.pairs), features)

    @pytest.mark.parametrize(("rounded", "atol"), [(False, 1e-4), (True, 2e-3)], ids=["floats", "halves"])
    def test_device_scores_are_eq_12_less_the_squared_length(self, trained, rounded, atol, monkeypatch):
        model, _, classifier, features = trained
        if not rounded:
            monkeypatch.setattr(exporting, "round_to_float16", lambda numbers: numbers)
            model, _, _, _ = make_trained()
        inside = classifier.subspace(features)
        expected = classifier.scores(features) - np.sum(inside**2, axis=1, keepdims=True)
        np.testing.assert_allclose(device_scores(model, features), expected, atol=atol)

    def test_its_weights_are_halves(self, trained):
        model, _, _, _ = trained
        assert fit_float16(model.projection, model.vectors)

    def test_unless_halves_decide_otherwise(self, trained, monkeypatch):
        """Weights are rounded to whole numbers here, so that decisions change."""
        model, _, _, _ = trained
        monkeypatch.setattr(exporting, "round_to_float16", np.round)
        exact, agreements, _, _ = make_trained()
        assert agreements["device"] == 1
        assert not fit_float16(exact.projection, exact.vectors)
        np.testing.assert_array_equal(round_to_float16(exact.vectors), model.vectors)

    def test_the_self_test_is_exact_and_of_several_pictures(self, trained):
        model, _, _, _ = trained
        features = extract_features(model.selftest_pictures, QUICK.profile)
        np.testing.assert_array_equal(device_scores(model, features), model.selftest_scores)
        np.testing.assert_array_equal(model.selftest_pictures, self_test_pictures(model.labels))
        assert len(set(model.selftest_scores.argmin(axis=1))) > 1


class TestSelfTestPictures:
    """A change in any step of a decision fails the self-test."""

    def test_are_a_few_kilobytes(self):
        assert self_test_pictures(CHINESE).nbytes == 15 * KIB
        many = [Label(str(value), value) for value in range(64)]
        assert self_test_pictures(many).shape == (32, 32, 32)

    def test_are_light_and_dark_by_turns(self):
        middles = np.median(self_test_pictures(CHINESE), axis=(1, 2))
        assert (middles[::2] < 40).all()
        assert (middles[1::2] > 100).all()

    def test_a_model_that_sees_none_of_them_is_not_exported(self, trained):
        model, _, _, _ = trained
        blind = replace(model, preprocessing=model.preprocessing._replace(least_contrast=255.0))
        with pytest.raises(TrainingError, match="finds no ink in any picture of its self-test"):
            with_self_test(blind)

    @pytest.mark.parametrize("backend", ["numba", "numpy"])
    @pytest.mark.parametrize(
        "change",
        [
            *({"preprocessing": {name: value}} for name, value in OTHER_PREPROCESSING.items()),
            *({"hog": {name: value}} for name, value in OTHER_HOG.items()),
        ],
        ids=lambda change: "-".join(next(iter(change.values()))),
    )
    def test_fail_with_any_other_setting(self, trained, backend, change):
        model, _, _, _ = trained
        ((kind, changes),) = change.items()
        other = replace(model, **{kind: getattr(model, kind)._replace(**changes)})
        refused = backend == "numpy" and not changes.keys().isdisjoint(ONLY_COMPILED)
        complaint = "the numpy backend reads" if refused else "fails on this machine"
        with pytest.raises(BackendError if refused else ModelError, match=complaint):
            Recogniser(other, backend).self_test()

    @pytest.mark.parametrize("backend", ["numba", "numpy"])
    @pytest.mark.parametrize("name", ["projection", "projection_offset", "vectors", "squares", "linears"])
    def test_fail_with_other_weights(self, trained, backend, name):
        model, _, _, _ = trained
        array = getattr(model, name).copy()
        place = np.unravel_index(np.abs(array).argmax(), array.shape)
        array[place] *= np.float32(1.5)
        with pytest.raises(ModelError, match="fails on this machine"):
            Recogniser(replace(model, **{name: array}), backend).self_test()

    def test_fail_with_another_threshold(self, trained, monkeypatch):
        """As a bug in Otsu's threshold would be."""
        model, _, _, _ = trained
        right = numpy_ink.otsu

        def raised(counts):
            split = right(counts)
            return split._replace(threshold=min(split.threshold + 60, 254))

        Recogniser(model, "numpy").self_test()
        monkeypatch.setattr(numpy_ink, "otsu", raised)
        with pytest.raises(ModelError, match="fails on this machine"):
            Recogniser(model, "numpy").self_test()

    @pytest.mark.parametrize(
        ("module", "name", "factor"),
        [(numpy_square, "moments", 1.01), (numpy_histogram, "AXIS", 1.01), (numpy_histogram, "DIAGONAL", 1.01)],
    )
    def test_fail_with_another_square_or_histogram(self, trained, monkeypatch, module, name, factor):
        model, _, _, _ = trained
        right = getattr(module, name)
        if callable(right):
            wrong = lambda *arguments: tuple(number * factor for number in right(*arguments))  # noqa: E731
        else:
            wrong = right * np.float32(factor)
        monkeypatch.setattr(module, name, wrong)
        with pytest.raises(ModelError, match="fails on this machine"):
            Recogniser(model, "numpy").self_test()


@pytest.mark.parametrize(
    ("text", "name"), [("My Hand_2", "my-hand-2"), ("五", "model"), ("--a--", "a"), ("x" * 99, "x" * 64)]
)
def test_a_file_name_becomes_a_model_name(text, name):
    assert model_name(text) == name
