"""Small data sets in the layouts that `train_host.datasets` reads, as names and bytes."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import DatasetError
from train_host.datasets import open_dataset

Files = dict[str, bytes]
Result = TypeVar("Result")


def result_or_error(function: Callable[..., Result], *arguments: object) -> Result | DatasetError:
    """For tests with hostile bytes: a result or a `DatasetError` is fine, any other exception is not."""
    try:
        return function(*arguments)
    except DatasetError as error:
        assert "\n" not in str(error)  # noqa: PT017  there may be none
        return error


def complaint_about(path) -> str:
    """What `open_dataset` says is wrong with a file or folder, in one line that begins with its path."""
    with pytest.raises(DatasetError) as caught:
        open_dataset(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def pixels(seed: int, side: int = 8) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (side, side), np.uint8)


def png(image: NDArray[np.uint8]) -> bytes:
    return encoded(image, "PNG")


def encoded(image: NDArray[np.uint8], picture_format: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, picture_format)
    return buffer.getvalue()


def idx(array: NDArray[np.uint8]) -> bytes:
    return struct.pack(f">{1 + array.ndim}I", 0x800 + array.ndim, *array.shape) + array.tobytes()


def write(path: Path, files: Files) -> Path:
    """Write `files` as a zip if `path` ends in .zip, else as a folder."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path
    path.mkdir(exist_ok=True)
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path
