"""MNIST's IDX files (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"), plain or gzipped.

An IDX file is a big-endian header followed by the values as bytes. The header is 00 00, 08 for unsigned bytes, the
number of dimensions, and each dimension in 32 bits. Images have three dimensions, labels one. `{set}-images-idx3-ubyte`
belongs to `{set}-labels-idx1-ubyte` in the same folder; the sets `train` and `t10k` are MNIST's split.
"""

import gzip
import io
import math
import os
import re
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import LATIN
from train_host.datasets.dataset import LONGEST_SIDE, SHORTEST_SIDE, Dataset, index_labels
from train_host.datasets.sources import MEBIBYTE, Source, checked_length

_NAME = re.compile(r"(?P<set>.+)-(?P<what>images|labels)[-.]idx[13]-ubyte(\.gz)?", re.IGNORECASE)
_GZIP_MAGIC = b"\x1f\x8b"
_LARGEST_FILE = 256 * MEBIBYTE  # EMNIST's digits, the largest such set in common use, have 188


class Pair(NamedTuple):
    """Names of an images file and of its labels file."""

    images: str
    labels: str
    is_test: bool


def claims(name: str) -> bool:
    """Whether this is the name of an IDX file.

    >>> claims("mnist/train-images-idx3-ubyte.gz"), claims("t10k-labels.idx1-ubyte"), claims("train.csv")
    (True, True, False)
    """
    return _NAME.fullmatch(PurePosixPath(name).name) is not None


def names_beside(path: Path) -> tuple[str, ...]:
    """Name of the images file `path`, and names of its labels files in the same folder.

    Raises:
        DatasetError: `path` does not have the name of an images file.
    """
    match = _NAME.fullmatch(path.name)
    if not match or match["what"].lower() != "images":
        raise DatasetError("point at the images file of an IDX set, called {set}-images-idx3-ubyte")
    others = filter(None, map(_NAME.fullmatch, os.listdir(path.parent)))
    labels = [other[0] for other in others if other["set"] == match["set"] and other["what"].lower() == "labels"]
    return (path.name, *labels)


def read(source: Source) -> Dataset:
    """The one set, or the training set followed by the test set, of the one folder that holds any.

    Raises:
        DatasetError: a file is missing, damaged, or does not fit the others, or there are several such folders.
    """
    pairs = _pair_up(source.names)
    if len({pair.is_test for pair in pairs}) < len(pairs):
        raise DatasetError(f"it holds more than one data set; point at one images file, such as {pairs[0].images!r}")
    parts = [_read_pair(source, pair) for pair in pairs]
    if len({images.shape[1:] for images, _ in parts}) > 1:
        raise DatasetError(f"mixed sizes: {pairs[0].images!r} and {pairs[1].images!r} differ")
    images, digits = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    labels, targets = index_labels(digits, LATIN)
    is_test = np.repeat([pair.is_test for pair in pairs], [len(images) for images, _ in parts])
    return Dataset(source.title, images, labels, targets, is_test=is_test if len(pairs) == 2 else None)


def parse(data: bytes, name: str, ndim: int) -> NDArray[np.uint8]:
    """The content of an IDX file, gzipped or not, as uint8 with `ndim` dimensions.

    Args:
        name: of the file, for error messages.

    Raises:
        DatasetError: the magic number is another one, the sides are too short or too long for a picture, or the file
            does not hold exactly the bytes that its header promises.

    >>> parse(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 5]), "labels", ndim=1)
    array([7, 5], dtype=uint8)
    """
    if data.startswith(_GZIP_MAGIC):
        data = _decompress(data, name)
    magic = bytes([0, 0, 8, ndim])
    if data[:4] != magic:
        raise DatasetError(f"{name!r} starts with {data[:4].hex(' ')}, not with {magic.hex(' ')}; fetch it again")
    header = 4 + 4 * ndim
    if len(data) < header:
        raise DatasetError(f"{name!r} ends within its header; fetch it again")
    shape = struct.unpack_from(f">{ndim}I", data, offset=4)
    if not all(SHORTEST_SIDE <= side <= LONGEST_SIDE for side in shape[1:]):
        raise DatasetError(
            f"{name!r} has pictures of {shape[1:]}; sides of {SHORTEST_SIDE} to {LONGEST_SIDE} can be read"
        )
    promised, held = math.prod(shape), len(data) - header
    if promised != held:
        raise DatasetError(f"{name!r} promises {promised} bytes after its header and holds {held}; fetch it again")
    return np.frombuffer(data, np.uint8, offset=header).reshape(shape)


def _pair_up(names: Iterable[str]) -> list[Pair]:
    """The images and labels of the one folder that has both.

    Some archives hold each file a second time in a separate folder. So folders without a pair are skipped, unless no
    folder has one.
    """
    folders: dict[PurePosixPath, dict[str, dict[str, str]]] = {}
    for name in sorted(names, reverse=True):  # so that a plain file replaces its .gz
        path = PurePosixPath(name)
        if match := _NAME.fullmatch(path.name):
            folders.setdefault(path.parent, {}).setdefault(match["set"], {})[match["what"].lower()] = name
    whole = [sets for sets in folders.values() if any(len(files) == 2 for files in sets.values())]
    if len(whole) > 1:
        raise DatasetError("it holds more than one data set; point at one of its folders")
    pairs = []
    for name, files in (whole or list(folders.values()))[0].items():
        for absent in {"images", "labels"} - files.keys():
            raise DatasetError(f"there is no {absent} file of {name!r} beside {min(files.values())!r}; put it there")
        pairs.append(Pair(files["images"], files["labels"], is_test=name.lower().endswith(("t10k", "test"))))
    return sorted(pairs, key=lambda pair: (pair.is_test, pair.images))


def _read_pair(source: Source, pair: Pair) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    images = parse(source.read(pair.images, _LARGEST_FILE), pair.images, ndim=3)
    digits = parse(source.read(pair.labels, _LARGEST_FILE), pair.labels, ndim=1)
    if len(images) != len(digits):
        raise DatasetError(
            f"{pair.images!r} has {len(images)} images, {pair.labels!r} {len(digits)} labels; not a pair"
        )
    return images, digits


def _decompress(data: bytes, name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return checked_length(file.read(_LARGEST_FILE + 1), name, _LARGEST_FILE)
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(f"{name!r} is a damaged gzip file; fetch it again") from error
