"""The recogniser: grey picture in, decision out. The service, the commands, the bench and the trainer all call it."""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial, wraps
from threading import RLock
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import HandError, ModelError
from edge_lpdpl.files.grey import POLARITIES
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.engine import Engine, make_engine
from edge_lpdpl.numeral.hand import Hand
from edge_lpdpl.numeral.taught import NOTHING_TAUGHT, check_teachable, work_out
from edge_lpdpl.numeral.weights import DISTANCE

NO_INK, NOT_A_SCORE, UNLIKE, UNSURE = "no_ink", "not_a_score", "unlike_any_numeral", "unsure"
"""Why a recogniser rejects; `edge_lpdpl.page.rejection.REASONS` has all reasons, with words for people."""

Method = TypeVar("Method", bound=Callable[..., Any])
Lock = Any
"""A lock of `threading` that a thread may take again: typing knows no name for it."""


class Recognition(NamedTuple):
    """What was read in one picture."""

    label: str | None
    """The character, None where there is nothing to read."""
    value: int | None
    """The number it stands for."""
    confidence: float
    """Probability that the label is right, from the margin between the two best classes; 0 where there is no ink."""
    rejected: bool
    """True where the label is not to be relied on; `reason` says why."""
    runner_up: str | None
    """The second best character."""
    scores: NDArray[np.float32]
    """(classes,) eq. 12 less the squared norm of the features, which is the same for all classes: the smallest score
    wins. Empty where there is no ink."""
    elapsed: float
    """Seconds from call to decision."""
    novelty: float = 0.0
    """How much it is like a non-numeral, as a share of what is allowed; above 1 the numeral is rejected. It is the
    distance from the class, of which the less is allowed the smaller the margin is, or, where that says more, how far
    non-numerals are from scoring better. 0 where the model measures neither. On a page, a rule of
    `edge_lpdpl.page.rejection` that is broken may raise it."""
    reason: str | None = None
    """Why it is rejected, one of `edge_lpdpl.page.rejection.REASONS`; None where it is accepted."""
    taught: bool = False
    """Whether the label is another one than without the hand."""


_recognition = partial(tuple.__new__, Recognition)


class Recogniser:
    """Reads pictures of one numeral each, with one model. It makes its buffers once, so it serves one thread at a time;
    others wait. Give each thread a recogniser of its own if they are to read at the same time.

    Args:
        hand: what a person taught; see `wear`.

    Raises:
        BackendError: the backend is not installed.
        HandError: the model cannot be taught.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> recogniser = Recogniser.load(shipped_model("chinese15"))
    >>> picture = np.zeros((64, 64), np.uint8)
    >>> recogniser.recognise(picture).label is None
    True
    >>> picture[30:32, 10:50] = 200
    >>> recogniser.recognise(picture).label
    '一'
    """

    def __init__(self, model: Model, backend: str = "auto", hand: Hand | None = None) -> None:
        self.model = model
        self.lock: Lock = RLock()
        """Held while its buffers are in use."""
        self.engine: Engine = make_engine(model, backend)
        """For the bench and for drawing the steps."""
        self._threshold = model.threshold
        self._unsure_share = model.unsure_share
        self._growth = (1 - model.unsure_share) / float(model.confidence_margins[-1])
        self._usual_lead = model.usual_lead
        self._steepness = 1 / (model.usual_lead - model.least_lead) if model.scores_non_numerals else 0.0
        self._meanings = [(label.character, label.value) for label in model.labels]
        # Looked up once: a decision takes little longer than ten such look-ups.
        self._read = self.engine.recognise
        self._decision, self._scores = self.engine.responses.decision.tolist, self.engine.responses.scores.copy
        self._nothing = np.zeros(0, np.float32)
        self._warm_up()
        self.hand = Hand()
        """What a person taught."""
        self.wear(hand or self.hand)

    @classmethod
    def load(cls, path: str | os.PathLike[str], backend: str = "auto", hand: Hand | None = None) -> "Recogniser":
        """Read, check and warm up a model file.

        Raises:
            ModelError: the file is damaged, or not a model.
            BackendError, HandError: as for a recogniser.
        """
        return cls(read_model(path), backend, hand)

    @property
    def backend(self) -> str:
        """`numba` or `numpy`."""
        return self.engine.name

    def recognise(self, grey: NDArray[np.uint8], polarity: str = "auto") -> Recognition:
        """Read the one numeral in `grey`.

        Args:
            grey: (height, width) uint8, each side 8..4096 pixels.
            polarity: `light` or `dark` ink, or `auto`, which takes the border of the picture for paper.

        Raises:
            ImageError: the array is not such a picture.
            ValueError: the polarity is unknown.
        """
        start = perf_counter()
        ink = POLARITIES.get(polarity)
        if ink is None:
            raise ValueError(f"there is no polarity {polarity!r}: use {', '.join(POLARITIES)}")
        with self.lock:
            if self._read(grey, ink) == 0:
                return Recognition(None, None, 0.0, True, None, self._nothing, perf_counter() - start, reason=NO_INK)
            (best, second, margin, confidence, distance, taught, lead), scores = self._decision(), self._scores()
        label, value = self._meanings[int(best)]
        runner_up, _ = self._meanings[int(second)]
        allowed = self._unsure_share + self._growth * margin
        novelty = distance / allowed if allowed < 1 else distance
        short = self._steepness * (self._usual_lead - lead)  # squared, as a distance is
        novelty = max(novelty, short * abs(short))
        # Each comparison is worded so that NaN fails it, and the numeral is rejected.
        reason = None
        if not margin < math.inf:
            confidence, reason = 0.0, NOT_A_SCORE
        elif not novelty <= 1:
            reason = UNLIKE
        elif not confidence >= self._threshold:
            reason = UNSURE
        rejected = reason is not None
        # Python code matches named arguments, at a fifth of the time of the kernels; a plain tuple has none.
        return _recognition(
            (label, value, confidence, rejected, runner_up, scores, perf_counter() - start, novelty, reason, taught > 0)
        )

    def wear(self, hand: Hand) -> None:
        """Read with this hand from now on: what is like a taught sample scores better as the label of that sample.

        Samples whose labels the model does not know have no effect. An empty hand costs nothing, and decisions are
        those of the model alone, to the last bit.

        Raises:
            HandError: the model has no subspace, or other squares than the samples.
        """
        labels = [label for label, _ in self._meanings]
        known = [sample for sample in hand.samples if sample.label in labels]
        with self.lock:
            self.engine.wear(NOTHING_TAUGHT)
            if known:
                check_teachable(self.model)
                inputs = []
                for sample in known:
                    self.engine.read_square(sample.picture.astype(np.float32) / np.float32(255))
                    inputs.append(self.engine.responses.inputs[: self.model.dimensions].copy())
                classes = [labels.index(sample.label) for sample in known]
                self.engine.wear(work_out(inputs, classes, len(labels)))
            self.hand = hand

    def square(self) -> NDArray[np.uint8]:
        """The last picture as a sample of a hand: centred and of one size, light ink on black, (32, 32) uint8.

        Raises:
            HandError: this model cannot be taught.
        """
        check_teachable(self.model)
        with self.lock:
            return np.rint(np.clip(self.engine.buffers.square, 0, 1) * 255).astype(np.uint8)

    def scores_of(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Class scores (classes,) of a feature vector (features,) float32, computed as those of a picture."""
        with self.lock:
            self.engine.classify(np.ascontiguousarray(features, np.float32))
            return self.engine.responses.scores.copy()

    def self_test(self) -> None:
        """Run the test that the model file contains, without the hand: pictures, or features in files before schema 4.

        Raises:
            ModelError: the scores, or the distance from the class, are not those that the trainer got: to the last bit
                with the compiled kernels, to one part in 10,000 with NumPy, which adds up in another order.
        """
        with self.lock:
            hand = self.hand
            self.wear(Hand())
            try:
                self._test()
            finally:
                self.wear(hand)

    def _test(self) -> None:
        model, exactly = self.model, self.backend == "numba"
        samples: Any = model.selftest_features if model.selftest_pictures is None else model.selftest_pictures
        for number, (sample, expected) in enumerate(zip(samples, model.selftest_scores, strict=True)):
            if sample.ndim == 1:
                self.engine.classify(sample)
            else:
                self.recognise(sample)
            same = _agree(self.engine.responses.all_scores, expected, exactly)
            if model.selftest_distances is not None:
                distance = self.engine.responses.decision[[DISTANCE]]
                same = same and _agree(distance, model.selftest_distances[number : number + 1], exactly)
            if not same:
                fault = f"self-test {number} fails on this machine: its scores differ from the trainer's"
                raise ModelError(f"{model.name}: {fault}")

    def _warm_up(self) -> None:
        """Load or compile the kernels now, not while a picture waits."""
        picture = np.zeros((16, 16), np.uint8)
        picture[4:12, 7:9] = 255
        self.recognise(picture)


def wear_all(recognisers: Sequence[Recogniser], hand: Hand) -> None:
    """Read with a hand from now on; of several models, all those that can be taught.

    Raises:
        HandError: the first one cannot be taught.
    """
    recognisers[0].wear(hand)
    for other in recognisers[1:]:
        with suppress(HandError):
            other.wear(hand)


def locks_of(recognisers: Iterable[Recogniser]) -> list[Lock]:
    """What `one_at_a_time` holds: always in one order, or two readers could wait for each other."""
    return [one.lock for one in sorted(recognisers, key=id)]


def one_at_a_time(method: Method) -> Method:
    """A method of a reader with `locks`, which other threads that use the same recognisers wait for."""

    @wraps(method)
    def alone(self: Any, *args: Any, **kwargs: Any) -> Any:
        for lock in self.locks:
            lock.acquire()
        try:
            return method(self, *args, **kwargs)
        finally:
            for lock in self.locks:
                lock.release()

    return alone  # type: ignore[return-value]


def _agree(found: NDArray[Any], expected: NDArray[Any], exactly: bool) -> bool:
    """Whether numbers are those expected: to the last bit, or nearly so and with the same one as the smallest."""
    if exactly or found.shape != expected.shape:
        return np.array_equal(found, expected)
    near = np.allclose(found, expected, rtol=1e-4, atol=1e-4 * float(np.abs(expected).max()))
    return near and int(found.argmin()) == int(expected.argmin())
