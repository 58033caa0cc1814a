"""The recogniser as a caller sees it: results, refusals, cost, and the self-test."""

import dataclasses
import json
import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import naive
import numpy as np
import pytest
from project import PROJECT
from small_models import small_model
from stroke_pictures import stroke_picture

from edge_lpdpl.errors import EdgeError, HandError, ImageError, ModelError
from edge_lpdpl.files.grey import checked_picture
from edge_lpdpl.live.publish.answer import make_answer
from edge_lpdpl.model import shapes
from edge_lpdpl.model.files import write_model
from edge_lpdpl.model.model import Model, Novelty
from edge_lpdpl.model.settings import PAPER, Preprocessing, Profile
from edge_lpdpl.number.pictures.reader import PictureReader
from edge_lpdpl.numeral.hand import Hand, Sample
from edge_lpdpl.numeral.recogniser import UNLIKE, Recogniser, Recognition
from edge_lpdpl.numeral.weights import model_weights

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model() -> Model:
    return small_model()


@pytest.fixture(scope="module", params=["numba", "numpy"])
def recogniser(request, model) -> Recogniser:
    return Recogniser(model, request.param)


def with_confidence(model: Model, low: float, high: float) -> Model:
    """The same model, whose confidence rises from `low` to `high` over all margins."""
    values = np.linspace(low, high, len(model.confidence_values), dtype=np.float32)
    return dataclasses.replace(model, confidence_values=values)


class TestRecognition:
    def test_says_what_was_read(self, recogniser, model):
        recognition = recogniser.recognise(stroke_picture(0))
        order = np.argsort(recognition.scores)
        assert recognition.label == model.labels[order[0]].character
        assert recognition.value == model.labels[order[0]].value
        assert recognition.runner_up == model.labels[order[1]].character
        margin = recognition.scores[order[1]] - recognition.scores[order[0]]
        expected = np.interp(margin, model.confidence_margins, model.confidence_values)
        assert recognition.confidence == pytest.approx(expected, abs=1e-6)
        assert recognition.scores.shape == (model.class_count,)
        assert recognition.scores.dtype == np.float32
        assert 0 < recognition.elapsed < 10

    def test_is_made_of_plain_values(self, recogniser):
        recognition = recogniser.recognise(stroke_picture(0))
        kinds = [str, int, float, bool, str, np.ndarray, float, float]
        assert [type(value) for value in recognition[:-2]] == kinds
        assert recognition.reason is None
        assert recognition.taught is False

    def test_of_nothing(self, recogniser):
        recognition = recogniser.recognise(np.zeros((64, 64), np.uint8))
        assert recognition[:5] == (None, None, 0.0, True, None)
        assert recognition.scores.shape == (0,)
        assert (recognition.novelty, recognition.reason) == (0, "no_ink")
        assert 0 < recognition.elapsed < 10

    def test_is_the_callers_to_keep(self, recogniser):
        first = recogniser.recognise(stroke_picture(0))
        before = first.scores.copy()
        recogniser.recognise(stroke_picture(1))
        np.testing.assert_array_equal(first.scores, before)

    @pytest.mark.parametrize(("share", "rejected"), [(0.9, False), (1.1, True)])
    def test_is_rejected_where_it_is_unlike_its_class(self, recogniser, model, share, rejected):
        means, weights, factors = model.novelty
        length = share / recogniser.recognise(stroke_picture(0)).novelty
        scaled = Novelty(means, weights * np.float32(length), factors * np.float32(length**0.5))
        strict = dataclasses.replace(model, novelty=scaled, threshold=0.0)
        recognition = Recogniser(strict, recogniser.backend).recognise(stroke_picture(0))
        assert recognition.novelty == pytest.approx(share, rel=1e-4)
        assert recognition.rejected is rejected
        assert recognition.reason == ("unlike_any_numeral" if rejected else None)
        assert recognition.label is not None

    @pytest.mark.parametrize(("sureness", "allowed"), [(0.25, 0.4), (1.0, 1.0), (3.0, 1.0)])
    def test_may_be_the_less_novel_the_less_sure_it_is(self, recogniser, model, sureness, allowed):
        picture = stroke_picture(0)
        read = recogniser.recognise(picture)
        margin = float(np.diff(np.sort(read.scores)[:2])[0])
        margins = np.float32([0, margin / sureness])
        curve = dataclasses.replace(model, confidence_margins=margins, confidence_values=np.float32([0.1, 1]))
        asking = dataclasses.replace(curve, unsure_share=0.2)
        again = Recogniser(asking, recogniser.backend).recognise(picture)
        assert again.novelty == pytest.approx(read.novelty / allowed, rel=1e-4)

    def test_of_a_model_that_does_not_tell_has_no_novelty(self, recogniser, model):
        silent = dataclasses.replace(model, novelty=None, threshold=0.0)
        recognition = Recogniser(silent, recogniser.backend).recognise(stroke_picture(0))
        assert (recognition.novelty, recognition.rejected) == (0, False)

    @pytest.mark.parametrize(("threshold", "rejected"), [(0.0, False), (0.5, False), (0.6, True), (1.0, True)])
    def test_is_rejected_below_the_threshold(self, recogniser, model, threshold, rejected):
        sure = dataclasses.replace(with_confidence(model, 0.5, 0.5), threshold=threshold)
        recognition = Recogniser(sure, recogniser.backend).recognise(stroke_picture(0))
        assert recognition.confidence == 0.5
        assert recognition.rejected is rejected
        assert recognition.reason == ("unsure" if rejected else None)
        assert recognition.label is not None

    @pytest.mark.parametrize("overflowing", [slice(None), slice(1)], ids=["all", "one"])
    def test_is_rejected_where_scores_overflow(self, recogniser, model, overflowing, monkeypatch):
        """Scores that no accepted model gives: the margin is not a number, or infinite."""
        monkeypatch.setattr(shapes, "BOUNDS", {})
        squares = model.squares.copy()
        squares[:, overflowing] = -3e38
        wild = dataclasses.replace(model, squares=squares, threshold=0.0)
        with np.errstate(all="ignore"):
            recognition = Recogniser(wild, recogniser.backend).recognise(stroke_picture(0))
            reading = PictureReader(Recogniser(wild, recogniser.backend)).read(stroke_picture(0))
        assert recognition.scores.min() == -np.inf
        assert (recognition.rejected, recognition.confidence) == (True, 0)
        assert recognition.reason == "not_a_score"
        answer = json.loads(json.dumps(make_answer(reading, wild.labels), allow_nan=False))
        assert [one["reason"] for one in (*answer["numbers"], *answer["numerals"])] == ["not_a_score"] * 2

    def test_takes_the_polarity_that_is_given(self, recogniser):
        picture = np.zeros((64, 64), np.uint8)
        picture[20:44, 30:34] = 255
        assert recogniser.recognise(picture, "light").label is not None
        assert recogniser.recognise(picture, "auto").label is not None
        assert recogniser.recognise(picture, "dark").label is None, "the ground is far too much ink"


class TestPictures:
    def test_one_that_fits_is_not_copied(self):
        picture = np.zeros((8, 4096), np.uint8)
        assert checked_picture(picture) is picture

    def test_another_layout_is(self):
        picture = np.arange(128, dtype=np.uint8).reshape(8, 16)
        copy = checked_picture(picture.T)
        assert copy.flags.c_contiguous
        np.testing.assert_array_equal(copy, picture.T)

    @pytest.mark.parametrize(
        ("picture", "message"),
        [
            ([[0] * 8] * 8, "not list"),
            (None, "not NoneType"),
            (np.zeros((8, 8)), r"not float64 \(8, 8\)"),
            (np.zeros((8, 8), np.int8), r"not int8 \(8, 8\)"),
            (np.zeros((8, 8), bool), r"not bool \(8, 8\)"),
            (np.zeros((8, 8, 3), np.uint8), r"not uint8 \(8, 8, 3\)"),
            (np.zeros(64, np.uint8), r"not uint8 \(64,\)"),
            (np.zeros((0, 8), np.uint8), "8 to 4096 pixels, not 8x0"),
            (np.zeros((7, 64), np.uint8), "8 to 4096 pixels, not 64x7"),
            (np.zeros((64, 7), np.uint8), "8 to 4096 pixels, not 7x64"),
            (np.zeros((8, 4097), np.uint8), "8 to 4096 pixels, not 4097x8"),
        ],
    )
    def test_what_is_no_picture_is_refused_in_one_line(self, recogniser, picture, message):
        with pytest.raises(ImageError, match=message) as caught:
            recogniser.recognise(picture)
        assert "\n" not in str(caught.value)
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, EdgeError)

    @pytest.mark.parametrize("kind", [np.int8, bool, np.float64, np.uint16])
    def test_nor_is_it_taken_for_one_after_a_picture_of_its_shape(self, recogniser, kind):
        picture = stroke_picture(0)
        recogniser.recognise(picture)
        with pytest.raises(ImageError, match=f"not {np.dtype(kind)}"):
            recogniser.recognise(picture.astype(kind))

    def test_what_was_read_before_does_not_matter(self, recogniser):
        """Same shape, other layouts and polarities, one too large to be copied: each is read as if it were first."""
        light, large = stroke_picture(0), np.pad(stroke_picture(1), 80)
        cases = [
            (light, "auto"),
            (np.asfortranarray(light), "light"),
            (255 - light, "dark"),
            (light, "dark"),
            (large, "auto"),
        ]

        def scores_of(reader: Recogniser, picture: np.ndarray, polarity: str) -> list[float]:
            return reader.recognise(picture, polarity).scores.tolist()

        alone = [scores_of(Recogniser(recogniser.model, recogniser.backend), *case) for case in cases]
        for place in [0, 1, 2, 3, 0, 4, 1, 4, 3, 2, 0]:
            assert scores_of(recogniser, *cases[place]) == alone[place]


READ_A_VIEW = """
import sys
import numpy as np
from edge_lpdpl import Recogniser
recogniser = Recogniser.load(sys.argv[1], sys.argv[2])
view = np.load(sys.argv[3])[:, ::2]
for picture in (view.copy(), view):
    print(recogniser.recognise(picture).scores.tobytes().hex())
    stages = recogniser.engine.stages(picture, 0)
    np.full(picture.shape, 85, np.uint8)  # takes what has been given back since
    for stage in stages.values():
        stage()
    print(recogniser.engine.responses.scores.tobytes().hex())
"""


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_view_too_large_to_be_copied_into_the_buffers_is_read_as_it_is(model, backend, tmp_path):
    """Strided rows, so that a copy is read, in a process whose freed memory is overwritten at once."""
    write_model(tmp_path / "model.safetensors", model)
    np.save(tmp_path / "picture.npy", np.repeat(stroke_picture(0, 300, 300), 2, axis=1))
    arguments = [tmp_path / "model.safetensors", backend, tmp_path / "picture.npy"]
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "MALLOC_PERTURB_": "85"}
    command = [sys.executable, "-c", READ_A_VIEW, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    copied, copied_stages, whole, stages = done.stdout.splitlines()
    assert copied == copied_stages == whole == stages != ""


class TestSelfTest:
    def test_passes_where_the_scores_are_those_of_the_file(self, recogniser):
        recogniser.self_test()

    @pytest.mark.parametrize("sample", [0, 3])
    def test_fails_with_the_kernels_when_one_bit_of_a_score_differs(self, model, sample):
        scores = model.selftest_scores.copy()
        scores[sample, 4] = np.nextafter(scores[sample, 4], np.float32(np.inf))
        recogniser = Recogniser(dataclasses.replace(model, selftest_scores=scores), "numba")
        with pytest.raises(ModelError, match=f"self-test {sample} fails on this machine"):
            recogniser.self_test()

    def test_fails_with_numpy_when_a_score_differs_by_a_thousandth(self, model):
        scores = model.selftest_scores.copy()
        scores[1] *= np.float32(1.001)
        recogniser = Recogniser(dataclasses.replace(model, selftest_scores=scores), "numpy")
        with pytest.raises(ModelError, match="self-test 1 fails on this machine"):
            recogniser.self_test()

    def test_fails_when_a_distance_from_the_class_differs(self, model, recogniser):
        distances = model.selftest_distances * np.float32(1.001)
        other = Recogniser(dataclasses.replace(model, selftest_distances=distances), recogniser.backend)
        with pytest.raises(ModelError, match="self-test 0 fails on this machine"):
            other.self_test()

    def test_is_of_features_in_older_files(self, model, recogniser):
        features = np.random.default_rng(0).random((2, model.feature_count), np.float32)
        scores = np.stack([recogniser.scores_of(sample) for sample in features])
        older = {"selftest_pictures": None, "selftest_distances": None, "selftest_features": features}
        Recogniser(dataclasses.replace(model, **older, selftest_scores=scores), recogniser.backend).self_test()

    def test_scores_of_features_are_those_of_their_picture(self, recogniser):
        recognition = recogniser.recognise(stroke_picture(0))
        features = recogniser.engine.buffers.features.copy()
        np.testing.assert_array_equal(recogniser.scores_of(features), recognition.scores)
        np.testing.assert_array_equal(recogniser.scores_of(features[::-1].copy()[::-1]), recognition.scores)


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_model_file_is_loaded(model, backend, tmp_path):
    write_model(tmp_path / "model.safetensors", model)
    recogniser = Recogniser.load(tmp_path / "model.safetensors", backend)
    assert recogniser.backend == backend
    assert recogniser.model == model
    recogniser.self_test()


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize(("others", "novelty"), [(9.0, 0.0), (5.0, 0.0), (4.0, 0.25), (3.0, 1.0), (1.0, 4.0)])
def test_the_less_a_class_leads_the_non_numerals_the_greater_is_the_novelty(model, backend, others, novelty):
    """Their form gives the same score to every picture; the best class has the score 0."""
    picture = stroke_picture(0)
    best = float(Recogniser(model, backend).recognise(picture).scores.min())
    constant = np.zeros((model.dimensions + 1, model.rank, 1), np.float32)
    constant[-1, 0] = (best + others - 1) / model.constant
    flat = np.zeros((model.rank, 1), np.float32)
    forms = [np.concatenate(pair, axis=-1) for pair in ((model.vectors, constant), (model.squares, flat))]
    scores = np.concatenate([model.selftest_scores, model.selftest_scores[:, :1]], axis=1)
    wary = dataclasses.replace(
        model,
        vectors=forms[0],
        squares=forms[1],
        linears=np.concatenate([model.linears, flat + 1], axis=-1),
        selftest_scores=scores,
        novelty=None,
        unsure_share=1.0,
        usual_lead=5.0,
        least_lead=3.0,
    )
    read = Recogniser(wary, backend).recognise(picture)
    assert read.novelty == pytest.approx(novelty, abs=1e-4)
    assert len(read.scores) == model.class_count
    if abs(novelty - 1) > 0.1:
        assert (read.reason == UNLIKE) == (novelty > 1)


def test_a_model_without_a_projection_classifies_the_features_as_they_are(model):
    vectors = np.random.default_rng(0).normal(size=(model.feature_count, model.rank, model.class_count))
    plain = dataclasses.replace(
        model,
        projection=None,
        projection_offset=None,
        dimensions=model.feature_count,
        constant=0.0,
        vectors=vectors.astype(np.float32),
        novelty=None,
    )
    recogniser = Recogniser(plain, "numpy")
    recognition = recogniser.recognise(stroke_picture(0))
    expected = naive.scores(recogniser.engine.buffers.features, model_weights(plain), 0)
    np.testing.assert_allclose(recognition.scores, expected, rtol=1e-4)


@pytest.mark.parametrize(("backend", "calls"), [("numba", 10_000), ("numpy", 1_000)])
def test_after_the_first_calls_nothing_grows(model, backend, calls):
    recogniser = Recogniser(model, backend)
    pictures = [stroke_picture(seed) for seed in range(4)] + [np.zeros((64, 64), np.uint8)]

    def read(times: int) -> Recognition:
        for number in range(times):
            last = recogniser.recognise(pictures[number % len(pictures)])
        return last

    tracemalloc.start()
    try:
        read(100)
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        read(calls)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 1000, "less than a tenth of a byte a call"
    if backend == "numba":
        assert peak - before < 4000, "a recognition, and nothing else"


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_one_recogniser_a_thread_reads_as_one_alone(model, backend):
    pictures = [stroke_picture(seed, 40 + seed, 90 - seed, noise=seed % 3 * 10) for seed in range(24)]
    alone = Recogniser(model, backend)
    expected = [alone.recognise(picture).scores for picture in pictures]

    def read_all(_: int) -> list[np.ndarray]:
        own = Recogniser(model, backend)
        return [[own.recognise(picture).scores for picture in pictures] for _ in range(5)]

    with ThreadPoolExecutor(4) as threads:
        for rounds in threads.map(read_all, range(4)):
            for scores in rounds:
                for ours, theirs in zip(scores, expected, strict=True):
                    np.testing.assert_array_equal(ours, theirs)


class TestHand:
    """Read with what a person taught."""

    @staticmethod
    def close_call(model: Model, backend: str) -> tuple[Recogniser, np.ndarray, Recognition]:
        """A recogniser without a hand, and a picture whose two best labels score about alike."""
        recogniser = Recogniser(model, backend)
        pictures = [stroke_picture(seed) for seed in range(40)]
        reads = [recogniser.recognise(picture) for picture in pictures]
        gaps = [np.diff(np.sort(read.scores)[:2])[0] for read in reads]
        nearest = int(np.argmin(gaps))
        return recogniser, pictures[nearest], recogniser.recognise(pictures[nearest])

    @pytest.mark.parametrize("backend", ["numba", "numpy"])
    def test_a_taught_picture_is_read_as_it_was_taught(self, model, backend):
        recogniser, picture, before = self.close_call(model, backend)
        recogniser.wear(Hand().with_sample(Sample(before.runner_up, recogniser.square())))
        after = recogniser.recognise(picture)
        assert (after.label, after.runner_up, after.taught) == (before.runner_up, before.label, True)
        assert (before.taught, recogniser.recognise(np.zeros((64, 64), np.uint8)).taught) == (False, False)

    @pytest.mark.parametrize("backend", ["numba", "numpy"])
    def test_without_the_hand_every_bit_is_as_before(self, model, backend):
        recogniser, picture, before = self.close_call(model, backend)
        hand = Hand().with_sample(Sample(before.runner_up, recogniser.square()))
        recogniser.wear(hand)
        assert recogniser.recognise(picture).label != before.label
        recogniser.wear(hand.without([hand.samples[0].id]))
        again = recogniser.recognise(picture)
        np.testing.assert_array_equal(again.scores, before.scores)
        for name in ("label", "confidence", "novelty", "taught"):
            assert getattr(again, name) == getattr(before, name)

    def test_the_square_is_taught_in_grey_levels(self, recogniser):
        recogniser.recognise(stroke_picture(0))
        exact = recogniser.engine.buffers.square
        exact[0, :2] = 0, 1
        np.testing.assert_allclose(recogniser.square() / 255, exact, atol=0.5 / 255 + 1e-6)

    def test_both_backends_decide_alike(self, model):
        one, other = (Recogniser(model, backend) for backend in ("numba", "numpy"))
        hand = Hand()
        for seed in range(40):
            read = one.recognise(stroke_picture(seed))
            hand = hand.with_sample(Sample(read.runner_up, one.square()))
        reads = []
        for recogniser in (one, other):
            recogniser.wear(hand)
            reads.append([recogniser.recognise(stroke_picture(seed)) for seed in range(60)])
        for mine, theirs in zip(*reads, strict=True):
            np.testing.assert_allclose(mine.scores, theirs.scores, rtol=1e-4, atol=1e-4)
            assert (mine.label, mine.taught) == (theirs.label, theirs.taught)
        assert sum(read.taught for read in reads[0]) > 0

    def test_the_self_test_is_that_of_the_model_alone(self, model):
        recogniser, picture, before = self.close_call(model, "numba")
        recogniser.wear(Hand().with_sample(Sample(before.runner_up, recogniser.square())))
        recogniser.self_test()
        assert recogniser.recognise(picture).label == before.runner_up, "it is worn again afterwards"

    def test_labels_that_the_model_does_not_know_have_no_effect(self, model):
        recogniser, picture, before = self.close_call(model, "numba")
        recogniser.wear(Hand().with_sample(Sample("亿", recogniser.square())))
        np.testing.assert_array_equal(recogniser.recognise(picture).scores, before.scores)

    def test_a_model_that_cannot_be_taught_is_refused_with_a_hand(self):
        model = small_model(Profile("small", Preprocessing(side=28), PAPER.hog))
        hand = Hand().with_sample(Sample("7", np.full((32, 32), 200, np.uint8)))
        with pytest.raises(HandError, match="only models of the profile edge can be taught"):
            Recogniser(model, "numba", hand)

    def test_it_is_not_kept_alive_by_its_maker_only(self, model):
        """The kernels hold addresses, so the engine has to hold the arrays."""
        recogniser, picture, before = self.close_call(model, "numba")
        recogniser.wear(Hand().with_sample(Sample(before.runner_up, recogniser.square())))
        spare = [np.full(100_000, np.nan, np.float32) for _ in range(20)]  # would take what was given back
        assert recogniser.recognise(picture).taught
        del spare
