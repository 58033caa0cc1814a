"""Read an array of an HDF5 file, after checking that all of it lies in that file and is as large as declared at most.

HDF5 may keep an array in other files, which the library opens wherever they are; a named pipe would block it for ever.
A compressed chunk may expand a thousandfold, whatever its declared size.
"""

import math
import zlib
from typing import Any

import h5py
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError

_GZIP, _SHUFFLE, _CHECKSUM = h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32
_CHECKSUM_BYTES = 4
MOST_CHUNKS = 100_000
"""Chunks of an array at most: while it reads, the library keeps 4 kB for each, even for an empty one."""


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
