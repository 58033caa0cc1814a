"""USPS digits (J. J. Hull, "A database for handwritten text recognition research", 1994) in HDF5.

The groups `train` and `test` each have `data`, floats (N, 256) in [0, 1] for 16x16 pixels, and `target` (N,), 0 to 9.
"""

import io
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import LATIN
from train_host.datasets.dataset import Dataset, index_labels
from train_host.datasets.hdf5 import find_array, read_array
from train_host.datasets.sources import Source

MAGIC = b"\x89HDF\r\n\x1a\n"
_SIDE = 16
_MOST_ROWS = 100_000


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
