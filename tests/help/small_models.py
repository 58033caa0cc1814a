"""Valid models with random weights, whose self-test passes: enough to test how decisions are computed."""

import dataclasses

import numpy as np

from edge_lpdpl.model.container import Array
from edge_lpdpl.model.labels import LATIN
from edge_lpdpl.model.model import Model, Novelty
from edge_lpdpl.model.settings import EDGE, Profile
from edge_lpdpl.numeral.recogniser import Recogniser

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
        selftest_features=np.abs(normal(SAMPLES, features)),
        selftest_scores=np.zeros((SAMPLES, classes), np.float32),
        novelty=Novelty(
            normal(classes, DIMENSIONS),
            np.abs(normal(classes, DIMENSIONS)) / np.float32(1000),
            normal(classes, DIMENSIONS, 3) / np.float32(1000),
        ),
    )
    return with_right_scores(model)


def with_right_scores(model: Model) -> Model:
    """The same model, with the self-test scores that the compiled kernels compute."""
    recogniser = Recogniser(model, "numba")
    return dataclasses.replace(
        model, selftest_scores=np.stack([recogniser.scores_of(sample) for sample in model.selftest_features])
    )
