"""Adam, the optimiser of the refinement and of the regions of the classes."""

import numpy as np
from numpy.typing import NDArray

Single = NDArray[np.float32]

MOMENTUM, SPREAD, FLOOR = 0.9, 0.999, 1e-8
"""beta1, beta2 and epsilon."""


class Adam:
    """Adam (Kingma and Ba 2015) on a tuple of arrays, in place; the step size falls to 0 along a cosine."""

    def __init__(self, parameters: tuple[Single, ...], rate: float, steps: int) -> None:
        self.parameters, self.rate, self.steps, self.done = parameters, rate, steps, 0
        self.mean = [np.zeros_like(array) for array in parameters]
        self.square = [np.zeros_like(array) for array in parameters]

    def step(self, slopes: tuple[Single, ...]) -> None:
        self.done += 1
        rate = self.rate * 0.5 * (1 + np.cos(np.pi * self.done / self.steps))
        mean_share, square_share = 1 - MOMENTUM**self.done, 1 - SPREAD**self.done
        for array, slope, mean, square in zip(self.parameters, slopes, self.mean, self.square, strict=True):
            mean += np.float32(1 - MOMENTUM) * (slope - mean)
            square += np.float32(1 - SPREAD) * (slope * slope - square)
            array -= (
                np.float32(rate / mean_share) * mean / (np.sqrt(square / np.float32(square_share)) + np.float32(FLOOR))
            )
