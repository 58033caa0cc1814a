"""Pictures of unknown characters and of non-numerals, which a model should reject."""

import numpy as np
from numpy.typing import NDArray

from train_host.datasets import open_dataset
from train_host.synthetic.drawing import draw_line, fit_in_frame
from train_host.synthetic.trace import Trace

SIZE = 64
"""Side of a scribble in pixels."""


def scribbles(count: int, seed: int = 0) -> NDArray[np.uint8]:
    """Random smooth lines, light on black, uint8 (count, 64, 64).

    >>> scribbles(2).shape
    (2, 64, 64)
    """
    random = np.random.default_rng(seed)
    pictures = np.empty((count, SIZE, SIZE), np.uint8)
    for picture in pictures:
        steps = random.standard_normal((random.integers(60, 160), 2))
        for _ in range(8):  # smooths the line: a hand turns slowly
            steps[1:-1] = (steps[:-2] + 2 * steps[1:-1] + steps[2:]) / 4
        points = np.cumsum(steps, axis=0)
        points = (points - points.min(axis=0)) / max(float(np.ptp(points, axis=0).max()), 1e-9)
        trace = Trace(points, np.ones(len(points)), np.ones(len(points) - 1, np.bool_))
        middle = (SIZE / 2, SIZE / 2)
        cover = draw_line(fit_in_frame(trace, 0.7 * SIZE, middle, SIZE, margin=2.0), SIZE, random.uniform(1.0, 2.5))
        picture[:] = np.rint(255 * np.clip(cover, 0, 1)).astype(np.uint8)
    return pictures


def unseen_pictures(known: set[str], seed: int = 0) -> dict[str, NDArray[np.uint8]]:
    """Name to pictures (N, height, width), uint8: drawn numerals of unknown scripts, and scribbles.

    Args:
        known: characters that the model knows. A script with any of them is left out.
        seed: of the drawings.
    """
    sets = {}
    for script in ("latin", "arabic-indic", "chinese"):
        drawn = open_dataset(f"synthetic:writers=20,samples=3,script={script},seed={seed}")
        strange = [index for index, label in enumerate(drawn.labels) if label.character not in known]
        if len(strange) == len(drawn.labels):
            sets[f"{script} numerals, drawn"] = drawn.images
    return sets | {"scribbles, drawn": scribbles(600, seed)}
