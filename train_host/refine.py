"""A short discriminative fit of the learned dictionaries: the same eq. 12, with its errors made fewer.

LpDPL makes each class describe itself well; this makes the right class describe best. It lowers the cross-entropy of a
softmax over the negative scores of eq. 12 by Adam (Kingma and Ba 2015), starting at LpDPL's dictionaries, atoms kept in
the unit ball. What comes out is again dictionaries, so decision rule, folding and explanations stay as they are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from train_host.class_statistics import Array
from train_host.lpdpl import DictionaryPair

Single = NDArray[np.float32]
Parameters = tuple[Single, Single, Single]
"""D (Q, n, m), P (Q, m, n) and W (Q, Q, m) of all classes."""

MOMENTUM, SPREAD, FLOOR = 0.9, 0.999, 1e-8
"""Adam's constants."""


@dataclass(frozen=True)
class Refinement:
    """How long and how hard to refine."""

    epochs: int = 20
    rate: float = 1e-3
    """Adam's step at the start; it falls to 0 on a cosine."""
    sharpness: float = 10.0
    """What the scores are multiplied with before the softmax."""
    label_smoothing: float = 0.1
    """Share of the target that is spread over all classes, so that the fit does not chase unreadable samples."""
    batch: int = 256


def gradients(parameters: Parameters, samples: Single, wanted: Single, sharpness: float) -> tuple[Parameters, float]:
    """Gradient of the mean cross-entropy by the parameters, and its value.

    Args:
        samples: (B, n).
        wanted: (Q, B) target distribution of every sample.
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
    result = (
        residual.transpose(0, 2, 1) @ codes,
        by_codes.transpose(0, 2, 1) @ samples,
        error.transpose(0, 2, 1) @ codes,
    )
    return result, float(-np.mean(np.sum(wanted * log_shares, axis=0)))


def refine(
    pairs: list[DictionaryPair],
    samples: Array,
    targets: NDArray[np.intp],
    settings: Refinement,
    seed: int,
    progress: bool = False,
) -> list[DictionaryPair]:
    """Refined dictionaries of all classes; the same bits for the same seed, whatever the number of cores.

    Args:
        samples: (N, n), as LpDPL was trained on.
        targets: (N,) classes.
    """
    synthesis, analysis, classifier = (np.stack(arrays).astype(np.float32) for arrays in zip(*pairs, strict=True))
    parameters = (synthesis, analysis, classifier)
    rows = samples.astype(np.float32)
    smoothing = settings.label_smoothing
    wanted = np.full((len(pairs), len(rows)), smoothing / len(pairs), np.float32)
    wanted[targets, np.arange(len(rows))] += 1 - smoothing
    random = np.random.default_rng([seed, len(pairs)])
    batch = min(settings.batch, len(rows))
    steps_an_epoch = len(rows) // batch
    adam = Adam(parameters, settings.rate, settings.epochs * steps_an_epoch)
    with (
        threadpool_limits(limits=1),
        tqdm(total=settings.epochs, desc="refine", disable=None if progress else True) as bar,
    ):
        for _ in range(settings.epochs):
            order = random.permutation(len(rows))
            loss = 0.0
            for step in range(steps_an_epoch):
                chosen = order[step * batch : (step + 1) * batch]
                slopes, value = gradients(parameters, rows[chosen], wanted[:, chosen], settings.sharpness)
                adam.step(slopes)
                synthesis /= np.maximum(1, np.linalg.norm(synthesis, axis=1, keepdims=True))
                loss += value / steps_an_epoch
            bar.set_postfix(loss=f"{loss:.4f}")
            bar.update()
    return [DictionaryPair(*arrays) for arrays in zip(*(array.astype(np.float64) for array in parameters), strict=True)]


class Adam:
    """Adam on a tuple of arrays, in place."""

    def __init__(self, parameters: tuple[Single, ...], rate: float, steps: int) -> None:
        self.parameters, self.rate, self.steps, self.done = parameters, rate, steps, 0
        self.mean = [np.zeros_like(array) for array in parameters]
        self.square = [np.zeros_like(array) for array in parameters]

    def step(self, slopes: tuple[Single, ...]) -> None:
        self.done += 1
        rate = self.rate * 0.5 * (1 + np.cos(np.pi * self.done / self.steps))
        mean_share, square_share = 1 - MOMENTUM**self.done, 1 - SPREAD**self.done
        for array, slope, mean, square in zip(self.parameters, slopes, self.mean, self.square, strict=True):
            mean += np.float32(1 - MOMENTUM) * (slope - mean)
            square += np.float32(1 - SPREAD) * (slope * slope - square)
            array -= (
                np.float32(rate / mean_share) * mean / (np.sqrt(square / np.float32(square_share)) + np.float32(FLOOR))
            )
