"""Records: the numbers that kernels need and the addresses of their arrays, in one block of memory.

Unpacking an array that Python hands over costs a kernel as much as 50 pixels of a picture, and a recogniser has 35 of
them. They never move, so their addresses are written down once, and a kernel takes the address of the record alone.
A record keeps no array alive.

A room declares the content of its record as named tuples. A field is a number, or an array with its dtype and shape:
`Annotated[NDArray[np.uint8], 3, "side"]` has three rows, and the record holds the length of each row as `side`.
`edge_lpdpl.jit.intrinsics.part_of` makes such a tuple again from a record.
"""

import ctypes
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.jit.memory import aligned_zeros

Part = TypeVar("Part")

_NUMBERS: dict[Any, Any] = {int: np.int64, float: np.float64, bool: np.bool_}


class Field(NamedTuple):
    """One field of a declaration."""

    name: str
    dtype: Any
    """`Any` for arrays of one dtype or another."""
    shape: tuple[int | str, ...]
    """Lengths, or the names under which the record holds them. Empty for a number."""


def fields_of(kind: Any) -> Iterator[Field]:
    """The fields of a declaration.

    >>> from typing import Annotated
    >>> class Example(NamedTuple):
    ...     level: int
    ...     lines: Annotated[NDArray[np.float32], 3, "side"]
    >>> [field.shape for field in fields_of(Example)]
    [(), (3, 'side')]
    """
    for name, hint in get_type_hints(kind, include_extras=True).items():
        plain = getattr(hint, "__origin__", hint)  # a number may be annotated with its range
        if plain in _NUMBERS:
            yield Field(name, _NUMBERS[plain], ())
        else:
            *_, dtype = get_args(plain)  # NDArray is an alias with one argument since NumPy 2.5, one with two before
            yield Field(name, (get_args(dtype) or (dtype,))[0], hint.__metadata__)


def layout_of(*kinds: Any) -> np.dtype[np.void]:
    """The layout of a record with all fields of these declarations, in their order, and the lengths that they name.

    Raises:
        TypeError: two of them have one name.
    """
    types: dict[str, Any] = {}
    fields = [field for kind in kinds for field in fields_of(kind)]
    lengths = {length for field in fields for length in field.shape if isinstance(length, str)}
    if twice := lengths & {field.name for field in fields if field.shape}:
        raise TypeError(f"{', '.join(sorted(twice))}: names an array and a length")
    if more := [name for name, count in Counter(field.name for field in fields).items() if count > 1]:
        raise TypeError(f"{', '.join(more)}: names two fields")
    for field in fields:
        types[field.name] = np.int64 if field.shape else field.dtype
        types |= dict.fromkeys((length for length in field.shape if isinstance(length, str)), np.int64)
    return np.dtype(list(types.items()), align=True)


def make_arrays(kind: Callable[..., Part], lengths: Mapping[Any, int]) -> Part:
    """Arrays of zeros as declared, each at the beginning of a cache line; `lengths` are those that have names.

    >>> from typing import Annotated
    >>> class Example(NamedTuple):
    ...     lines: Annotated[NDArray[np.float32], 3, "side"]
    >>> make_arrays(Example, {"side": 2}).lines.shape
    (3, 2)
    """
    arrays = []
    for field in fields_of(kind):
        shape: Any = tuple(lengths.get(length, length) for length in field.shape)
        arrays.append(aligned_zeros(shape, field.dtype))
    return kind(*arrays)


def make_record(layout: np.dtype[np.void], *parts: Any) -> NDArray[np.void]:
    """A record (1,) with these tuples: their numbers, the addresses of their arrays, and the lengths that have names.

    The arrays have the shapes that are declared: nothing checks them after this.

    Raises:
        ValueError: an array has gaps between its rows.
    """
    record = np.zeros(1, layout)
    for part in parts:
        for name, _, shape in fields_of(type(part)):
            value = getattr(part, name)
            if not shape:
                record[name] = value
                continue
            if not value.flags.c_contiguous:
                raise ValueError(f"{name} has gaps between its rows")
            record[name] = value.ctypes.data
            for length, size in zip(shape, value.shape, strict=True):
                if isinstance(length, str):
                    record[length] = size
    return record


def request_writer(record: NDArray[np.void], request: Any) -> Callable[..., None]:
    """A function that writes a request, given as its fields one by one, into a record that begins with it."""
    return partial(struct.Struct(f"{len(request._fields)}q").pack_into, record.view(np.uint8).data, 0)


def address_of(picture: NDArray[np.uint8]) -> int:
    """Where a C-contiguous picture begins in memory.

    Every frame asks for it, and `ctypes.data` costs as much as a search of 5,000 of its pixels.

    >>> picture = np.zeros((8, 8), np.uint8)
    >>> address_of(picture) == picture.ctypes.data
    True
    """
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(picture.data))
    except TypeError:  # it may not be written to
        return picture.ctypes.data
