"""What every reader of this package returns: pictures with their classes, and with their writers where known."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import Label

SHORTEST_SIDE, LONGEST_SIDE = 8, 4096


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled handwriting, checked when it is made, so that every `Dataset` is valid.

    Attributes:
        name: name of the set in reports.
        images: uint8 (N, height, width), C-contiguous; grey, either polarity; sides of 8 to 4096 pixels.
        labels: the classes, sorted by value; training needs two or more, scoring one.
        targets: intp (N,), index of each picture's class in `labels`.
        writers: int64 (N,) or None; the writer of each picture. Equal numbers are the same person.
        samples: int64 (N,) or None; which repetition of the character by its writer a picture is.
        is_test: bool (N,) or None; the set's own split, True in its test part.
        unread: kinds of files beside the pictures that cannot be read, such as `.heic`, and how many of each.
        twins: how many pictures were left out because all their pixels are those of another one: it would be in a
            training and a test part.

    Raises:
        DatasetError: the arrays do not agree with each other or with the list above.

    >>> images = np.zeros((4, 8, 8), np.uint8)
    >>> four = Dataset("four", images, (Label("1", 1), Label("2", 2)), np.array([0, 1, 0, 1]))
    >>> len(four), len(four.subset([0, 3])), four.digest[:7]
    (4, 2, 'sha256:')
    """

    name: str
    images: NDArray[np.uint8]
    labels: tuple[Label, ...]
    targets: NDArray[np.intp]
    writers: NDArray[np.int64] | None = None
    samples: NDArray[np.int64] | None = None
    is_test: NDArray[np.bool_] | None = None
    unread: tuple[tuple[str, int], ...] = ()
    twins: int = 0

    def __post_init__(self) -> None:
        _check_images(self.images)
        _check_labels(self.labels)
        store = object.__setattr__  # the only place where this frozen dataclass is written
        store(self, "images", np.ascontiguousarray(self.images))
        store(self, "targets", self._column("targets", "iu", np.intp))
        store(self, "writers", self._column("writers", "iu", np.int64))
        store(self, "samples", self._column("samples", "iu", np.int64))
        store(self, "is_test", self._column("is_test", "b", np.bool_))
        if self.targets.min() < 0 or self.targets.max() >= len(self.labels):
            raise DatasetError(f"a target lies outside 0..{len(self.labels) - 1}, the indices of the labels")

    def _column(self, field: str, kinds: str, dtype: type[np.generic]) -> NDArray[Any] | None:
        """The field as a contiguous array of `dtype`, with one entry per image; None stays None."""
        column = getattr(self, field)
        if column is None:
            return None
        if not isinstance(column, np.ndarray) or column.dtype.kind not in kinds:
            raise DatasetError(f"{field} must be an array of {np.dtype(dtype).name}")
        if column.shape != (len(self.images),):
            raise DatasetError(f"{field} has the shape {column.shape}, but there are {len(self.images)} images")
        return np.ascontiguousarray(column, dtype)

    def __len__(self) -> int:
        return len(self.images)

    @cached_property
    def digest(self) -> str:
        """`sha256:<hex>` over labels, image shape, targets, writers and pixels: the same data, the same digest.

        The name is left out, and the readers sort what they read, so a zip and a folder give the same digest.
        """
        header = {"labels": self.labels, "shape": self.images.shape, "writers": self.writers is not None}
        sha256 = hashlib.sha256(json.dumps(header).encode())
        sha256.update(self.targets.astype("<i8").tobytes())
        if self.writers is not None:
            sha256.update(self.writers.astype("<i8").tobytes())
        sha256.update(self.images.data)
        return f"sha256:{sha256.hexdigest()}"

    def check_trainable(self) -> None:
        """Check that a model can be trained on this set.

        Raises:
            DatasetError: there is one class only.
        """
        if len(self.labels) < 2:
            only = self.labels[0].character
            raise DatasetError(f"{self.name}: one class only ({only}); give two or more to tell apart")

    def written_by(self, spans: Sequence[tuple[int, int]] | None) -> "Dataset":
        """The images by the writers of the spans.

        Args:
            spans: first and last number of a range of writers, both included; None is all.

        Raises:
            DatasetError: the writers are not known, or the set has no images by these.
        """
        if spans is None:
            return self
        if self.writers is None:
            raise DatasetError(f"{self.name} does not record its writers: leave out --writers")
        chosen = np.any([(self.writers >= first) & (self.writers <= last) for first, last in spans], axis=0)
        if not chosen.any():
            theirs = f"{self.writers.min()} to {self.writers.max()}"
            raise DatasetError(f"{self.name} has nothing by these writers; its own are {theirs}")
        return self.subset(chosen)

    def subset(self, indices: ArrayLike) -> "Dataset":
        """The images at `indices` (numbers in any order, or a mask (N,) of bool), with all labels kept.

        Raises:
            DatasetError: nothing would be left.
        """
        chosen = np.asarray(indices)
        if not chosen.size:
            chosen = chosen.astype(np.intp)  # NumPy makes an array of floats of an empty list
        columns = {name: getattr(self, name) for name in ("images", "targets", "writers", "samples", "is_test")}
        return replace(self, **{name: column[chosen] for name, column in columns.items() if column is not None})


def picture_keys(images: NDArray[np.uint8]) -> list[bytes | None]:
    """A hash of 16 bytes for each picture of (N, height, width), equal where all pixels are equal. None for one of a
    single grey level: those may be equal by chance.

    >>> blank, one, two, again = picture_keys(np.array([[[7, 7]], [[0, 9]], [[9, 0]], [[0, 9]]], np.uint8))
    >>> blank is None, one == again, one == two
    (True, True, False)
    """
    return [
        hashlib.blake2b(image.tobytes(), digest_size=16).digest() if image.min() < image.max() else None
        for image in images
    ]


def index_labels(
    values: Sequence[int] | NDArray[Any], script: Sequence[Label]
) -> tuple[tuple[Label, ...], NDArray[np.intp]]:
    """Labels of `script` that occur in `values` (N,), sorted by value, and the index (N,) of each value among them.

    Raises:
        DatasetError: the script has no numeral for a value.

    >>> from edge_lpdpl.model.labels import LATIN
    >>> index_labels([7, 3, 7], LATIN)
    ((Label(character='3', value=3), Label(character='7', value=7)), array([1, 0, 1]))
    """
    label_of = {label.value: label for label in script}
    occurring, targets = np.unique(np.asarray(values, np.int64), return_inverse=True)
    for value in occurring.tolist():
        if value not in label_of:
            raise DatasetError(f"the label {value} is none of {', '.join(map(str, label_of))}")
    return tuple(label_of[value] for value in occurring.tolist()), targets.astype(np.intp)


def _check_images(images: NDArray[np.uint8]) -> None:
    if not isinstance(images, np.ndarray) or images.dtype != np.uint8 or images.ndim != 3:
        raise DatasetError("images must be a uint8 array of shape (N, height, width)")
    if not len(images):
        raise DatasetError("there are no images in it")
    _, height, width = images.shape
    if min(height, width) < SHORTEST_SIDE or max(height, width) > LONGEST_SIDE:
        raise DatasetError(
            f"the images are {width}x{height}; sides of {SHORTEST_SIDE} to {LONGEST_SIDE} pixels can be read"
        )


def _check_labels(labels: tuple[Label, ...]) -> None:
    if not labels:
        raise DatasetError("there are no classes in it")
    values = [label.value for label in labels]
    if values != sorted(set(values)):
        raise DatasetError("labels must be sorted by value, each value once")
