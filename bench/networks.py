"""The two convolutional networks we race against, as plain layer lists with seeded weights.

How long a network takes does not depend on what its weights are, so they are drawn from a seed: no training, no
download, no binary in the repository. `litert_models` turns a network into a LiteRT model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Activation = Literal["none", "relu", "relu6"]
INPUT_SHAPE = (1, 32, 32, 1)  # one grey picture, values 0 to 1
CLASSES = 15


@dataclass(frozen=True)
class Conv:
    """Convolution with bias; `same` pads with zeros so that only the stride shrinks the picture."""

    filters: int
    kernel: int
    stride: int = 1
    same: bool = True
    activation: Activation = "relu6"


@dataclass(frozen=True)
class Depthwise:
    """One filter a channel, with bias, zero-padded."""

    kernel: int = 3
    stride: int = 1
    activation: Activation = "relu6"


@dataclass(frozen=True)
class MaxPool:
    """The largest of every 2x2."""


@dataclass(frozen=True)
class Flatten:
    """Rows, columns and channels in one vector."""


@dataclass(frozen=True)
class Mean:
    """Global average pool."""


@dataclass(frozen=True)
class Dense:
    """Fully connected, with bias."""

    units: int
    activation: Activation = "none"


Layer = Conv | Depthwise | MaxPool | Flatten | Mean | Dense


def _separable(filters: int, stride: int = 1) -> tuple[Layer, Layer]:
    """MobileNet's block; batch normalisation is folded into the weights, as every converter does."""
    return Depthwise(stride=stride), Conv(filters, kernel=1)


# As LeCun drew it, with today's ReLU and max pooling, which are no slower than tanh and trainable averages.
LENET_5: tuple[Layer, ...] = (
    Conv(6, kernel=5, same=False, activation="relu"),
    MaxPool(),
    Conv(16, kernel=5, same=False, activation="relu"),
    MaxPool(),
    Flatten(),
    Dense(120, "relu"),
    Dense(84, "relu"),
    Dense(CLASSES),
)

# A small MobileNet as one would deploy it on a Pi: it shrinks the picture early, so most of its work is at 8x8 and 4x4.
DEPTHWISE_16K: tuple[Layer, ...] = (
    Conv(16, kernel=3, stride=2),
    *_separable(32, stride=2),
    *_separable(64, stride=2),
    *_separable(64),
    *_separable(96),
    Mean(),
    Dense(CLASSES),
)


@dataclass(frozen=True)
class Step:
    """A layer in its place: the shapes around it and its weights, if it has any.

    Kernels are laid out as LiteRT wants them: Conv (out, rows, columns, in), Depthwise (1, rows, columns, channels),
    Dense (out, in).
    """

    layer: Layer
    before: tuple[int, ...]
    after: tuple[int, ...]
    kernel: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    bias: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))

    @property
    def parameters(self) -> int:
        return self.kernel.size + self.bias.size

    @property
    def multiply_adds(self) -> int:
        """Each weight of a kernel is used once for every place of the picture that comes out."""
        places = self.after[1] * self.after[2] if len(self.after) == 4 else 1
        return self.kernel.size * places


def steps(layers: Sequence[Layer], *, seed: int = 0) -> list[Step]:
    """The network with weights from `seed`.

    >>> sum(step.parameters for step in steps(LENET_5)), sum(step.parameters for step in steps(DEPTHWISE_16K))
    (62131, 16431)
    """
    return list(_steps(layers, np.random.default_rng(seed)))


def _steps(layers: Sequence[Layer], rng: np.random.Generator) -> Iterator[Step]:
    shape: tuple[int, ...] = INPUT_SHAPE
    for layer in layers:
        before, shape = shape, _shape_after(layer, shape)
        match layer:
            case Conv(filters=filters, kernel=side):
                yield Step(layer, before, shape, *_weights(rng, (filters, side, side, before[3]), 0))
            case Depthwise(kernel=side):
                yield Step(layer, before, shape, *_weights(rng, (1, side, side, before[3]), 3))
            case Dense(units=units):
                yield Step(layer, before, shape, *_weights(rng, (units, before[1]), 0))
            case _:
                yield Step(layer, before, shape)


def _weights(rng: np.random.Generator, shape: tuple[int, ...], out_axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Kernel and bias of a size that keeps the signal alive through the layers (He's initialisation)."""
    outputs = shape[out_axis]
    fan_in = int(np.prod(shape)) // outputs
    kernel = rng.normal(0, np.sqrt(2 / fan_in), shape).astype(np.float32)
    return kernel, rng.normal(0, 0.1, outputs).astype(np.float32)


def _shape_after(layer: Layer, shape: tuple[int, ...]) -> tuple[int, ...]:
    match layer:
        case Conv(filters=filters, kernel=kernel, stride=stride, same=same):
            lost = 0 if same else kernel - 1
            return (1, *(-(-(side - lost) // stride) for side in shape[1:3]), filters)
        case Depthwise(stride=stride):
            return (1, *(-(-side // stride) for side in shape[1:3]), shape[3])
        case MaxPool():
            return (1, shape[1] // 2, shape[2] // 2, shape[3])
        case Flatten():
            return (1, int(np.prod(shape)))
        case Mean():
            return (1, shape[3])
        case Dense(units=units):
            return (1, units)
