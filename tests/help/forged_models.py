"""What can be wrong with the bytes of a model, and one function each that does it."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from model_bytes import (
    Arrays,
    Table,
    build,
    canonical,
    contain,
    data_of,
    digest,
    good_arrays,
    good_file,
    good_metadata,
    header_of,
    picture_arrays,
    picture_metadata,
)
from numpy.typing import NDArray


def with_array(name: str, change: Callable[[NDArray[Any]], NDArray[Any]]) -> bytes:
    arrays = good_arrays()
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    return build(good_metadata(), arrays)


def with_zeros(**shapes: tuple[int, ...]) -> bytes:
    zeros: Arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    return build(good_metadata(), good_arrays() | zeros)


def without_arrays(*names: str) -> bytes:
    return build(good_metadata(), {name: array for name, array in good_arrays().items() if name not in names})


def with_value(path: str, value: object) -> bytes:
    """A file whose metadata hold `value` at a path such as `hog.bins` or `labels.0`."""
    metadata = good_metadata()
    place: Any = metadata
    *folders, last = path.split(".")
    for folder in folders:
        place = place[int(folder) if isinstance(place, list) else folder]
    place[int(last) if isinstance(place, list) else last] = value
    return build(metadata, good_arrays())


def without_key(path: str) -> bytes:
    metadata = good_metadata()
    *folders, last = path.split(".")
    place = metadata
    for folder in folders:
        place = place[folder]
    del place[last]
    return build(metadata, good_arrays())


def with_text(change: Callable[[str], str]) -> bytes:
    """A file whose metadata text is not what a JSON writer would write."""
    arrays = good_arrays()
    metadata = good_metadata()
    text = canonical(metadata | {"digest": digest(metadata, arrays)})
    return contain(json.dumps(header_of(arrays, change(text))), data_of(arrays))


def with_header(change: Callable[[Table], object], data: bytes | None = None) -> bytes:
    """A file with a changed header. `change` returns the new header, or changes the given one in place."""
    arrays = good_arrays()
    metadata = good_metadata()
    header = header_of(arrays, canonical(metadata | {"digest": digest(metadata, arrays)}))
    changed = change(header)
    text = json.dumps(header if changed is None else changed)
    return contain(text, data_of(arrays) if data is None else data)


def with_entry(name: str, **entry: object) -> bytes:
    return with_header(lambda header: header[name].update(entry))


def with_offsets_beyond_the_end() -> bytes:
    def stretch(header: Table) -> None:
        begin, _ = header["vectors"]["data_offsets"]
        header["vectors"].update(shape=[2**20], data_offsets=[begin, begin + 2**22])

    return with_header(stretch)


def with_hidden_bytes() -> bytes:
    """Eight bytes between two tensors, which belong to neither."""

    def shift(header: Table) -> None:
        for name in sorted(header.keys() - {"__metadata__", "analysis"}):
            begin, end = header[name]["data_offsets"]
            header[name]["data_offsets"] = [begin + 8, end + 8]

    arrays = good_arrays()
    data, first = data_of(arrays), arrays["analysis"].nbytes
    return with_header(shift, data[:first] + b"\xeb\xfe\xeb\xfe\xeb\xfe\xeb\xfe" + data[first:])


def with_repeated_tensor() -> bytes:
    """Two tensors of one name: a reader that takes the first and one that takes the last see different arrays."""
    data = good_file()
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length].decode().rstrip()
    entry = json.dumps(json.loads(header)["vectors"])
    return contain(f'{header[:-1]}, "vectors": {entry}}}', data[8 + length :])


def with_flipped_bit() -> bytes:
    data = bytearray(good_file())
    data[-5] ^= 1
    return bytes(data)


def with_pictures(change: Callable[[Table, Arrays], object]) -> bytes:
    """A file of schema 4 whose metadata or arrays were changed."""
    metadata, arrays = picture_metadata(), picture_arrays()
    change(metadata, arrays)
    return build(metadata, arrays)


def with_shifted_numbers() -> bytes:
    """The pictures of schema 4 first, an odd number of bytes, so that no float32 after them is aligned."""
    metadata, arrays = picture_metadata(), picture_arrays()
    arrays["selftest_pictures"] = arrays["selftest_pictures"][:1]
    header = header_of(arrays, canonical(metadata | {"digest": digest(metadata, arrays)}))
    size = arrays["selftest_pictures"].nbytes
    for name in arrays:
        begin, end = header[name]["data_offsets"]
        header[name]["data_offsets"] = [begin + size, end + size] if name != "selftest_pictures" else [0, size]
    data = data_of(arrays)
    return contain(json.dumps(header), data[-size:] + data[:-size])


def not_a_number(place: int, value: float) -> Callable[[NDArray[Any]], NDArray[Any]]:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array.flat[place] = value
        return array

    return change


def a_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"vectors": 1}))
    return buffer.getvalue()


def as_bfloat16() -> bytes:
    half = good_arrays()["squares"].size * 2
    return with_entry("squares", dtype="BF16", data_offsets=[0, half])
