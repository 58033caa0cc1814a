"""Labelled handwriting, in the layouts in which it is distributed.

`open_dataset` detects the layout; each layout has a module that reads it.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from edge_lpdpl.errors import DatasetError
from train_host.datasets import bundled, chinese, class_folders, idx, madbase, pictures, usps
from train_host.datasets.combined import combine
from train_host.datasets.dataset import Dataset
from train_host.datasets.sources import Folder, Source, open_zip

__all__ = ["Dataset", "open_dataset", "open_datasets"]


class Layout(NamedTuple):
    """A layout that is recognised by the names of its files."""

    title: str
    pattern: str
    claims: Callable[[str], bool]
    read: Callable[[Source], Dataset]


_LAYOUTS = (
    Layout("Chinese numbers", "input_{suite}_{sample}_{code}.jpg", chinese.claims, chinese.read),
    Layout("MADBase", "id_{n}_label_{digit}.png", madbase.claims, madbase.read),
    Layout("MNIST-style IDX", "{set}-images-idx3-ubyte[.gz]", idx.claims, idx.read),
)
_CONTAINERS = (".zip", ".h5", ".hdf5")


def open_dataset(source: str | os.PathLike[str]) -> Dataset:
    """Open a data set, whatever its layout.

    Args:
        source: a path, or one of the words `digits` (scikit-learn's) and `synthetic`, `synthetic:{options}` (drawn by
            `train_host.synthetic`). A path leads to

            - the Chinese numbers, a zip or folder with `input_{suite}_{sample}_{code}.jpg` at any depth,
            - MADBase, a zip or folder with `id_{n}_label_{digit}.png`, in `train` and `test` folders or not,
            - IDX files like MNIST's, a zip, a folder, or one images file beside its labels file,
            - pictures in folders named by class (`05` or `五`), a zip or folder,
            - USPS, an HDF5 file.

            `./digits` means a folder of that name.

    Returns:
        the images, uint8 (N, height, width), with their classes, and with writers, samples and split where the layout
        has them. The same data have the same digest, zipped or not.

    Raises:
        DatasetError: the data cannot be read; its one line says which file, what is wrong with it, and what to do.

    >>> digits = open_dataset("digits")
    >>> len(digits), digits.labels[5].value
    (1797, 5)
    """
    if source == "digits":
        return bundled.digits()
    if isinstance(source, str) and (source == "synthetic" or source.startswith("synthetic:")):
        return bundled.synthesise_dataset(source.partition(":")[2])
    path = Path(source)
    try:
        return _open_path(path)
    except (OSError, DatasetError) as error:
        raise DatasetError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def open_datasets(sources: Sequence[str | os.PathLike[str]]) -> Dataset:
    """Open one or more data sets of one script and join them (`combined.combine`).

    Raises:
        DatasetError: one cannot be read, or they do not fit each other.

    >>> both = open_datasets(["digits", "synthetic:script=latin,writers=2"])
    >>> len(both), both.name
    (1997, 'digits, synthetic')
    """
    return combine([open_dataset(source) for source in sources])


def _open_path(path: Path) -> Dataset:
    if path.is_dir():
        return _read_by_names(Folder(path))
    if not path.exists():
        raise DatasetError("there is no such file or folder; the words 'digits' and 'synthetic' need none")
    if not path.is_file():
        raise DatasetError("neither a file nor a folder")
    suffix = path.suffix.lower()
    with path.open("rb") as file:
        start = file.read(len(usps.MAGIC))
    if start.startswith(b"PK") or suffix == ".zip":
        with open_zip(path) as archive:
            return _read_by_names(archive)
    if start == usps.MAGIC or suffix in _CONTAINERS:
        return usps.read(Folder(path.parent, (path.name,), title=path.stem))
    if idx.claims(path.name):
        return idx.read(Folder(path.parent, idx.names_beside(path), title=path.name.split(".")[0]))
    raise DatasetError("not a zip, an HDF5 file or an IDX images file; to read a folder, give the folder")


def _read_by_names(source: Source) -> Dataset:
    found = [layout for layout in _LAYOUTS if any(map(layout.claims, source.names))]
    if len(found) > 1:
        raise DatasetError(f"it holds both {found[0].title} and {found[1].title}; point at one of them")
    if found:
        return found[0].read(source)
    if any(map(pictures.is_picture, source.names)):
        return class_folders.read(source)
    for name in source.names:
        if name.lower().endswith(_CONTAINERS):
            raise DatasetError(f"not a data set itself, but it holds {name!r}; point at that")
    patterns = ", ".join(f"{layout.pattern} ({layout.title})" for layout in _LAYOUTS)
    raise DatasetError(f"no known layout in it; looked for {patterns}, and pictures in folders named such as 05 or 五")
