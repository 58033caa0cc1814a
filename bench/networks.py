"""Two convolutional networks as lists of layers with random weights, to be timed as peers.

The time of a network does not depend on its weights. So they are drawn with a seed: there is no training, no download
and no binary in the repository. `litert_models` turns a network into a LiteRT model.
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
    """Convolution with bias. `same` pads with zeros, so that only the stride reduces the picture."""

    filters: int
    kernel: int
    stride: int = 1
    same: bool = True
    activation: Activation = "relu6"


@dataclass(frozen=True)
class Depthwise:
    """Depthwise convolution: one filter per channel, with bias and zero padding."""

    kernel: int = 3
    stride: int = 1
    activation: Activation = "relu6"


@dataclass(frozen=True)
class MaxPool:
    """The maximum of every 2x2 pixels."""


@dataclass(frozen=True)
class Flatten:
    """Rows, columns and channels as one vector."""


@dataclass(frozen=True)
class Mean:
    """Global average pooling."""


@dataclass(frozen=True)
class Dense:
    """Fully connected layer with bias."""

    units: int
    activation: Activation = "none"


Layer = Conv | Depthwise | MaxPool | Flatten | Mean | Dense


def _separable(filters: int, stride: int = 1) -> tuple[Layer, Layer]:
    """MobileNet's block. Batch normalisation is folded into the weights, as converters do."""
    return Depthwise(stride=stride), Conv(filters, kernel=1)


# LeCun et al. 1998, with ReLU and max pooling, which are no slower than tanh and trainable averages.
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

# A small MobileNet for a Pi: strides reduce the picture early, so most of the work is at 8x8 and 4x4.
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
    """A layer of a network: the shapes before and after it and its weights, if it has any.

    Kernels have LiteRT's layout: Conv (out, rows, columns, in), Depthwise (1, rows, columns, channels),
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
        """Multiply-adds for one picture: each weight of a kernel is used once for every pixel of the output."""
        places = self.after[1] * self.after[2] if len(self.after) == 4 else 1
        return self.kernel.size * places


def steps(layers: Sequence[Layer], *, seed: int = 0) -> list[Step]:
    """The network as steps, with float32 weights drawn with `seed`.

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
    """Random kernel and bias, float32, with He's initialisation, which keeps the scale of the signal."""
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
