"""The bytes of a model file: 8 bytes of header length, a JSON header, the arrays; nothing between, nothing after.

This is the format of the safetensors package. The package itself is not used for reading: it copies every array, takes
the last of two tensors of one name, and its errors do not say what to look for. The checks here come in the same order:
length, cap, UTF-8, JSON, then every byte accounted for. The package is not used for writing either, because a Pi on
which a model is installed must not need it; the bytes are the same.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.json_text import read_json

MAX_FILE_BYTES = 32 << 20
"""The shipped models have 0.3 MB. A service of 150 MB needs 60 MB more to replace a model of this size by another one,
and stays far below the 400 MB that its unit allows."""
MAX_HEADER_BYTES = 1 << 20
MAX_METADATA_BYTES = 256 << 10
METADATA_KEY = "edge_lpdpl"
"""The one key of safetensors' table of texts."""

_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "U8": np.dtype("u1")}
_MAX_AXES = 4

Array = NDArray[np.float32]
Tensors = dict[str, NDArray[Any]]
"""Arrays of float32 or uint8 by name."""


def split(buffer: bytes) -> tuple[str, Tensors]:
    r"""The metadata of a file, a JSON text not yet parsed, and its arrays: read-only views of the buffer, aligned.

    Raises:
        ModelError: names the first violation of the format.

    >>> split(b"\x10\0\0\0\0\0\0\0")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: is of another kind, or cut off: the header is 16 bytes long, in a file of 8
    """
    size = len(buffer)
    if size > MAX_FILE_BYTES:
        raise ModelError(f"has {size} bytes, a model has at most {MAX_FILE_BYTES}")
    if size < 8:
        raise ModelError(f"is too short for a header, {size} bytes")
    header_bytes = int.from_bytes(buffer[:8], "little")
    start = 8 + header_bytes
    if start > size:
        fault = f"the header is {header_bytes} bytes long, in a file of {size}"
        raise ModelError(f"is of another kind, or cut off: {fault}")
    if header_bytes > MAX_HEADER_BYTES:
        raise ModelError(f"the header is {header_bytes} bytes long, more than {MAX_HEADER_BYTES}")
    if start % 8:
        raise ModelError(f"the arrays are not aligned: they start at byte {start}")
    try:
        header = read_json(buffer[8:start].decode(), "header")
    except UnicodeDecodeError as error:
        raise ModelError(f"the header is not UTF-8 at byte {error.start}") from error
    if not isinstance(header, dict):
        raise ModelError("the header is not a JSON table")
    metadata = _metadata_text(header.pop("__metadata__", None))
    return metadata, _views(header, memoryview(buffer)[start:])


def join(metadata: str, tensors: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a file; always the same bytes for the same content."""
    header: dict[str, object] = {"__metadata__": {METADATA_KEY: metadata}}
    data = bytearray()
    for name, array in sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])):  # so all are aligned
        offsets = len(data), len(data) + array.nbytes
        header[name] = {"dtype": type_name(array), "shape": array.shape, "data_offsets": offsets}
        data += array.tobytes()
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def type_name(array: NDArray[Any]) -> str:
    """The name of an array's type in the header of a file.

    >>> type_name(np.zeros(3, np.uint8))
    'U8'
    """
    return next(name for name, kind in _TYPES.items() if kind == array.dtype)


def _metadata_text(table: object) -> str:
    text = table.get(METADATA_KEY) if isinstance(table, dict) and len(table) == 1 else None
    if not isinstance(text, str):
        raise ModelError(f"the metadata is not one text under {METADATA_KEY!r}")
    if len(text.encode(errors="surrogatepass")) > MAX_METADATA_BYTES:
        raise ModelError(f"the metadata is longer than {MAX_METADATA_BYTES} bytes")
    return text


def _views(header: dict[str, Any], data: memoryview) -> Tensors:
    """The tensors. Every byte of the data belongs to exactly one, so nothing hides and nothing reads past the end."""
    spans = sorted((*_span(name, entry), name) for name, entry in header.items())
    reached = 0
    for begin, end, *_, name in spans:
        if begin != reached:
            raise ModelError(f"tensor {name[:40]!r} starts at offset {begin}, the one before ends at {reached}")
        reached = end
    if reached != len(data):
        raise ModelError(f"the tensors end at offset {reached}, the file has {len(data)} bytes for them")
    return {
        name: np.frombuffer(data[begin:end], _TYPES[kind]).reshape(shape) for begin, end, shape, kind, name in spans
    }


def _span(name: str, entry: object) -> tuple[int, int, tuple[int, ...], str]:
    """Begin, end, shape and type of one tensor, which agree with each other."""
    who = f"tensor {name[:40]!r}"
    if not isinstance(entry, dict) or sorted(entry) != ["data_offsets", "dtype", "shape"]:
        raise ModelError(f"{who} is not described by dtype, shape and data_offsets")
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in _TYPES:
        raise ModelError(f"{who} has dtype {str(kind)[:40]!r}, not F32 or U8")
    if not _whole_numbers(shape) or not 1 <= len(shape) <= _MAX_AXES or min(shape) < 1:
        raise ModelError(f"{who} has no sensible shape")
    if not _whole_numbers(offsets) or len(offsets) != 2 or offsets[0] % _TYPES[kind].itemsize:
        raise ModelError(f"{who} has no sensible offsets")
    begin, end = offsets
    needed = math.prod(shape) * _TYPES[kind].itemsize
    if end - begin != needed:
        raise ModelError(f"{who} has {end - begin} bytes, its shape needs {needed}")
    return begin, end, tuple(shape), kind


def _whole_numbers(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is int and abs(value) < 2**63 for value in values)
