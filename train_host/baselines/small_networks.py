"""Two networks small enough for a Pi, as lists of layers: LeNet-5 and a depthwise separable one of 16,000 parameters.

`as_torch` makes a network that can be trained. `bench/litert_models.py` makes LiteRT models of the same lists.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from torch import nn

Activation = Literal["none", "relu", "relu6"]
Shape = tuple[int, ...]
"""(1, height, width, channels), or (1, units)."""
INPUT_SHAPE: Shape = (1, 32, 32, 1)
"""One grey picture, values 0 to 1."""


@dataclass(frozen=True)
class Conv:
    """Convolution with bias. `same` pads with zeros, so that only the stride reduces the picture."""

    filters: int
    kernel: int
    stride: int = 1
    same: bool = True
    activation: Activation = "relu6"
    normalised: bool = True
    """Batch normalisation while it is trained; for deployment it is folded into weights and bias."""


@dataclass(frozen=True)
class Depthwise:
    """Depthwise convolution: one filter per channel, with bias, zero padding and batch normalisation."""

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


def lenet5(classes: int) -> tuple[Layer, ...]:
    """LeNet-5 (LeCun et al. 1998) with ReLU and max pooling, no slower than tanh and trainable averages."""
    return (
        Conv(6, kernel=5, same=False, activation="relu", normalised=False),
        MaxPool(),
        Conv(16, kernel=5, same=False, activation="relu", normalised=False),
        MaxPool(),
        Flatten(),
        Dense(120, "relu"),
        Dense(84, "relu"),
        Dense(classes),
    )


def depthwise_cnn(classes: int) -> tuple[Layer, ...]:
    """A small MobileNet: strides reduce the picture early, so most of the work is at 8x8 and 4x4."""
    blocks = ((32, 2), (64, 2), (64, 1), (96, 1))
    separable = (layer for filters, stride in blocks for layer in (Depthwise(stride=stride), Conv(filters, kernel=1)))
    return (Conv(16, kernel=3, stride=2), *separable, Mean(), Dense(classes))


def shapes(layers: Sequence[Layer]) -> Iterator[tuple[Layer, Shape, Shape]]:
    """Each layer with the shapes before and after it.

    >>> [after for _, _, after in shapes(depthwise_cnn(15))][-3:]
    [(1, 4, 4, 96), (1, 96), (1, 15)]
    """
    shape = INPUT_SHAPE
    for layer in layers:
        before, shape = shape, _after(layer, shape)
        yield layer, before, shape


def _after(layer: Layer, shape: Shape) -> Shape:
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


def as_torch(layers: Sequence[Layer]) -> "nn.Module":
    """The network in PyTorch, untrained: pictures (N, 1, 32, 32), float32, to scores (N, classes)."""
    from torch import nn  # here: the lists of layers need no PyTorch

    return nn.Sequential(*(module for step in shapes(layers) for module in _modules(*step)))


def _modules(layer: Layer, before: Shape, after: Shape) -> "Iterator[nn.Module]":
    from torch import nn

    match layer:
        case Conv(kernel=kernel, stride=stride, same=same, normalised=normalised):
            padding = kernel // 2 if same else 0
            yield nn.Conv2d(before[3], after[3], kernel, stride=stride, padding=padding, bias=not normalised)
            if normalised:
                yield nn.BatchNorm2d(after[3])
        case Depthwise(kernel=kernel, stride=stride):
            how = {"stride": stride, "padding": kernel // 2, "groups": before[3], "bias": False}
            yield nn.Conv2d(before[3], after[3], kernel, **how)
            yield nn.BatchNorm2d(after[3])
        case MaxPool():
            yield nn.MaxPool2d(2)
        case Flatten():
            yield nn.Flatten()
        case Mean():
            yield from (nn.AdaptiveAvgPool2d(1), nn.Flatten())
        case Dense():
            yield nn.Linear(before[1], after[1])
    match layer:
        case Conv(activation="relu") | Dense(activation="relu"):
            yield nn.ReLU()
        case Conv(activation="relu6") | Depthwise(activation="relu6"):
            yield nn.ReLU6()
