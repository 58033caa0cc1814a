"""Several data sets as one, such as digits by other pens beside a set that was written with one."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import Label
from train_host.datasets.dataset import Dataset, picture_keys
from train_host.datasets.pictures import with_margin

_SAME = "two of these sets have the same pictures; name each set once"


def combine(parts: Sequence[Dataset]) -> Dataset:
    """One data set of the pictures of all parts, in order; a single part is returned as it is.

    Smaller pictures get a margin of their own paper, whose level their border shows: the size of the ink does not
    change. Writers and samples are kept where all parts record them; writers of two parts are never the same person.
    A part without its own split is training data if another part has one. A picture that a part before has is left
    out.

    Raises:
        DatasetError: a part has no pictures but those of others, a picture is in two classes, or the parts call the
            same value by different characters.

    >>> from train_host.datasets import open_dataset
    >>> both = combine([open_dataset("digits"), open_dataset("synthetic:script=latin,writers=2,samples=1,size=32")])
    >>> both.name, len(both), both.images.shape[1:], both.writers is None
    ('digits, synthetic', 1817, (32, 32), True)
    """
    if len(parts) == 1:
        return parts[0]
    names = ", ".join(dict.fromkeys(part.name for part in parts))
    if len({part.digest for part in parts}) < len(parts):
        raise DatasetError(f"{names}: {_SAME}")
    parts = _without_twins(parts, names)
    labels = _all_labels(parts)
    place = {label: index for index, label in enumerate(labels)}
    height, width = (max(part.images.shape[axis] for part in parts) for axis in (1, 2))
    splits = [np.zeros(len(part), np.bool_) if part.is_test is None else part.is_test for part in parts]
    return Dataset(
        name=names,
        images=np.concatenate([with_margin(part.images, height, width) for part in parts]),
        labels=labels,
        targets=np.concatenate([np.array([place[label] for label in part.labels])[part.targets] for part in parts]),
        writers=_apart([part.writers for part in parts]),
        samples=_together([part.samples for part in parts]),
        is_test=None if all(part.is_test is None for part in parts) else np.concatenate(splits),
        unread=tuple(kind for part in parts for kind in part.unread),
        twins=sum(part.twins for part in parts),
    )


def _without_twins(parts: Sequence[Dataset], names: str) -> list[Dataset]:
    """The parts without pictures that a part before has."""
    known, kept = dict[bytes, Label](), list[Dataset]()
    for part in parts:
        keys = picture_keys(part.images)
        own = {key: part.labels[target] for key, target in zip(keys, part.targets, strict=True) if key}
        for key, label in own.items():
            if known.get(key, label).value != label.value:
                both = f"{known[key].character}, in {part.name} for {label.character}"
                raise DatasetError(f"{names}: a picture stands for {both}; take it out of the wrong one")
        if own and own.keys() <= known.keys():
            raise DatasetError(f"{names}: {_SAME}")
        new = np.array([key not in known for key in keys])
        left_out = int((~new).sum())
        kept.append(replace(part.subset(new), twins=part.twins + left_out) if left_out else part)
        known |= own
    return kept


def _all_labels(parts: Sequence[Dataset]) -> tuple[Label, ...]:
    """Labels of all parts by value."""
    found: dict[int, tuple[Label, str]] = {}
    for part in parts:
        for label in part.labels:
            known, name = found.setdefault(label.value, (label, part.name))
            if known != label:
                raise DatasetError(
                    f"{part.name} writes {label.value} as {label.character}, {name} as {known.character}; "
                    "give sets of one script"
                )
    return tuple(found[value][0] for value in sorted(found))


def _together(columns: Sequence[NDArray[np.int64] | None]) -> NDArray[np.int64] | None:
    known = [column for column in columns if column is not None]
    return np.concatenate(known) if len(known) == len(columns) else None


def _apart(writers: Sequence[NDArray[np.int64] | None]) -> NDArray[np.int64] | None:
    """Writers of all parts, numbered on from part to part; those of the first part keep their numbers."""
    known = [column for column in writers if column is not None]
    shifts = accumulate((int(np.ptp(column)) + 1 for column in known), initial=int(known[0].min()) if known else 0)
    moved = [column - column.min() + shift for column, shift in zip(known, shifts, strict=False)]
    return _together(moved) if len(known) == len(writers) else None
