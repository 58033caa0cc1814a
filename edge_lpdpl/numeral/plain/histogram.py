"""From a square of ink to features, in NumPy: the twin of `numeral.kernels.octants`, to the last bit.

It computes the histogram of the edge profile alone. Models with other settings need the compiled kernels.
"""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import BackendError
from edge_lpdpl.model.model import Model
from edge_lpdpl.model.settings import HogSettings
from edge_lpdpl.numeral.buffers import AXIS, CELL, CELLS, DIAGONAL, DIRECTIONS, LEVELS, SIDE, Workspace, fits_octants

HALF = np.float32(0.5)


def check_histogram(model: Model) -> None:
    """Check that this module computes the histogram of a model.

    Raises:
        BackendError: it does not.
    """
    if not fits_octants(model.hog, model.preprocessing.side) or model.hog.contrast:
        has = "another histogram" if model.profile == "edge" else f"the profile {model.profile}"
        why = f"the numpy backend reads models of the profile edge, and {model.name} has {has}"
        raise BackendError(f"{why}: install numba, or fit the model with the profile edge")


def histogram_of_gradients(settings: HogSettings, buffers: Workspace) -> None:
    """Features of `buffers.square` into `buffers.features`."""
    levels = (buffers.square * np.float32(LEVELS) + HALF).astype(np.int32)
    for _ in range(settings.smoothing):
        levels = (blur_down(blur_down(levels).T).T + 8) >> 4
    x, y = np.zeros_like(levels), np.zeros_like(levels)
    np.subtract(levels[:, 2:], levels[:, :-2], out=x[:, 1:-1])
    np.subtract(levels[2:], levels[:-2], out=y[1:-1])
    planes = []
    for _ in range(DIRECTIONS // 2):
        planes += [np.maximum(0, x - np.abs(y)), np.maximum(0, np.minimum(x, y))]
        x, y = y, -x
    sums = pool_lines(pool_lines(np.stack(planes, axis=2)).transpose(1, 0, 2)).transpose(1, 0, 2)
    cells: NDArray[np.float32] = sums.astype(np.float32) * np.array([AXIS, DIAGONAL] * (DIRECTIONS // 2))
    buffers.features[:] = (np.sqrt(cells) if settings.square_root else cells).ravel()


def blur_down(levels: NDArray[np.int32]) -> NDArray[np.int32]:
    """Every line twice and the lines beside it once."""
    blurred = 2 * levels
    blurred[1:] += levels[:-1]
    blurred[:-1] += levels[1:]
    return blurred


def pool_lines(planes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sums of the eight lines about every row of cells, weighed 1, 3, 5, 7, 7, 5, 3, 1."""
    padded = np.zeros((SIDE + CELL, *planes.shape[1:]), np.int32)
    padded[CELL // 2 : -CELL // 2] = planes
    sums = np.zeros((CELLS, *planes.shape[1:]), np.int32)
    for line, weight in enumerate((1, 3, 5, 7, 7, 5, 3, 1)):
        sums += weight * padded[line : line + SIDE : CELL]
    return sums
