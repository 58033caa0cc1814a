"""MADBase, Arabic digits (S. Abdelazeem, E. El-Sherif, American University in Cairo), as pictures.

A picture is `id_{n}_label_{digit}.png`. Ids start at 1, separately in `train/` and in `test/`. Each writer wrote the
ten digits ten times, so a hundred consecutive ids are one writer, and ten consecutive ids one pass of 0 to 9.
"""

import re
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import ARABIC_INDIC
from train_host.datasets import pictures
from train_host.datasets.dataset import Dataset, index_labels
from train_host.datasets.sources import Source

_PICTURE = re.compile(r"id_(\d{1,7})_label_([0-9])\.\w+", re.ASCII)
_DIGITS_PER_WRITER, _DIGITS_PER_PASS = 100, 10


class Key(NamedTuple):
    """What the name and folder of a file say about its picture."""

    is_test: bool
    number: int
    digit: int


def claims(name: str) -> bool:
    """Whether a file with this name belongs to such a set.

    >>> claims("test/id_1_label_0.png"), claims("test/0/id_1.png")
    (True, False)
    """
    base = PurePosixPath(name).name
    return base.startswith("id_") and "_label_" in base and pictures.is_picture(base)


def read(source: Source) -> Dataset:
    """All pictures, the training part before the test part, sorted by id; a split only if both parts are there.

    The writers of the test part are other people, so their numbers follow those of the training part.

    Raises:
        DatasetError: a picture is misnamed or damaged, or an id occurs twice.
    """
    name_of = _index_pictures(source)
    keys = sorted(name_of)
    images = pictures.stack(source, [name_of[key] for key in keys])
    in_test, numbers, digits = np.array(keys).T
    labels, targets = index_labels(digits, ARABIC_INDIC)
    is_test, place = in_test == 1, numbers - 1
    writers, samples = place // _DIGITS_PER_WRITER, place % _DIGITS_PER_WRITER // _DIGITS_PER_PASS + 1
    has_split = bool(is_test.any() and not is_test.all())
    if has_split:
        writers[is_test] += writers[~is_test].max() + 1
    return Dataset("madbase", images, labels, targets, writers, samples, is_test if has_split else None)


def _index_pictures(source: Source) -> dict[Key, str]:
    name_of: dict[Key, str] = {}
    taken: dict[tuple[bool, int], str] = {}
    for name in filter(claims, source.names):
        match = _PICTURE.fullmatch(PurePosixPath(name).name)
        if not match or int(match[1]) < 1:
            raise DatasetError(f"{name!r} is not named id_{{n}}_label_{{digit}}.png, n from 1 on; rename it")
        key = Key(_in_test_folder(name), int(match[1]), int(match[2]))
        if other := taken.get((key.is_test, key.number)):
            raise DatasetError(f"{name!r} and {other!r} have the same id; take one out")
        taken[key.is_test, key.number] = name
        name_of[key] = name
    return name_of


def _in_test_folder(name: str) -> bool:
    """Whether the innermost folder named train or test is test; a set without such folders is one part."""
    folders = [part.lower() for part in PurePosixPath(name).parent.parts]
    return next((part == "test" for part in reversed(folders) if part in ("train", "test")), False)
