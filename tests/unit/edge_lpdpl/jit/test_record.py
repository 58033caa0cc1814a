"""Records: what a kernel takes from one is what was put into it."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at, part_of
from edge_lpdpl.jit.memory import CACHE_LINE
from edge_lpdpl.jit.record import fields_of, layout_of, make_arrays, make_record, request_writer
from edge_lpdpl.numeral import record as numeral
from edge_lpdpl.page import record as page


class Request(NamedTuple):
    address: int
    count: int


class Settings(NamedTuple):
    side: int
    power: float
    signed: bool


class Arrays(NamedTuple):
    levels: Annotated[NDArray[np.uint8], 2, "side"]
    sums: Annotated[NDArray[np.float32], "length"]
    weights: Annotated[NDArray[Any], "length", 3]


LAYOUT = layout_of(Request, Settings, Arrays)


@kernel
def taken(address):
    record = array_at(address, (1,), LAYOUT)[0]
    settings, arrays = part_of(record, Settings), part_of(record, Arrays, np.uint16)
    arrays.sums[1] = 7
    return record.count, settings.side, settings.power, settings.signed, arrays.levels.shape, arrays.weights[4, 2]


@pytest.fixture
def arrays() -> Arrays:
    weights = np.arange(15, dtype=np.uint16).reshape(5, 3)
    return Arrays(np.zeros((2, 4), np.uint8), np.zeros(5, np.float32), weights)


@pytest.mark.parametrize("read", [taken, getattr(taken, "py_func", taken)], ids=["compiled", "plain"])
def test_a_kernel_takes_out_what_was_put_in(arrays, read):
    record = make_record(LAYOUT, Settings(4, 0.5, True), arrays)
    request_writer(record, Request)(0, 12)
    assert read(record.ctypes.data) == (12, 4, 0.5, True, (2, 4), 14)
    assert arrays.sums.tolist() == [0, 7, 0, 0, 0]


class Buffers(NamedTuple):
    levels: Annotated[NDArray[np.uint8], 2, "side"]
    sums: Annotated[NDArray[np.float32], "length"]


def test_arrays_are_made_as_declared():
    levels, sums = make_arrays(Buffers, {"side": 6, "length": 3})
    assert (levels.shape, levels.dtype, sums.shape, sums.dtype) == ((2, 6), np.uint8, (3,), np.float32)
    assert levels.ctypes.data % CACHE_LINE == sums.ctypes.data % CACHE_LINE == 0


def test_an_array_with_gaps_between_its_rows_is_refused(arrays):
    with pytest.raises(ValueError, match="levels has gaps between its rows"):
        make_record(LAYOUT, arrays._replace(levels=np.zeros((2, 8), np.uint8)[:, ::2]))


NUMERAL = (
    *(numeral.Request, numeral.Preprocessing, numeral.HogSettings),
    *(numeral.Workspace, numeral.Weights, numeral.Responses, numeral.Taught),
)
PAGE = (page.Request, page.Scope, page.Limits, page.Buffers)


@pytest.mark.parametrize(("record", "kinds"), [(numeral.RECORD, NUMERAL), (page.RECORD, PAGE)], ids=["numeral", "page"])
def test_no_two_fields_of_a_room_share_a_name(record, kinds):
    fields = [field for kind in kinds for field in fields_of(kind)]
    names = {field.name for field in fields}
    lengths = {length for field in fields for length in field.shape if isinstance(length, str)}
    assert len(names) == len(fields)
    assert names | lengths == set(record.names)
    assert not names & set(dir(np.record)), "in plain Python, record.size is that of NumPy"


def test_a_length_is_not_named_as_an_array_is():
    """The one would be written over the address of the other."""

    class Clash(NamedTuple):
        rows: Annotated[NDArray[np.uint8], "lines"]
        lines: Annotated[NDArray[np.uint8], 3]

    with pytest.raises(TypeError, match="lines: names an array and a length"):
        layout_of(Clash)


def test_no_two_fields_have_one_name():
    """A kernel would find the one where the other was written."""

    class Rules(NamedTuple):
        ends: Annotated[NDArray[np.uint8], 3]

    class Buffers(NamedTuple):
        ends: Annotated[NDArray[np.float64], 4]

    with pytest.raises(TypeError, match="ends: names two fields"):
        layout_of(Rules, Buffers)
