"""The bytes of a model file: 8 bytes of header length, a JSON header, the arrays; nothing between, nothing after.

This is the format of the safetensors package. The package itself is not used for reading: it copies every array, takes
the last of two tensors of one name, and its errors do not say what to look for. The checks here come in the same order:
length, cap, UTF-8, JSON, then every byte accounted for. The package is not used for writing either, because a Pi on
which a model is installed must not need it; the bytes are the same.
"""

import json
import math
import os
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.json_text import read_json

MAX_FILE_BYTES = 256 << 20
MAX_HEADER_BYTES = 1 << 20
MAX_METADATA_BYTES = 256 << 10
METADATA_KEY = "edge_lpdpl"
"""The one key of safetensors' table of texts."""

_TYPES = {"F32": np.dtype("<f4"), "U8": np.dtype("u1")}
_MAX_AXES = 4

Array = NDArray[np.float32]


class Container(NamedTuple):
    """The content of a file, not yet interpreted."""

    metadata: str
    """JSON text, not yet parsed."""
    tensors: dict[str, NDArray[Any]]
    """Read-only views of the buffer, float32 or uint8, C-contiguous and aligned."""


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Read a regular file of a sane size.

    Raises:
        ModelError: no such file, not a regular file, no permission, empty, too large.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a FIFO must not make us wait
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be opened ({getattr(error, 'strerror', None) or error})") from error
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise ModelError("is not a regular file")
        if not 0 < status.st_size <= MAX_FILE_BYTES:
            raise ModelError(f"has {status.st_size} bytes, a model has 1 to {MAX_FILE_BYTES}")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(status.st_size)
    except (OSError, MemoryError) as error:
        raise ModelError(f"cannot be read ({getattr(error, 'strerror', None) or 'out of memory'})") from error
    finally:
        os.close(handle)


def split(buffer: bytes) -> Container:
    """Parse the bytes of a file without copying the arrays.

    Raises:
        ModelError: names the first violation of the format.

    >>> split(b"GIF89a..")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: the header is 3327704073058535751 bytes long, in a file of 8
    """
    size = len(buffer)
    if size < 8:
        raise ModelError(f"is too short for a header, {size} bytes")
    header_bytes = int.from_bytes(buffer[:8], "little")
    start = 8 + header_bytes
    if start > size:
        raise ModelError(f"the header is {header_bytes} bytes long, in a file of {size}")
    if header_bytes > MAX_HEADER_BYTES:
        raise ModelError(f"the header is {header_bytes} bytes long, more than {MAX_HEADER_BYTES}")
    if start % 8:
        raise ModelError(f"the arrays are not aligned: they start at byte {start}")
    header = _read_header(buffer[8:start])
    metadata = _metadata_text(header.pop("__metadata__", None))
    spans = {name: _span(name, entry) for name, entry in header.items()}
    _account_for_every_byte(spans, size - start)
    return Container(
        metadata,
        {
            name: np.frombuffer(buffer, kind, math.prod(shape), start + begin).reshape(shape)
            for name, (begin, _, shape, kind) in spans.items()
        },
    )


def join(metadata: str, tensors: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a file; always the same bytes for the same content."""
    named = sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0]))  # so that all are aligned
    header: dict[str, object] = {"__metadata__": {METADATA_KEY: metadata}}
    begin = 0
    for name, array in named:
        end = begin + array.nbytes
        header[name] = {"dtype": type_name(array), "shape": array.shape, "data_offsets": (begin, end)}
        begin = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *(array.tobytes() for _, array in named)])


def type_name(array: NDArray[Any]) -> str:
    """How the header of a file calls the type of an array.

    >>> type_name(np.zeros(3, np.uint8))
    'U8'
    """
    return next(name for name, kind in _TYPES.items() if kind == array.dtype)


def _read_header(data: bytes) -> dict[str, Any]:
    try:
        header = read_json(data.decode(), "header")
    except UnicodeDecodeError as error:
        raise ModelError(f"the header is not UTF-8 at byte {error.start}") from error
    if not isinstance(header, dict):
        raise ModelError("the header is not a JSON table")
    return header


def _metadata_text(table: object) -> str:
    if not isinstance(table, dict) or list(table) != [METADATA_KEY]:
        raise ModelError(f"the metadata is not one text under {METADATA_KEY!r}")
    text = table[METADATA_KEY]
    if not isinstance(text, str):
        raise ModelError("the metadata is not a text")
    if len(text.encode(errors="surrogatepass")) > MAX_METADATA_BYTES:
        raise ModelError(f"the metadata is longer than {MAX_METADATA_BYTES} bytes")
    return text


Span = tuple[int, int, tuple[int, ...], np.dtype[Any]]


def _span(name: str, entry: object) -> Span:
    """Begin, end, shape and type of one tensor, which agree with each other."""
    who = f"tensor {name[:40]!r}"
    if not isinstance(entry, dict) or sorted(entry) != ["data_offsets", "dtype", "shape"]:
        raise ModelError(f"{who} is not described by dtype, shape and data_offsets")
    kind = next((kind for name, kind in _TYPES.items() if name == entry["dtype"]), None)
    if kind is None:
        raise ModelError(f"{who} has dtype {str(entry['dtype'])[:40]!r}, not F32 or U8")
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not _whole_numbers(shape) or not 1 <= len(shape) <= _MAX_AXES or min(shape) < 1:
        raise ModelError(f"{who} has no sensible shape")
    if not _whole_numbers(offsets) or len(offsets) != 2 or offsets[0] % kind.itemsize:
        raise ModelError(f"{who} has no sensible offsets")
    begin, end = offsets
    if end - begin != math.prod(shape) * kind.itemsize:
        raise ModelError(f"{who} has {end - begin} bytes, its shape needs {math.prod(shape) * kind.itemsize}")
    return begin, end, tuple(shape), kind


def _whole_numbers(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is int for value in values)


def _account_for_every_byte(spans: Mapping[str, Span], size: int) -> None:
    """Every byte of the data belongs to exactly one tensor, so that nothing hides and nothing reads beyond the end."""
    reached = 0
    for name, (begin, end, *_) in sorted(spans.items(), key=lambda item: item[1][:2]):
        if begin != reached:
            raise ModelError(f"tensor {name[:40]!r} starts at offset {begin}, the one before ends at {reached}")
        reached = end
    if reached != size:
        raise ModelError(f"the tensors end at offset {reached}, the file has {size} bytes for them")
