"""Read a picture file into a grey array. Everything in the file is checked before it is used."""

import contextlib
import io
import os
import struct
import sys
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageFile, ImageOps, UnidentifiedImageError

from edge_lpdpl.errors import ImageError, how_to_install
from edge_lpdpl.files.grey import LARGEST_SIDE, SMALLEST_SIDE
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable

LARGEST_FILE = 64 << 20
"""Bytes: enough for a photograph of the largest size, hardly compressed."""

# Only these: otherwise Pillow tries every format it knows, and some of them start other programs.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "PPM", "WEBP")

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".pgm", ".ppm", ".webp", ".heic", ".heif")
"""Of the names of pictures in a folder."""

_HEIF = "HEIF"
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
"""At byte 8 of a HEIC file; other files of its kind hold films or AVIF."""

_SLOW = {"bmp_rle": "a run-length BMP"} | dict.fromkeys(
    ("ppm_plain", "ppm"), "a plain PNM, or one whose white is neither 255 nor 65535"
)
"""Decoders of Pillow that are loops in Python. They need minutes for a few megabytes."""

MOST_SCANS = 32
"""Passes of a progressive JPEG; programs write 14 at most, and each one costs as much as all pixels once."""

_OPENING, _DECODING = 2_000, 100_000
"""Pieces that Pillow may ask for. Its loops in Python ask for one a turn: chunks, comments, extension blocks."""

_FRACTIONS = "holds fractions, whose black and white nobody knows"

_MORE = "holds several pictures, as an animation does; the first one is read"

_EXIF = b"Exif\0\0"
_LONGEST_EXIF = 64 << 10  # bytes

_SEEN = 192
"""Grey level of the lightest ink that is seen on white paper. What is lighter a drawing program has drawn on black."""
MOST_PIXELS = 50_000_000
"""In a picture that is scaled down: those of most phones. Decoded in colour they take 150 MB."""

STANDARD_INPUT = "-"

PathLike = str | os.PathLike[str]


class Picture(NamedTuple):
    """A picture that may have been scaled down."""

    grey: NDArray[np.uint8]
    """As from `read_picture`."""
    scale: float = 1.0
    """Pixels of the file, a side, for one pixel of `grey`."""
    note: str | None = None
    """That the file holds more than is read, for people; None where it does not."""


def read_picture(path: PathLike) -> NDArray[np.uint8]:
    """Read a picture file as grey: upright by its EXIF data, with transparent pixels as white paper, or
    as black where nothing would be seen on white.

    Returns:
        (height, width) uint8, a new C-contiguous array. Of 16 bits the upper 8 are kept, of animations the first
        frame.

    Raises:
        ImageError: the file cannot be read or used; one line, `FILE: what is wrong; what to do`.

    >>> read_picture("none.png")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ImageError: none.png: cannot be opened (No such file or directory); check the path
    """
    return _decode(_read(path), printable(os.fsdecode(path)), LARGEST_SIDE).grey


def read_large_picture(path: PathLike) -> Picture:
    """As `read_picture`, but a picture of more than 4096 pixels a side is scaled down; "-" is standard input.

    Raises:
        ImageError: as for `read_picture`, or it has more than 50 million pixels.

    >>> from edge_lpdpl.library.shipped import shipped_pictures
    >>> read_large_picture(shipped_pictures()[0]).scale
    1.0
    """
    name = "standard input" if path == STANDARD_INPUT else printable(os.fsdecode(path))
    return _decode(_read_standard_input() if path == STANDARD_INPUT else _read(path), name, MOST_PIXELS)


def _read(path: PathLike) -> bytes:
    if data := read_regular(path, LARGEST_FILE, ImageError):
        return data
    raise ImageError(f"{printable(os.fsdecode(path))}: is empty; copy it again")


def _read_standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        fault = "is closed" if sys.stdin is None else "is a terminal"
        raise ImageError(f"standard input: {fault}; send a picture, as in `edge-lpdpl recognise - < card.jpg`")
    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    if not data or len(data) > LARGEST_FILE:
        fault = f"is larger than {LARGEST_FILE >> 20} MiB" if data else "is empty"
        raise ImageError(f"standard input: {fault}; send one picture")
    return data


def decode_picture(data: bytes, name: str = "picture") -> NDArray[np.uint8]:
    """As `read_picture`, from the bytes of a picture file; errors begin with `name`.

    Raises:
        ImageError: not a picture, of a format or a size that is not read, or damaged.
        MemoryError: there is not enough memory for it.
    """
    return _decode(data, name, LARGEST_SIDE).grey


def _decode(data: bytes, name: str, largest: int) -> Picture:
    """`largest`: pixels a side, or `MOST_PIXELS` for a picture that is scaled down."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd metadata; errors are raised
            # Pillow reads each tag of EXIF data, however large, and some versions do so when they open a JPEG.
            start = data.find(_EXIF) if data.startswith(b"\xff\xd8") else -1
            exif = data[start : start + _LONGEST_EXIF] if start >= 0 else b""
            file = _Rationed(data.replace(_EXIF, bytes(len(_EXIF))) if exif else data)
            with Image.open(file, formats=[_register_heif(name)] if _is_heif(data) else FORMATS) as picture:
                _check(picture, name, largest)
                if picture.format in ("JPEG", "MPO"):
                    file.truncate(_end_of_jpeg(data, file.tell(), name))
                file.ration = _DECODING
                side = max(picture.size)
                if side > LARGEST_SIDE:  # a JPEG is decoded at a half, a quarter or an eighth, in grey
                    width, height = (-(-each * LARGEST_SIDE // side) for each in picture.size)
                    picture.draft("L", (width, height))
                picture.load()
                picture.info["exif"] = _orientation(exif or picture.info.get("exif") or b"")
                grey = _shrunk(_grey(picture))
                scale = side / max(grey.shape) if side > LARGEST_SIDE else 1.0
                return Picture(grey, scale, f"{name}: {_MORE}" if _has_more(picture) else None)
    except (ImageError, MemoryError):
        raise
    except _SpentError:
        raise ImageError(f"{name}: consists of too many small pieces; save it again") from None
    except UnidentifiedImageError:
        kinds = f"{', '.join(FORMATS)} or HEIC"
        raise ImageError(f"{name}: is no picture of a kind that is read here; give it as {kinds}") from None
    except Image.DecompressionBombError:
        raise ImageError(f"{name}: claims to be far too large; scale it down to at most {_most(largest)}") from None
    except Exception as error:  # Pillow's decoders raise struct.error, SyntaxError, IndexError and more
        raise ImageError(f"{name}: is damaged ({_one_line(error)}); copy it again") from error


def grey_of(picture: Image.Image) -> NDArray[np.uint8]:
    """An image of Pillow as grey values, made like those of `read_picture`; the image stays as it is.

    Raises:
        ImageError: it holds fractions, or its file is damaged or was closed.

    >>> grey_of(Image.new("RGB", (3, 2), "white")).tolist()
    [[255, 255, 255], [255, 255, 255]]
    """
    if picture.mode == "F":
        raise ImageError(f"the image {_FRACTIONS}; convert it to 8 bits")
    try:
        return _grey(ImageOps.exif_transpose(picture))
    except (OSError, SyntaxError, ValueError) as error:  # it is decoded only now
        raise ImageError(f"the image is damaged ({_one_line(error)}); copy its file again") from error
    except AssertionError as error:  # of Pillow
        raise ImageError("the image has lost its file, which was closed; read it before, or load() it") from error


def _check(picture: ImageFile.ImageFile, name: str, largest: int) -> None:
    """Refuse a picture that its decoder cannot read well, before it decodes anything."""
    size, sides = f"{picture.width}x{picture.height}", picture.size
    if max(sides) > largest or sides[0] * sides[1] > MOST_PIXELS:
        raise ImageError(f"{name}: is {size} pixels; scale it down to at most {_most(largest)}")
    if min(sides) < SMALLEST_SIDE * max(1.0, max(sides) / LARGEST_SIDE):
        raise ImageError(f"{name}: is {size} pixels; give one of at least {SMALLEST_SIDE} a side")
    if picture.mode == "F":
        raise ImageError(f"{name}: {_FRACTIONS}; save it with 8 bits")
    if slow := [_SLOW[tile[0]] for tile in picture.tile if tile[0] in _SLOW]:
        raise ImageError(f"{name}: is {slow[0]}; save it as binary PGM or PNG")


def _most(largest: int) -> str:
    return f"{LARGEST_SIDE} a side" if largest <= LARGEST_SIDE else f"{MOST_PIXELS // 1_000_000} million pixels"


def _has_more(picture: ImageFile.ImageFile) -> bool:
    """Whether there are further pictures behind the first one. A JPEG has them for other programs: a map of brightness,
    or a small copy."""
    try:
        return picture.format != "MPO" and bool(getattr(picture, "is_animated", False))
    except Exception:  # the second one is damaged
        return True


def _is_heif(data: bytes) -> bool:
    return data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS


def _register_heif(name: str) -> str:
    """The name of the format, once Pillow knows it."""
    try:
        from pillow_heif import register_heif_opener
    except ImportError as error:
        remedy = f"{how_to_install('heic')}, or give it as JPEG"
        raise ImageError(f"{name}: is HEIC, which needs pillow-heif ({error}): {remedy}") from None
    register_heif_opener(thumbnails=False)
    return _HEIF


def _shrunk(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = grey.shape
    if max(height, width) <= LARGEST_SIDE:
        return grey
    factor = LARGEST_SIDE / max(height, width)
    size = max(SMALLEST_SIDE, round(width * factor)), max(SMALLEST_SIDE, round(height * factor))
    return np.array(Image.fromarray(grey).resize(size, Image.Resampling.LANCZOS))


def _end_of_jpeg(data: bytes, first_scan: int, name: str) -> int:
    """Where a JPEG ends, if it has few scans; behind the head these pairs of bytes are always markers."""
    end = data.find(b"\xff\xd9", first_scan) + 2
    end = end if end > 1 else len(data)
    if data.count(b"\xff\xda", first_scan, end) >= MOST_SCANS:
        raise ImageError(f"{name}: has more than {MOST_SCANS} scans; save it as a plain JPEG or PNG")
    return end


class _SpentError(Exception):
    """The ration is spent."""


class _Rationed(io.BytesIO):
    """A file in memory that may be read a number of times."""

    ration = _OPENING

    def read(self, size: int | None = -1) -> bytes:
        self.ration -= 1
        if self.ration < 0:
            raise _SpentError
        return super().read(size)


def _orientation(exif: bytes) -> bytes:
    """EXIF data of nothing but the orientation, which is 1 (upright) if there is none."""
    found = Image.Exif()
    found[ExifTags.Base.Orientation] = 1
    exif = exif.removeprefix(_EXIF)
    order = "<" if exif.startswith(b"II") else ">"
    with contextlib.suppress(struct.error):  # the data end before
        (start,) = struct.unpack_from(f"{order}I", exif, 4)
        (tags,) = struct.unpack_from(f"{order}H", exif, start)
        for place in range(start + 2, start + 2 + 12 * tags, 12):
            tag, value = struct.unpack_from(f"{order}H6xH", exif, place)
            if tag == ExifTags.Base.Orientation:
                found[tag] = value
    return found.tobytes()


def _grey(picture: Image.Image) -> NDArray[np.uint8]:
    ImageOps.exif_transpose(picture, in_place=True)
    if picture.mode.startswith("I"):  # 16 bits, which convert("L") would clip to white
        values = np.clip(np.asarray(picture), 0, 0xFFFF)
        return np.array(values >> 8 if values.max() > 0xFF else values, np.uint8)  # or 8, as of Pillow's convert("I")
    if picture.has_transparency_data:
        coloured = picture.convert("RGBA")
        ink, alpha = coloured.convert("L"), coloured.getchannel("A")
        on_white = np.array(Image.composite(ink, Image.new("L", picture.size, 255), alpha))
        if on_white.min() < _SEEN:
            return on_white
        on_black = np.array(Image.composite(ink, Image.new("L", picture.size, 0), alpha))
        return on_black if on_black.max() >= 255 - _SEEN else on_white
    return np.array(picture.convert("L"))


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())[:120]
    return printable(text) or type(error).__name__
