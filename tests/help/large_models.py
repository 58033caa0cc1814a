"""Valid models with random weights, up to the largest file that is accepted."""

import dataclasses
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from small_models import small_model, with_right_scores

from edge_lpdpl.model.files import write_model
from edge_lpdpl.model.settings import EDGE, Profile


def large_model(path: Path, rank: int, profile: Profile = EDGE, seed: int = 0) -> None:
    """Write a model of ten classes with as many dimensions as the profile has features."""
    random, small = np.random.default_rng(seed), small_model(profile)
    size, classes = small.feature_count, small.class_count

    def normal(*shape: int) -> NDArray[np.float32]:
        return (random.normal(size=shape) / 100).astype(np.float32)

    model = dataclasses.replace(
        small,
        name=f"large-{seed}",
        dimensions=size,
        rank=rank,
        projection=normal(size, size),
        projection_offset=normal(size),
        vectors=normal(size + 1, rank, classes),
        squares=normal(rank, classes),
        linears=normal(rank, classes),
        novelty=None,
    )
    write_model(path, with_right_scores(model, small.selftest_pictures))
