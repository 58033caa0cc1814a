"""Picture files to grey arrays; the size is checked before anything is decoded."""

from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from edge_lpdpl.errors import DatasetError, ImageError
from edge_lpdpl.files.pictures import decode_picture
from train_host.datasets.sources import LARGEST_TOTAL, MEBIBYTE, Source

_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".pgm", ".ppm", ".pbm", ".webp")


def is_picture(name: str) -> bool:
    """Whether the name has the suffix of a picture file.

    >>> is_picture("05/a.JPG"), is_picture("readme.txt")
    (True, False)
    """
    return PurePosixPath(name).suffix.lower() in _SUFFIXES


def decode(data: bytes, name: str) -> NDArray[np.uint8]:
    """One picture file as grey levels, uint8 (height, width), decoded as the device does it.

    Raises:
        DatasetError: the data is not a picture, is damaged, or has a side of less than 8 or more than 4096 pixels.
    """
    try:
        return decode_picture(data, repr(name))
    except ImageError as error:
        raise DatasetError(str(error)) from error


def stack(source: Source, names: Sequence[str]) -> NDArray[np.uint8]:
    """The named pictures, all of one size, as uint8 (N, height, width) in the order of `names`.

    Raises:
        DatasetError: there is no picture, one cannot be read or has another size than the first, or together they
            need more than `LARGEST_TOTAL` bytes.
    """
    if not names:
        raise DatasetError("there is no picture in it; fetch it again")
    first = decode(source.read(names[0]), names[0])
    if len(names) * first.size > LARGEST_TOTAL:
        raise DatasetError(f"{len(names)} pictures of this size need more than {LARGEST_TOTAL // MEBIBYTE} MiB")
    images = np.empty((len(names), *first.shape), np.uint8)
    with tqdm(names, desc=f"reading {source.title}", unit=" pictures", delay=1, disable=None, leave=False) as progress:
        for image, name in zip(images, progress, strict=True):
            picture = decode(source.read(name), name)
            if picture.shape != first.shape:
                raise DatasetError(
                    f"mixed sizes: {name!r} is {_size(picture)}, {names[0]!r} is {_size(first)}; scale them to one size"
                )
            image[:] = picture
    return images


def _size(picture: NDArray[np.uint8]) -> str:
    height, width = picture.shape
    return f"{width}x{height}"


def border_level(pictures: NDArray[np.generic]) -> NDArray[np.float64]:
    """Median grey level of the border, which is taken to be paper, of pictures (..., height, width): float64 (...).

    >>> border_level(np.array([[9, 9, 9], [9, 0, 9], [9, 9, 9]])), border_level(np.zeros((2, 8, 8))).shape
    (np.float64(9.0), (2,))
    """
    sides = [pictures[..., 0, :], pictures[..., -1, :], pictures[..., :, 0], pictures[..., :, -1]]
    level: NDArray[np.float64] = np.median(np.concatenate(sides, axis=-1), axis=-1)
    return level
