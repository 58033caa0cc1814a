"""Valid models with random weights, whose self-test passes: enough to test how decisions are computed."""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.container import Array
from edge_lpdpl.model.labels import LATIN
from edge_lpdpl.model.model import Model, Novelty
from edge_lpdpl.model.settings import EDGE, Profile
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.numeral.weights import DISTANCE

DIMENSIONS, RANK, SAMPLES = 24, 6, 4


def small_model(profile: Profile = EDGE, seed: int = 0) -> Model:
    """A model of ten classes that accepts every decision.

    Its confidence runs from 0.1 to 1 over the usual margins, and its novelty stays below 1.
    """
    random = np.random.default_rng(seed)
    features = profile.hog.feature_count(profile.preprocessing.side)
    classes = len(LATIN)

    def normal(*shape: int) -> Array:
        return random.normal(size=shape).astype(np.float32)

    model = Model(
        name=f"random-{profile.name}",
        profile=profile.name,
        labels=LATIN,
        preprocessing=profile.preprocessing,
        hog=profile.hog,
        projection=normal(features, DIMENSIONS) / np.float32(features**0.5),
        projection_offset=normal(DIMENSIONS),
        dimensions=DIMENSIONS,
        rank=RANK,
        atoms=1,
        constant=0.5,
        vectors=normal(DIMENSIONS + 1, RANK, classes) / np.float32(DIMENSIONS**0.5),
        squares=normal(RANK, classes),
        linears=normal(RANK, classes),
        confidence_margins=np.linspace(0, 4, 9, dtype=np.float32),
        confidence_values=np.linspace(0.1, 1, 9, dtype=np.float32),
        threshold=0.2,
        false_rejects=0.01,
        calibration={"expected_calibration_error": 0.0},
        training={"data": "none", "digest": "", "images": 0, "seed": seed, "settings": {}},
        selftest_pictures=np.zeros((1, 32, 32), np.uint8),
        selftest_distances=np.zeros(1, np.float32),
        selftest_scores=np.zeros((1, classes), np.float32),
        novelty=Novelty(
            normal(classes, DIMENSIONS),
            np.abs(normal(classes, DIMENSIONS)) / np.float32(1000),
            normal(classes, DIMENSIONS, 3) / np.float32(1000),
        ),
    )
    return with_right_scores(model, np.stack([strokes(seed + sample) for sample in range(SAMPLES)]))


def strokes(seed: int) -> NDArray[np.uint8]:
    """A small picture of three strokes; every other one is dark on shaded paper."""
    random = np.random.default_rng(seed)
    picture = np.zeros((32, 32), np.uint8)
    for row, column in random.integers(3, 12, size=(3, 2)):
        picture[row : row + 2, column : column + 14] = random.integers(90, 200)
        picture[column : column + 16, 2 * row : 2 * row + 3] = random.integers(90, 200)
    return picture if seed % 2 == 0 else 250 - picture - np.arange(32, dtype=np.uint8)


def with_right_scores(model: Model, pictures: NDArray[np.uint8]) -> Model:
    """The same model with a self-test of these pictures, and the numbers that the compiled kernels get for them."""
    recogniser = Recogniser(model, "numba")
    found = [(recogniser.recognise(grey).scores, recogniser.engine.responses.decision[DISTANCE]) for grey in pictures]
    scores, distances = map(np.float32, zip(*found, strict=True))
    return dataclasses.replace(model, selftest_pictures=pictures, selftest_scores=scores, selftest_distances=distances)
