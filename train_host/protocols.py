"""The paper's protocols (section 3.1): which pictures a method is trained on and which it is tested on."""

import time
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from tqdm import tqdm

from edge_lpdpl.errors import DatasetError
from train_host.baselines import OWN, find_method, method_recipe, train_method
from train_host.datasets import Dataset
from train_host.names import BETWEEN_SUBJECT, CONVENTIONAL, PROTOCOLS, STANDARD, WITHIN_SUBJECT
from train_host.recipe import Recipe
from train_host.training import Samples, prepare

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Indices of the training pictures and of the test pictures."""


def make_splits(dataset: Dataset, protocol: str, folds: int, groups: int | None, seed: int) -> list[Split]:
    """Splits of a data set.

    - conventional: stratified folds.
    - within-subject: each split tests the n-th sample of every writer.
    - between-subject: each split tests one writer, or one of `groups` groups of writers.
    - standard: the set's own split.

    Args:
        folds: of the conventional protocol.
        groups: of the between-subject protocol; None is one writer at a time.
        seed: for random folds and groups.

    Raises:
        DatasetError: the set does not record what the protocol needs, or has too few samples, or the protocol is
            unknown.
    """
    everything = np.arange(len(dataset))
    if protocol == STANDARD:
        if dataset.is_test is None:
            raise DatasetError(f"{dataset.name} has no split of its own: use {protocols_of(dataset)}")
        return [(everything[~dataset.is_test], everything[dataset.is_test])]
    if protocol == CONVENTIONAL:
        counts = np.bincount(dataset.targets, minlength=len(dataset.labels))
        if folds < 2 or counts.min() < folds:
            rarest = dataset.labels[int(counts.argmin())].character
            raise DatasetError(
                f"{dataset.name} cannot be cut into {folds} folds: use 2 folds or more, and no more than there are "
                f"pictures of each numeral; of {rarest} there {'is' if counts.min() == 1 else 'are'} {counts.min()}"
            )
        cutter = StratifiedKFold(folds, shuffle=True, random_state=seed)
        return list(cutter.split(everything, dataset.targets))
    if protocol == WITHIN_SUBJECT:
        return _leave_out(everything, _known(dataset.samples, dataset, "sample numbers"))
    if protocol == BETWEEN_SUBJECT:
        writers = _known(dataset.writers, dataset, "writers")
        if groups is not None:
            writers = writer_groups(writers, groups, seed)
        return _leave_out(everything, writers)
    raise DatasetError(f"there is no protocol {protocol!r}: use one of {', '.join(PROTOCOLS)}")


def protocols_of(dataset: Dataset) -> str:
    """The protocols that can split a set, as text for an error message.

    >>> from train_host.datasets import open_dataset
    >>> protocols_of(open_dataset("digits")), protocols_of(open_dataset("synthetic:writers=2,samples=1"))
    ('conventional', 'conventional or between-subject')
    """
    parts = {WITHIN_SUBJECT: dataset.samples, BETWEEN_SUBJECT: dataset.writers, STANDARD: dataset.is_test}
    able = [protocol for protocol, part in parts.items() if part is not None and len(np.unique(part)) > 1]
    return " or ".join([CONVENTIONAL, *able])


def writer_groups(writers: NDArray[np.int64], groups: int, seed: int) -> NDArray[np.int64]:
    """Group (N,) of every picture: the writers (N,) are shuffled and divided into groups of nearly equal size."""
    known = np.random.default_rng(seed).permutation(np.unique(writers))
    group_of = {writer: rank * groups // len(known) for rank, writer in enumerate(known)}
    return np.array([group_of[writer] for writer in writers])


def evaluate(
    dataset: Dataset,
    recipe: Recipe,
    protocol: str,
    *,
    method: str = OWN,
    folds: int = 10,
    groups: int | None = None,
    jobs: int = -1,
    progress: bool = False,
) -> dict[str, Any]:
    """Train and test a method on every split.

    The recipe's seed draws the folds and starts the training. No setting is chosen by the test results.

    Returns:
        accuracy over all test pictures, accuracy of each split (`folds`), their standard deviation, numbers of
        pictures and errors, and what was trained.

    Raises:
        DatasetError: the set cannot be split by this protocol, or has one class only.
        TrainingError: there is no such method, or a training fails.
    """
    start = time.perf_counter()
    find_method(method)
    splits = make_splits(dataset, protocol, folds, groups, recipe.seed)
    samples = prepare(dataset, method_recipe(method, recipe), progress)
    correct = Parallel(n_jobs=jobs, return_as="generator", max_nbytes="1M")(
        delayed(count_correct)(samples, split, recipe, method) for split in splits
    )
    bar = tqdm(correct, total=len(splits), desc=protocol, disable=None if progress else True)
    right = np.array(list(bar))
    sizes = np.array([len(test) for _, test in splits])
    return {
        "accuracy": float(right.sum() / sizes.sum()),
        "std": float((right / sizes).std()),
        "folds": (right / sizes).tolist(),
        "n": int(sizes.sum()),
        "errors": int(sizes.sum() - right.sum()),
        "protocol": protocol,
        "groups": groups,
        "method": method,
        "profile": recipe.profile.name,
        "features": recipe.features,
        "centre": "centroid" if recipe.profile.preprocessing.by_moments else "box",
        "data": dataset.name,
        "digest": dataset.digest,
        "seed": recipe.seed,
        "seconds": time.perf_counter() - start,
    }


def count_correct(samples: Samples, split: Split, recipe: Recipe, method: str = OWN) -> int:
    """Number of test pictures that are read correctly after training on the rest of the split.

    A picture without visible ink counts as wrong.
    """
    chosen, test = split
    classifier = train_method(method, samples, chosen, recipe)
    seen = samples.features[test].any(axis=1)
    decisions = classifier.scores(samples.features[test]).argmin(axis=1)
    return int(np.sum((decisions == samples.targets[test]) & seen))


def _leave_out(everything: NDArray[np.intp], group: NDArray[np.int64]) -> list[Split]:
    names = np.unique(group)
    if len(names) < 2:
        raise DatasetError("there is one group only: nothing would be left to train on")
    return [(everything[group != name], everything[group == name]) for name in names]


def _known(numbers: NDArray[np.int64] | None, dataset: Dataset, what: str) -> NDArray[np.int64]:
    if numbers is None:
        raise DatasetError(f"{dataset.name} does not record its {what}: use {protocols_of(dataset)}")
    return numbers
