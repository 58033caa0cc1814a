"""For any bytes, `read_model` returns a consistent model or raises an error of one line."""

import json
import os
import socket
import struct
import tempfile
import time
import tracemalloc
from pathlib import Path

import pytest
from deadline import within
from hostile_models import ARRAYS, CONTAINERS, HOSTILE, METADATA
from hypothesis import given, settings
from hypothesis import strategies as st
from model_bytes import canonical, contain, data_of, good_arrays, good_file, good_metadata, good_picture_file, header_of
from other_users import nobody

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.container import MAX_FILE_BYTES
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.model import Model


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def complaint(path: Path | str) -> str:
    """The message of the error that `read_model` raises for `path`."""
    with pytest.raises(ModelError) as caught:
        read_model(path)
    line = str(caught.value)
    assert line.isprintable()
    assert len(line) < 300 + 300 + len(str(path))
    assert "; " in line  # the fault; the remedy
    return line


def test_the_tables_below_start_from_a_good_file(path):
    for data in (good_file(), good_picture_file()):
        path.write_bytes(data)
        assert read_model(path).name == "three-by-hand"


def test_no_file_is_hostile_in_the_same_way_as_another():
    assert len(CONTAINERS) + len(METADATA) + len(ARRAYS) == len(HOSTILE) >= 30


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_and_what_is_wrong_with_it_is_named(name, path):
    make, word = HOSTILE[name]
    path.write_bytes(make())
    line = complaint(path)
    assert line.startswith(f"{path}: ")
    assert word in line.removeprefix(f"{path}: ")


@pytest.mark.parametrize("name", CONTAINERS)
def test_refusing_a_container_takes_neither_time_nor_memory(name, path):
    path.write_bytes(CONTAINERS[name][0]())
    tracemalloc.start()
    begin = time.process_time()
    complaint(path)
    seconds, (_, peak) = time.process_time() - begin, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 60  # tracemalloc and an emulator are slow; a quadratic parser would take an hour
    assert peak < 64 << 20


# Paths that are no files.


def test_missing(path):
    assert "No such file" in complaint(path)


def test_a_folder(tmp_path):
    assert "is a folder; name a file" in complaint(tmp_path)


def test_a_pipe_does_not_make_us_wait(path):
    os.mkfifo(path)
    with within(20):
        assert "is no ordinary file" in complaint(path)


def test_a_socket(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("socket")
        assert "cannot be opened" in complaint("socket")


def test_a_device_without_end():
    assert "is no ordinary file" in complaint("/dev/zero")


def test_a_dangling_link(path):
    path.symlink_to("nowhere")
    assert "No such file" in complaint(path)


def test_a_link_to_itself(path):
    path.symlink_to(path)
    assert "symbolic links" in complaint(path)


def test_a_name_that_is_too_long(tmp_path):
    assert "too long" in complaint(tmp_path / ("x" * 300))


def test_a_name_with_a_zero_byte():
    assert "null" in complaint("model\0")  # "byte" or, from Python 3.13 on, "character"


def test_a_name_for_a_terminal(tmp_path):
    assert "\\x1b[2J" in complaint(tmp_path / "\x1b[2J\n")


def test_a_file_that_is_closed_to_us(path):
    path.write_bytes(good_file())
    path.chmod(0)
    with nobody():
        assert "Permission denied" in complaint(path)


@pytest.mark.parametrize("depth", [50, 500, 900, 960, 990, 2000, 50_000])
@pytest.mark.parametrize("where", ["training.settings", "schema", "hog.bins", "labels", "digest"])
def test_json_of_any_depth_is_read_or_refused_in_one_line(where, depth, path):
    """Whichever step meets Python's limit of recursion first."""
    metadata = good_metadata()
    place, *key = where.split(".")
    deep = "[" * depth + "]" * depth
    if key:
        metadata[place][key[0]] = "DEEP"
    else:
        metadata[place] = "DEEP"
    text = canonical(metadata | {"digest": metadata.get("digest", "")}).replace('"DEEP"', deep)
    path.write_bytes(contain(json.dumps(header_of(good_arrays(), text)), data_of(good_arrays())))
    assert "metadata" in (line := complaint(path)) or "nested too deeply" in line or where.split(".")[-1] in line


def test_a_sparse_file_beyond_the_cap(path):
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert "is larger than 32 MiB; give a smaller one" in complaint(path)


def test_a_model_beyond_the_cap_is_not_written(path, monkeypatch):
    """It could not be read again."""
    path.write_bytes(good_picture_file())
    model = read_model(path)
    write_model(path, model)
    size = path.stat().st_size
    monkeypatch.setattr("edge_lpdpl.model.container.MAX_FILE_BYTES", size - 1)
    with pytest.raises(ModelError, match=f"has {size} bytes, a model has at most {size - 1}"):
        write_model(path.with_name("b.safetensors"), model)
    assert os.listdir(path.parent) == [path.name]


def test_a_sparse_file_at_the_cap(path):
    with path.open("wb") as file:
        file.write(contain("{}", b""))
        file.truncate(MAX_FILE_BYTES)
    assert "metadata" in complaint(path)


# Good files, damaged at random.

GOOD = {"features": good_file(), "pictures": good_picture_file()}


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> bytes:
    """One to three flips, cuts, insertions or copied pieces, half of them in the header."""
    data = bytearray(good)
    header_bytes = 8 + struct.unpack("<Q", good[:8])[0]
    for _ in range(draw(st.integers(1, 3))):
        size = max(1, len(data))
        place = draw(st.integers(0, min(size, header_bytes) - 1) | st.integers(0, size - 1))
        length = draw(st.integers(1, 64))
        kind = draw(st.sampled_from(["flip", "cut", "end", "insert", "splice"]))
        if kind == "flip" and data:
            data[place] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del data[place : place + length]
        elif kind == "end":
            del data[place:]
        elif kind == "insert":
            data[place:place] = draw(st.binary(min_size=1, max_size=16))
        else:
            source = draw(st.integers(0, size - 1))
            data[place : place + length] = data[source : source + length]
    return bytes(data)


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Model]:
    folder = tmp_path_factory.mktemp("good")
    for name, data in GOOD.items():
        (folder / name).write_bytes(data)
    return {name: read_model(folder / name) for name in GOOD}


@pytest.mark.parametrize("name", GOOD)
@settings(deadline=None, max_examples=400)
@given(data=st.data())
def test_damage_is_seen_or_harmless(name, data, originals):
    original, data = originals[name], data.draw(damaged(GOOD[name]) | st.binary(max_size=64))
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            model = read_model(file.name)
        except ModelError as error:
            assert str(error).isprintable()  # noqa: PT017  there may be none
            return
    assert model == original
    assert {name: array.tobytes() for name, array in model.tensors().items()} == {
        name: array.tobytes() for name, array in original.tensors().items()
    }
    assert model.to_json() == original.to_json()
