"""Discriminative refinement of the dictionaries and their subspace: fewer errors with the same eq. 12.

LpDPL makes each class describe its own samples well; refinement makes the right class describe a sample best. It
minimises the cross-entropy of a softmax over the negative scores of eq. 12 with Adam (Kingma and Ba 2015). It starts at
LpDPL's dictionaries and keeps the atoms in the unit ball. It also refines the subspace, more slowly: the directions of
largest variance are not those that separate the classes best. The result is again a subspace and dictionaries, so the
decision rule and the folding stay the same.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from train_host.method.adam import Adam, Single
from train_host.method.lpdpl import DictionaryPair
from train_host.method.subspace import Subspace
from train_host.progress import bar

Parameters = tuple[Single, Single, Single]
"""D (Q, n, m), P (Q, m, n) and W (Q, Q, m) of all classes."""


@dataclass(frozen=True)
class Refinement:
    """Settings of the refinement."""

    epochs: int = 20
    rate: float = 1e-3
    """Adam's step size at the start; it falls to 0 along a cosine."""
    subspace_rate: float = 0.3
    """Adam's step size for the subspace, as a share of `rate`; 0 leaves the subspace unchanged."""
    sharpness: float = 10.0
    """Factor on the scores before the softmax."""
    label_smoothing: float = 0.1
    """Share of the target that is spread over all classes, so that the fit does not chase unreadable samples."""
    batch: int = 256
    """Samples per step."""


class Slopes(NamedTuple):
    """The mean cross-entropy and its gradients, float32."""

    parameters: Parameters
    """Gradient with respect to D, P and W, in their shapes."""
    samples: Single
    """Gradient with respect to the samples, (B, n)."""
    loss: float
    """The mean cross-entropy."""


def gradients(parameters: Parameters, samples: Single, wanted: Single, sharpness: float) -> Slopes:
    """The mean cross-entropy of a softmax over the negative scores of eq. 12, and its gradients.

    Args:
        samples: (B, n), inside the subspace.
        wanted: (Q, B) target distribution of every sample.
        sharpness: factor on the scores.
    """
    synthesis, analysis, classifier = parameters
    codes = samples @ analysis.transpose(0, 2, 1)
    residual = samples - codes @ synthesis.transpose(0, 2, 1)
    error = np.eye(len(synthesis), dtype=np.float32)[:, None] - codes @ classifier.transpose(0, 2, 1)
    scores = np.einsum("qbn,qbn->qb", residual, residual) + np.einsum("qbk,qbk->qb", error, error)
    logits = -sharpness * (scores - scores.min(axis=0))
    log_shares = logits - np.log(np.exp(logits).sum(axis=0))
    pull = (sharpness / len(samples)) * (wanted - np.exp(log_shares))[:, :, None]
    residual *= -2 * pull
    error *= -2 * pull
    by_codes = (residual @ synthesis + error @ classifier).astype(np.float32, copy=False)
    by_parameters = (
        residual.transpose(0, 2, 1) @ codes,
        by_codes.transpose(0, 2, 1) @ samples,
        error.transpose(0, 2, 1) @ codes,
    )
    by_samples: Any = np.tensordot(by_codes, analysis, ((0, 2), (0, 1))) - residual.sum(axis=0)
    return Slopes(by_parameters, by_samples, float(-np.mean(np.sum(wanted * log_shares, axis=0))))


def refine(
    subspace: Subspace,
    pairs: list[DictionaryPair],
    features: NDArray[np.floating],
    targets: NDArray[np.intp],
    settings: Refinement,
    seed: int,
) -> tuple[Subspace, list[DictionaryPair]]:
    """Refine the subspace and the dictionaries of all classes.

    The result has the same bits for the same seed, whatever the number of cores.

    Args:
        subspace: the one that LpDPL was trained in.
        pairs: LpDPL's dictionaries, one pair per class.
        features: (N, features) of the samples that LpDPL was trained on.
        targets: (N,) classes.
    """
    synthesis, analysis, classifier = (np.stack(arrays).astype(np.float32) for arrays in zip(*pairs, strict=True))
    dictionaries = (synthesis, analysis, classifier)
    axes = Axes(subspace)
    smoothing = settings.label_smoothing
    wanted = np.full((len(pairs), len(features)), smoothing / len(pairs), np.float32)
    wanted[targets, np.arange(len(features))] += 1 - smoothing
    random = np.random.default_rng([seed, len(pairs)])
    batch = min(settings.batch, len(features))
    steps_an_epoch = len(features) // batch
    steps = settings.epochs * steps_an_epoch
    adam = Adam(dictionaries, settings.rate, steps)
    turn = Adam(axes.parameters, settings.rate * settings.subspace_rate, steps)
    with threadpool_limits(limits=1), bar("refine", total=settings.epochs) as epochs:
        for _ in range(settings.epochs):
            order = random.permutation(len(features))
            loss = 0.0
            for step in range(steps_an_epoch):
                chosen = order[step * batch : (step + 1) * batch]
                rows = features[chosen].astype(np.float32, copy=False)
                slopes = gradients(dictionaries, axes.enter(rows), wanted[:, chosen], settings.sharpness)
                turn.step(axes.slopes(rows, slopes.samples))
                adam.step(slopes.parameters)
                synthesis /= np.maximum(1, np.linalg.norm(synthesis, axis=1, keepdims=True))
                loss += slopes.loss / steps_an_epoch
            epochs.set_postfix(loss=f"{loss:.4f}")
            epochs.update()
    arrays = zip(*(array.astype(np.float64) for array in dictionaries), strict=True)
    return axes.subspace, [DictionaryPair(*of_class) for of_class in arrays]


class Axes:
    """A subspace in float32 whose projection and offset are updated in place."""

    def __init__(self, subspace: Subspace) -> None:
        self.projection, self.offset = subspace.projection.astype(np.float32), subspace.offset.astype(np.float32)
        self.constant = subspace.constant

    @property
    def parameters(self) -> tuple[Single, ...]:
        return self.projection, self.offset

    @property
    def subspace(self) -> Subspace:
        """The current subspace, in float64."""
        return Subspace(self.projection.astype(np.float64), self.offset.astype(np.float64), self.constant)

    def enter(self, features: Single) -> Single:
        """Features (B, n) inside the subspace: (B, dimensions + 1), or (B, dimensions) without a constant."""
        dimensions = len(self.offset)
        inside = np.full((len(features), dimensions + (self.constant != 0)), self.constant, np.float32)
        inside[:, :dimensions] = features @ self.projection + self.offset
        return inside

    def slopes(self, features: Single, by_samples: Single) -> tuple[Single, ...]:
        """Gradients with respect to projection and offset, from those with respect to the samples inside the subspace.

        The constant is not a parameter, so its column of `by_samples` is ignored.
        """
        by_places = by_samples[:, : len(self.offset)]
        return features.T @ by_places, by_places.sum(axis=0)
