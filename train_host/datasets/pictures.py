"""Picture files -> grey arrays, with the size checked before anything is decoded."""

import io
import warnings
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from edge_lpdpl.errors import DatasetError
from train_host.datasets.dataset import LONGEST_SIDE
from train_host.datasets.sources import LARGEST_TOTAL, MEBIBYTE, Source

# Only these: Pillow would otherwise try every format it knows, some of which start other programs.
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "PPM", "WEBP")
_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".pgm", ".ppm", ".pbm", ".webp")


def is_picture(name: str) -> bool:
    """Whether the name is that of a picture.

    >>> is_picture("05/a.JPG"), is_picture("readme.txt")
    (True, False)
    """
    return PurePosixPath(name).suffix.lower() in _SUFFIXES


def decode(data: bytes, name: str) -> NDArray[np.uint8]:
    """One picture file as uint8 (height, width) in grey; 16-bit pictures keep their upper 8 bits.

    Raises:
        DatasetError: no picture, a damaged one, or one with a side of more than 4096.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # oddities in metadata; what matters is raised below
            with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
                width, height = picture.size
                if max(width, height) <= LONGEST_SIDE:
                    return _grey(picture)
    except Exception as error:  # Pillow's decoders let out struct.error, SyntaxError, IndexError and more
        raise DatasetError(f"{name!r} is no picture, or a damaged one; replace it or take it out") from error
    raise DatasetError(f"{name!r} is {width}x{height}; the longest side that is read is {LONGEST_SIDE}")


def stack(source: Source, names: Sequence[str]) -> NDArray[np.uint8]:
    """The named pictures, which must have one size, as uint8 (N, height, width) in the order of `names`.

    Raises:
        DatasetError: a picture that cannot be read, of another size than the first, or too much of it all.
    """
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


def _grey(picture: Image.Image) -> NDArray[np.uint8]:
    if picture.mode.startswith("I"):  # 16 bits, which convert("L") would clip to white
        return np.asarray(np.clip(np.asarray(picture, np.int64), 0, 0xFFFF) >> 8, np.uint8)
    return np.asarray(picture.convert("L"), np.uint8)


def _size(picture: NDArray[np.uint8]) -> str:
    height, width = picture.shape
    return f"{width}x{height}"
