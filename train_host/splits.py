"""The paper's protocols (section 3.1): which pictures a method is trained on and which it is tested on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError

if TYPE_CHECKING:  # the command line needs PROTOCOLS on machines without the extra `train`
    from train_host.datasets import Dataset

CONVENTIONAL, WITHIN_SUBJECT, BETWEEN_SUBJECT = "conventional", "within-subject", "between-subject"
STANDARD = "standard"
PROTOCOLS = {CONVENTIONAL: None, WITHIN_SUBJECT: "samples", BETWEEN_SUBJECT: "writers", STANDARD: "is_test"}
"""Which pictures are trained on and which are tested, and the column of a data set that a protocol splits by;
`make_splits` explains each."""

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
        from sklearn.model_selection import StratifiedKFold

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
    columns = {protocol: column and getattr(dataset, column) for protocol, column in PROTOCOLS.items()}
    able = [name for name, column in columns.items() if column is not None and len(np.unique(column)) > 1]
    return " or ".join([CONVENTIONAL, *able])


def writer_groups(writers: NDArray[np.int64], groups: int, seed: int) -> NDArray[np.int64]:
    """Group (N,) of every picture: the writers (N,) are shuffled and divided into groups of nearly equal size."""
    known = np.random.default_rng(seed).permutation(np.unique(writers))
    group_of = {writer: rank * groups // len(known) for rank, writer in enumerate(known)}
    return np.array([group_of[writer] for writer in writers])


def _leave_out(everything: NDArray[np.intp], group: NDArray[np.int64]) -> list[Split]:
    names = np.unique(group)
    if len(names) < 2:
        raise DatasetError("there is one group only: nothing would be left to train on")
    return [(everything[group != name], everything[group == name]) for name in names]


def _known(numbers: NDArray[np.int64] | None, dataset: Dataset, what: str) -> NDArray[np.int64]:
    if numbers is None:
        raise DatasetError(f"{dataset.name} does not record its {what}: use {protocols_of(dataset)}")
    return numbers
