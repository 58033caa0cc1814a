"""Picture files to grey arrays; the size is checked before anything is decoded."""

from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import DatasetError, ImageError
from edge_lpdpl.files.pictures import decode_picture
from train_host.datasets.sources import LARGEST_TOTAL, MEBIBYTE, Source
from train_host.progress import bar

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


class MixedSizesError(DatasetError):
    """Pictures that should have one size do not."""


SHORTEST, LONGEST = 8, 160
"""Pixels: least side that can be read, and longer side of pictures of mixed sizes at most. The device reduces a numeral
to as much before it looks for ink."""


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
    for image, name in zip(images, bar(f"reading {source.title}", names, unit=" pictures", delay=1), strict=True):
        picture = decode(source.read(name), name)
        if picture.shape != first.shape:
            raise MixedSizesError(
                f"mixed sizes: {name!r} is {_size(picture)}, {names[0]!r} is {_size(first)}; scale them to one size"
            )
        image[:] = picture
    return images


def stack_scaled(source: Source, names: Sequence[str]) -> NDArray[np.uint8]:
    """The named pictures as `stack`, of any sizes: where sizes differ, larger ones are scaled down to `LONGEST`, their
    shape kept, and smaller ones get a margin of their own paper.

    Raises:
        DatasetError: as for `stack`, but for the sizes.
    """
    try:
        return stack(source, names)
    except MixedSizesError:
        scaled = [_reduced(decode(source.read(name), name)) for name in names]
    height, width = (max(picture.shape[axis] for picture in scaled) for axis in (0, 1))
    if len(names) * height * width > LARGEST_TOTAL:
        raise DatasetError(f"{len(names)} pictures of this size need more than {LARGEST_TOTAL // MEBIBYTE} MiB")
    return np.concatenate([with_margin(picture[None], height, width) for picture in scaled])


def _reduced(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = picture.shape
    share = LONGEST / max(height, width)
    if share >= 1:
        return picture
    sides = max(SHORTEST, round(width * share)), max(SHORTEST, round(height * share))
    return np.asarray(Image.fromarray(picture).resize(sides, Image.Resampling.BILINEAR))


def with_margin(images: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Pictures (N, h, w) in the middle of paper (N, height, width) of their own level.

    >>> with_margin(np.full((1, 2, 2), 7, np.uint8), 2, 4).tolist()
    [[[7, 7, 7, 7], [7, 7, 7, 7]]]
    """
    _, high, wide = images.shape
    if (high, wide) == (height, width):
        return images
    top, left = (height - high) // 2, (width - wide) // 2
    framed = np.empty((len(images), height, width), np.uint8)
    framed[:] = border_level(images)[:, None, None]
    framed[:, top : top + high, left : left + wide] = images
    return framed


def _size(picture: NDArray[np.uint8]) -> str:
    height, width = picture.shape
    return f"{width}x{height}"


def box_of(marks: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the marks in a picture (height, width); only zeros where there are none.

    >>> box_of(np.array([[False, False, False], [False, True, True]]))
    (1, 1, 3, 2)
    """
    return Image.fromarray(marks).getbbox() or (0, 0, 0, 0)


def border_level(pictures: NDArray[np.generic]) -> NDArray[np.float64]:
    """Median grey level of the border, which is taken to be paper, of pictures (..., height, width): float64 (...).

    >>> border_level(np.array([[9, 9, 9], [9, 0, 9], [9, 9, 9]])), border_level(np.zeros((2, 8, 8))).shape
    (np.float64(9.0), (2,))
    """
    sides = [pictures[..., 0, :], pictures[..., -1, :], pictures[..., :, 0], pictures[..., :, -1]]
    return np.median(np.concatenate(sides, axis=-1), axis=-1)
