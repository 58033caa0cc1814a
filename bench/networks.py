"""The small networks of the comparison with random weights, to be timed as peers.

`train_host.baselines.small_networks` defines them, layer by layer. The time of a network does not depend on its
weights. So they are drawn with a seed: there is no training, no download and no binary in the repository.
`litert_models` turns a network into a LiteRT model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from train_host.baselines.small_networks import Conv, Dense, Depthwise, Layer, depthwise_cnn, lenet5, shapes

CLASSES = 15
LENET_5, DEPTHWISE_16K = lenet5(CLASSES), depthwise_cnn(CLASSES)


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
    for layer, before, shape in shapes(layers):
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
