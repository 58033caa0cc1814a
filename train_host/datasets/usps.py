"""USPS digits (J. J. Hull, "A database for handwritten text recognition research", 1994) in HDF5.

The groups `train` and `test` each have `data`, floats (N, 256) in [0, 1] for 16x16 pixels, and `target` (N,), 0 to 9.

An array is read after checking that all of it lies in the file and is as large as declared at most. HDF5 may keep an
array in other files, which the library opens wherever they are; a named pipe would block it for ever. A compressed
chunk may expand a thousandfold, whatever its declared size.
"""

import io
import math
import zlib
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import LATIN
from train_host.datasets.dataset import Dataset, index_labels
from train_host.datasets.sources import Source

MAGIC = b"\x89HDF\r\n\x1a\n"
_SIDE = 16
_MOST_ROWS = 100_000
_GZIP, _SHUFFLE, _CHECKSUM = h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32
_CHECKSUM_BYTES = 4
MOST_CHUNKS = 100_000
"""Chunks of an array at most: while it reads, the library keeps 4 kB for each, even for an empty one."""


def read(source: Source) -> Dataset:
    """The only file of `source`, the training part before the test part.

    Raises:
        DatasetError: it is not HDF5, or an array is missing, has another shape, lies in another file, or has values
            out of range.
    """
    data = source.read(source.names[0])
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            parts = [_read_part(file, part) for part in ("train", "test")]
    except DatasetError:
        raise
    except Exception as error:  # h5py raises OSError, RuntimeError, KeyError, ValueError for damaged files
        raise DatasetError("not an HDF5 file, or a damaged one; fetch it again") from error
    images = np.concatenate([images for images, _ in parts])
    labels, targets = index_labels(np.concatenate([digits for _, digits in parts]), LATIN)
    is_test = np.arange(len(images)) >= len(parts[0][0])
    return Dataset(name="usps", images=images, labels=labels, targets=targets, is_test=is_test)


def _read_part(file: h5py.File, part: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    pixels = _array(file, f"{part}/data", "f", ndim=2)
    digits = _array(file, f"{part}/target", "iu", ndim=1)
    if pixels.shape != (len(digits), _SIDE * _SIDE):
        raise DatasetError(
            f"{part}/data has the shape {pixels.shape}; {part}/target asks for ({len(digits)}, {_SIDE * _SIDE})"
        )
    if not ((pixels >= 0) & (pixels <= 1)).all():  # in this form NaN fails, too
        raise DatasetError(f"{part}/data has values outside [0, 1]; divide by the largest grey first")
    if not ((digits >= 0) & (digits <= 9)).all():
        raise DatasetError(f"{part}/target has values outside 0..9")
    images = np.rint(pixels * 255).astype(np.uint8).reshape(-1, _SIDE, _SIDE)
    return images, digits.astype(np.int64)


def _array(file: h5py.File, key: str, kinds: str, *, ndim: int) -> NDArray[Any]:
    """The array at `key`, read only after its type and size are checked."""
    array = find_array(file, key)
    if array is None:
        raise DatasetError(f"no array {key}; looked for train/data, train/target, test/data, test/target (USPS)")
    if array.dtype.kind not in kinds or array.ndim != ndim:
        raise DatasetError(f"{key} is {array.dtype} of shape {array.shape}; not the layout of USPS")
    if len(array) > _MOST_ROWS:
        raise DatasetError(f"{key} has the shape {array.shape}; at most {_MOST_ROWS} rows are read")
    return read_array(array, _MOST_ROWS * _SIDE * _SIDE)


def find_array(file: h5py.File, key: str) -> h5py.Dataset | None:
    """The array at `key`, without reading its values; None if there is none.

    Raises:
        DatasetError: the array is, or may be, kept in another file.
    """
    parts = key.split("/")
    for depth in range(1, len(parts) + 1):
        link = file.get("/".join(parts[:depth]), getlink=True)
        if link is not None and not isinstance(link, h5py.HardLink):
            raise DatasetError(f"{key} is a link; put the array itself into the file")
    array = file.get(key)
    if not isinstance(array, h5py.Dataset):
        return None
    if array.external or array.is_virtual:
        raise DatasetError(f"{key} is kept in other files; put the array itself into this one")
    return array


def read_array(array: h5py.Dataset, most: int) -> NDArray[Any]:
    """All of an array that `find_array` found.

    Args:
        most: largest number of elements of the array, and of a chunk.

    Raises:
        DatasetError: the array has more elements, or more than `MOST_CHUNKS` chunks, or a chunk has another
            compression than gzip or expands to more than its declared size.
    """
    if array.size > most:
        raise DatasetError(f"{array.name} has {array.size} elements; at most {most} are read")
    if array.chunks is not None:
        _check_chunks(array, most)
    return array[()]


def _check_chunks(array: h5py.Dataset, most: int) -> None:
    if math.prod(array.chunks) > most:
        raise DatasetError(f"{array.name} has chunks of {array.chunks}; at most {most} elements are read")
    if math.prod(-(-length // side) for length, side in zip(array.shape, array.chunks, strict=True)) > MOST_CHUNKS:
        raise DatasetError(f"{array.name} is in more than {MOST_CHUNKS} chunks; save it in larger ones")
    settings = array.id.get_create_plist()
    filters = [settings.get_filter(place)[0] for place in range(settings.get_nfilters())]
    if len(set(filters)) < len(filters) or not {_GZIP, _SHUFFLE, _CHECKSUM}.issuperset(filters):
        raise DatasetError(f"{array.name} has another compression than gzip; save it plain or with gzip")
    if _GZIP not in filters:
        return
    skipped = 1 << filters.index(_GZIP)
    largest = math.prod(array.chunks) * array.dtype.itemsize + _CHECKSUM_BYTES
    places: list[tuple[int, ...]] = []
    array.id.chunk_iter(lambda chunk: places.append(chunk.chunk_offset))  # a query by number counts from the start
    for place in places:
        mask, packed = array.id.read_direct_chunk(place)
        if not mask & skipped and len(zlib.decompressobj().decompress(packed, largest + 1)) > largest:
            raise DatasetError(f"{array.name} has a chunk that is larger than it says; fetch the file again")
