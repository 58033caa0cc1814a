"""A picture file becomes a grey array, and nothing about the file is believed before it is checked."""

import io
import os
import stat
import warnings
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from edge_lpdpl.errors import ImageError
from edge_lpdpl.files.grey import LARGEST_SIDE, SMALLEST_SIDE
from edge_lpdpl.files.text import printable

LARGEST_FILE = 64 << 20
"""Bytes: a photograph of the largest size that is read, hardly compressed."""

# Only these: Pillow would otherwise try every format it knows, some of which start other programs.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "PPM", "WEBP")

_SLOW = ("ppm_plain", "ppm")
"""Decoders of Pillow that are loops in Python: of pictures whose numbers are written out, or whose white is neither 255
nor 65535. A few megabytes would keep us for minutes."""

PathLike = str | os.PathLike[str]


def read_picture(path: PathLike) -> NDArray[np.uint8]:
    """Read a picture file as grey: turned upright as its EXIF data say, what is transparent as white paper.

    Returns:
        (height, width) uint8, C-contiguous and the caller's own; pictures of 16 bits keep their upper 8, moving ones
        their first frame.

    Raises:
        ImageError: the file cannot be had or used; one line, `FILE: what is wrong; what to do`.

    >>> read_picture("none.png")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ImageError: none.png: cannot be opened (No such file or directory); check the path
    """
    name = printable(os.fsdecode(path))
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            data = _read_bounded(file, name)
    except IsADirectoryError:
        raise ImageError(f"{name}: is a folder; name the pictures in it") from None
    except (OSError, ValueError) as error:
        if isinstance(error, ImageError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise ImageError(f"{name}: cannot be opened ({reason}); check the path") from error
    return decode_picture(data, name)


def decode_picture(data: bytes, name: str = "picture") -> NDArray[np.uint8]:
    """The same for the bytes of a picture file; `name` is what errors call it.

    Raises:
        ImageError: no picture, of a kind that is not read, of a size that is not read, or damaged.
        MemoryError: there is not enough memory for it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # oddities in metadata; what matters is raised
            with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
                _check_size(*picture.size, name)
                _check_mode(picture.mode, name)
                _check_decoder(picture, name)
                return _grey(picture)
    except (ImageError, MemoryError):
        raise
    except UnidentifiedImageError:
        kinds = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise ImageError(f"{name}: is no picture of a kind that is read here; give it as {kinds}") from None
    except Image.DecompressionBombError:
        raise ImageError(f"{name}: claims to be far too large; give one of at most {LARGEST_SIDE} a side") from None
    except Exception as error:  # Pillow's decoders let out struct.error, SyntaxError, IndexError and more
        raise ImageError(f"{name}: is damaged ({_one_line(error)}); copy it again") from error


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # else a named pipe would keep us until somebody writes to it


def _read_bounded(file: BinaryIO, name: str) -> bytes:
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise ImageError(f"{name}: is no ordinary file; save the picture into one")
    data = file.read(LARGEST_FILE + 1)
    if not data:
        raise ImageError(f"{name}: is empty; copy it again")
    if len(data) > LARGEST_FILE:
        raise ImageError(f"{name}: is larger than {LARGEST_FILE >> 20} MiB; save it as JPEG or scale it down")
    return data


def _check_size(width: int, height: int, name: str) -> None:
    if max(width, height) > LARGEST_SIDE:
        raise ImageError(f"{name}: is {width}x{height} pixels; scale it down to at most {LARGEST_SIDE} a side")
    if min(width, height) < SMALLEST_SIDE:
        raise ImageError(f"{name}: is {width}x{height} pixels; give one of at least {SMALLEST_SIDE} a side")


def _check_mode(mode: str, name: str) -> None:
    if mode == "F":
        raise ImageError(f"{name}: holds fractions, whose black and white nobody knows; save it with 8 bits")


def _check_decoder(picture: Image.Image, name: str) -> None:
    if isinstance(picture, ImageFile.ImageFile) and any(tile[0] in _SLOW for tile in picture.tile):
        kinds = "a plain PNM, or one whose white is neither 255 nor 65535"
        raise ImageError(f"{name}: is {kinds}; save it as binary PGM or PNG")


def _grey(picture: Image.Image) -> NDArray[np.uint8]:
    ImageOps.exif_transpose(picture, in_place=True)
    if picture.mode.startswith("I"):  # 16 bits, which convert("L") would clip to white
        return np.array(np.clip(np.asarray(picture), 0, 0xFFFF) >> 8, np.uint8)
    if picture.has_transparency_data:
        coloured = picture.convert("RGBA")
        paper = Image.new("L", picture.size, 255)
        return np.array(Image.composite(coloured.convert("L"), paper, coloured.getchannel("A")))
    return np.array(picture.convert("L"))


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())[:120]
    return printable(text) or type(error).__name__
