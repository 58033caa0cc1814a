"""Good model files made byte by byte.

Nothing here uses the project's reader or writer: this is the format said a second time.
"""

import hashlib
import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Table = dict[str, Any]

CLASSES, FEATURES, DIMENSIONS, RANK, ATOMS = 3, 16, 3, 2, 2
DTYPES = {"float32": "F32", "float64": "F64", "float16": "F16", "int32": "I32"}


def good_arrays(seed: int = 0) -> Arrays:
    generator = np.random.default_rng(seed)
    inputs = DIMENSIONS + 1
    shapes = {
        "projection": (FEATURES, DIMENSIONS),
        "projection_offset": (DIMENSIONS,),
        "vectors": (inputs, RANK, CLASSES),
        "squares": (RANK, CLASSES),
        "linears": (RANK, CLASSES),
        "selftest_features": (2, FEATURES),
        "selftest_scores": (2, CLASSES),
        "synthesis": (CLASSES, inputs, ATOMS),
        "analysis": (CLASSES, ATOMS, inputs),
        "classifier": (CLASSES, CLASSES, ATOMS),
    }
    arrays: Arrays = {name: generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["confidence_margins"] = np.array([0, 0.5, 2], np.float32)
    arrays["confidence_values"] = np.array([0.25, 0.5, 1], np.float32)
    return arrays


def good_metadata() -> Table:
    return {
        "schema": 1,
        "name": "three-by-hand",
        "profile": "edge",
        "labels": [["一", 1], ["二", 2], ["三", 3]],
        "preprocessing": {
            "side": 8,
            "low_ratio": 0.4,
            "speck_share": 0.001,
            "least_contrast": 10.0,
            "paper_window": 0.2,
            "ink_percentile": 75,
            "by_moments": True,
            "moment_width": 4.5,
            "aspect_power": 0.5,
            "margin": 1,
        },
        "hog": {
            "cell": 4,
            "bins": 4,
            "signed": True,
            "soft_bins": True,
            "soft_cells": True,
            "smoothing": 1,
            "square_root": True,
            "contrast": 0,
        },
        "folding": {"form": "factored", "rank": RANK, "dimensions": DIMENSIONS, "constant": 1.0, "atoms": ATOMS},
        "rejection": {"threshold": 0.5, "false_rejects": 0.01},
        "calibration": {"expected_calibration_error": 0.002, "folds": 5},
        "training": {"data": "by hand", "digest": "sha256:00", "images": 12, "seed": 7, "settings": {"l1": 1e-4}},
        "accuracy": {"value": 0.995, "protocol": "conventional", "std": 0.002},
    }


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(metadata: Table, arrays: Arrays) -> str:
    layout = [[name, DTYPES[str(arrays[name].dtype)], list(arrays[name].shape)] for name in sorted(arrays)]
    told = {key: value for key, value in metadata.items() if key != "digest"}
    text = canonical({"metadata": told, "tensors": layout}).encode(errors="surrogatepass")
    return "sha256:" + hashlib.sha256(text + b"\0" + b"".join(arrays[n].tobytes() for n in sorted(arrays))).hexdigest()


def header_of(arrays: Arrays, text: str) -> Table:
    header: Table = {"__metadata__": {"edge_lpdpl": text}}
    reached = 0
    for name in sorted(arrays):
        array = arrays[name]
        offsets = [reached, reached + array.nbytes]
        header[name] = {"dtype": DTYPES[str(array.dtype)], "shape": list(array.shape), "data_offsets": offsets}
        reached += array.nbytes
    return header


def contain(header: str | bytes, data: bytes) -> bytes:
    """A container with any text as its header, padded with spaces so that the data are aligned."""
    head = header if isinstance(header, bytes) else header.encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + data


def data_of(arrays: Arrays) -> bytes:
    return b"".join(arrays[name].tobytes() for name in sorted(arrays))


def build(metadata: Table, arrays: Arrays, *, sign: bool = True) -> bytes:
    told = metadata | {"digest": digest(metadata, arrays)} if sign else metadata
    return contain(json.dumps(header_of(arrays, canonical(told))), data_of(arrays))


def good_file() -> bytes:
    return build(good_metadata(), good_arrays())


NOVELTY = {
    "novelty_means": (CLASSES, DIMENSIONS),
    "novelty_weights": (CLASSES, DIMENSIONS),
    "novelty_factors": (CLASSES, DIMENSIONS, 2),
}


def with_novelty(schema: int = 2, **arrays: NDArray[Any]) -> bytes:
    """A file with novelty arrays. It is good unless `schema` or the given arrays make it bad."""
    ones: Arrays = {name: np.ones(shape, np.float32) for name, shape in NOVELTY.items()}
    return build(good_metadata() | {"schema": schema}, good_arrays() | ones | arrays)


def good_novelty_file() -> bytes:
    return with_novelty()
