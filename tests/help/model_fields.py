"""Contents of models of every kind, made of numbers that mean nothing."""

from typing import Any

import numpy as np

from edge_lpdpl.model.container import Array
from edge_lpdpl.model.labels import CHINESE
from edge_lpdpl.model.model import Dictionaries, Novelty
from edge_lpdpl.model.settings import EDGE, PAPER


def numbers(*shape: int) -> Array:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def fields(**changes: Any) -> dict[str, Any]:
    """The fields of an edge model of fifteen classes, in a file of the first schema."""
    return {
        "name": "chinese15",
        "profile": "edge",
        "labels": CHINESE,
        "preprocessing": EDGE.preprocessing,
        "hog": EDGE.hog,
        "projection": numbers(512, 80),
        "projection_offset": numbers(80),
        "dimensions": 80,
        "rank": 32,
        "atoms": 16,
        "constant": 0.5,
        "vectors": numbers(81, 32, 15),
        "squares": numbers(32, 15),
        "linears": numbers(32, 15),
        "confidence_margins": np.linspace(0, 2, 16, dtype=np.float32),
        "confidence_values": np.linspace(0.1, 1, 16, dtype=np.float32),
        "threshold": 0.5,
        "false_rejects": 0.01,
        "calibration": {"expected_calibration_error": 0.004},
        "training": {"data": "strokes", "digest": "sha256:0", "images": 12000, "seed": 0, "settings": {"l1": 1e-4}},
        "accuracy": {"value": 0.995, "protocol": "conventional", "std": None},
        "selftest_features": numbers(8, 512),
        "selftest_scores": numbers(8, 15),
    } | changes


def paper_fields() -> dict[str, Any]:
    """A model of the paper's profile: no projection, no constant."""
    return fields(
        profile="paper",
        preprocessing=PAPER.preprocessing,
        hog=PAPER.hog,
        projection=None,
        projection_offset=None,
        dimensions=900,
        constant=0.0,
        vectors=numbers(900, 32, 15),
        selftest_features=numbers(8, 900),
    )


def with_dictionaries() -> dict[str, Any]:
    return fields(dictionaries=Dictionaries(numbers(15, 81, 16), numbers(15, 16, 81), numbers(15, 15, 16)))


def with_novelty() -> dict[str, Any]:
    return fields(novelty=Novelty(numbers(15, 80), np.abs(numbers(15, 80)), numbers(15, 80, 8)))


def with_unsure_share() -> dict[str, Any]:
    return with_novelty() | {"unsure_share": 0.25}


def with_pictures(**changes: Any) -> dict[str, Any]:
    """A model as it is exported today."""
    grey = np.random.default_rng(0).integers(0, 256, (8, 32, 32), np.uint8)
    selftest = {"selftest_features": None, "selftest_pictures": grey, "selftest_distances": np.abs(numbers(8))}
    return with_unsure_share() | selftest | changes


def with_non_numerals(**changes: Any) -> dict[str, Any]:
    """A model whose last form scores what is no numeral."""
    forms = {"vectors": numbers(81, 32, 16), "squares": numbers(32, 16), "linears": numbers(32, 16)}
    return with_pictures(**forms, selftest_scores=numbers(8, 16), usual_lead=0.5, least_lead=-0.25) | changes


def another(setting: float) -> float:
    """A value that every setting of schema 4 may have, unlike its own."""
    return 50 if isinstance(setting, int) else 0.1
