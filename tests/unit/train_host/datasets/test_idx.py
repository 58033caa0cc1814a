"""MNIST's IDX files, plain and gzipped, in folders, in zips and on their own."""

import gzip

import numpy as np
import pytest
from dataset_files import Files, idx, pixels, result_or_error, write
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import LATIN
from train_host.datasets import open_dataset
from train_host.datasets.idx import parse

IMAGES = np.stack([pixels(seed, 9) for seed in range(5)])
DIGITS = np.array([3, 7, 3, 0, 7], np.uint8)
TRAIN = {"train-images-idx3-ubyte": idx(IMAGES[:3]), "train-labels-idx1-ubyte": idx(DIGITS[:3])}
TEST = {"t10k-images-idx3-ubyte": idx(IMAGES[3:]), "t10k-labels-idx1-ubyte": idx(DIGITS[3:])}
MNIST = TRAIN | TEST


def gzipped(files: Files) -> Files:
    return {f"{name}.gz": gzip.compress(data) for name, data in files.items()}


def renamed(files: Files, old: str, new: str) -> Files:
    return {name.replace(old, new): data for name, data in files.items()}


def complaint_about(path) -> str:
    with pytest.raises(DatasetError) as caught:
        open_dataset(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["mnist.zip", "mnist"])
@pytest.mark.parametrize(
    "files",
    [
        MNIST,
        gzipped(MNIST),
        renamed(MNIST, "-idx", ".idx"),
        {f"outer/mnist/{name}": data for name, data in MNIST.items()},
        renamed(MNIST, "t10k", "test"),
        renamed(renamed(MNIST, "train", "emnist-digits-train"), "t10k", "emnist-digits-test"),
        MNIST | gzipped(MNIST),
        renamed(MNIST, "-idx", ".idx") | {f"{name}/{name}": data for name, data in MNIST.items()},
    ],
    ids=[
        "plain",
        "gzip",
        "dots",
        "nested",
        "test",
        "emnist",
        "plain and gzip",
        "each once more in a folder of its own",
    ],
)
def test_train_and_test_are_one_set_with_a_split(tmp_path, name, files):
    dataset = open_dataset(write(tmp_path / name, files))
    assert dataset.name == "mnist"
    np.testing.assert_array_equal(dataset.images, IMAGES)
    assert dataset.labels == (LATIN[0], LATIN[3], LATIN[7])
    assert dataset.targets.tolist() == [1, 2, 1, 0, 2]
    assert dataset.is_test.tolist() == [False, False, False, True, True]
    assert dataset.writers is None


@pytest.mark.parametrize("files", [MNIST, gzipped(MNIST)], ids=["plain", "gzip"])
def test_one_images_file_finds_its_labels_beside_it(tmp_path, files):
    write(tmp_path, files)
    dataset = open_dataset(tmp_path / next(iter(files)))
    assert dataset.name == "train-images-idx3-ubyte"
    assert dataset.targets.tolist() == [0, 1, 0]
    assert dataset.is_test is None


def test_a_folder_with_one_set_has_no_split(tmp_path):
    assert open_dataset(write(tmp_path / "set", TEST)).is_test is None


def test_images_without_labels_and_labels_without_images(tmp_path):
    images, labels = TRAIN
    folder = write(tmp_path / "a", MNIST)
    (folder / labels).unlink()
    assert "no labels file of 'train'" in complaint_about(folder)
    assert "no labels file of 'train'" in complaint_about(folder / images)
    folder = write(tmp_path / "b", MNIST)
    (folder / images).unlink()
    assert "no images file of 'train'" in complaint_about(folder)
    assert "point at the images file" in complaint_about(folder / labels)


def test_several_sets_are_told_apart_by_pointing_at_one(tmp_path):
    apart = {f"{folder}/{name}": data for folder in ("mnist", "fashion") for name, data in MNIST.items()}
    assert "point at one of its folders" in complaint_about(write(tmp_path / "apart", apart))
    together = write(tmp_path / "together", TRAIN | renamed(TRAIN, "train", "letters"))
    assert "point at one images file" in complaint_about(together)
    assert len(open_dataset(together / "letters-images-idx3-ubyte")) == 3


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"train-images-idx3-ubyte": b"\0\0\x08\3"}, "ends within its header"),
        (
            {"train-images-idx3-ubyte": idx(DIGITS)},
            "'train-images-idx3-ubyte' starts with 00 00 08 01, not with 00 00 08 03",
        ),
        (
            {"train-labels-idx1-ubyte": idx(IMAGES)},
            "'train-labels-idx1-ubyte' starts with 00 00 08 03, not with 00 00 08 01",
        ),
        ({"train-images-idx3-ubyte": idx(IMAGES)[:-1]}, "promises 405 bytes after its header and holds 404"),
        ({"train-images-idx3-ubyte": idx(IMAGES) + b"\0"}, "promises 405 bytes after its header and holds 406"),
        ({"train-images-idx3-ubyte": idx(IMAGES[:2])}, "has 2 images, 'train-labels-idx1-ubyte' 3 labels"),
        ({"train-images-idx3-ubyte": idx(IMAGES[:, :4])}, "pictures of (4, 9)"),
        ({"train-images-idx3-ubyte": idx(IMAGES[:3, :8])}, "mixed sizes"),
        ({"train-labels-idx1-ubyte": idx(DIGITS[:3] + 3)}, "label 10 is none of"),
        ({"train-images-idx3-ubyte": gzip.compress(idx(IMAGES))[:-9]}, "damaged gzip"),
    ],
)
def test_damaged_files_are_an_error(tmp_path, change, complaint):
    assert complaint in complaint_about(write(tmp_path / "set", MNIST | change))


def test_a_gzip_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("train_host.datasets.idx._LARGEST_FILE", 1 << 20)
    bomb = {"train-images-idx3-ubyte.gz": gzip.compress(bytes(2 << 20))}
    assert "longer than the 1 MiB" in complaint_about(write(tmp_path / "set", MNIST | bomb) / next(iter(bomb)))


def test_dimensions_are_compared_with_the_file_before_memory_is_asked_for():
    huge = b"\0\0\x08\x03" + b"\xff\xff\xff\xff" + (4096).to_bytes(4, "big") * 2
    with pytest.raises(DatasetError, match="promises"):
        parse(huge, "huge", ndim=3)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from([idx(IMAGES), idx(DIGITS), gzip.compress(idx(IMAGES), mtime=0)])))
    for _ in range(draw(st.integers(1, 4))):
        data[draw(st.integers(0, min(len(data), 40) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))]) + draw(st.binary(max_size=4))


@given(data=mutated() | st.binary(max_size=40), ndim=st.sampled_from([1, 3]))
def test_any_bytes_are_an_array_or_an_error(data, ndim):
    array = result_or_error(parse, data, "mutant", ndim)
    if isinstance(array, DatasetError):
        assert "'mutant'" in str(array)
    else:
        assert array.ndim == ndim
