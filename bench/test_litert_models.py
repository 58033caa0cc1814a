"""The .tflite models compute their layers: every network is compared with a NumPy forward pass."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs the bench extra")

from litert_models import SCORE_SCALE, Network, tflite
from networks import DEPTHWISE_16K, LENET_5, Step, steps

from train_host.baselines.small_networks import INPUT_SHAPE, Conv, Dense, Depthwise, Flatten, Layer, MaxPool, Mean

PICTURES = np.random.default_rng(7).random((5, *INPUT_SHAPE)).astype(np.float32)


def windows(x: np.ndarray, kernel: int, stride: int, same: bool) -> Any:
    """(rows, columns, channels) to (rows, columns, channels, kernel, kernel). `same` pads less at the top and left."""
    if same:
        total = [max((-(-side // stride) - 1) * stride + kernel - side, 0) for side in x.shape[:2]]
        x = np.pad(x, [*((t // 2, t - t // 2) for t in total), (0, 0)])
    return np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), axis=(0, 1))[::stride, ::stride]


def activated(x: np.ndarray, activation: str) -> Any:
    return np.clip(x, *{"none": (-np.inf, np.inf), "relu": (0, np.inf), "relu6": (0, 6)}[activation])


def forward_one(step: Step, x: np.ndarray) -> Any:
    kernel, bias = step.kernel.astype(float), step.bias.astype(float)
    match step.layer:
        case Conv(kernel=side, stride=stride, same=same, activation=activation):
            return activated(np.einsum("rcixy,oxyi->rco", windows(x, side, stride, same), kernel) + bias, activation)
        case Depthwise(kernel=side, stride=stride, activation=activation):
            return activated(np.einsum("rcixy,xyi->rci", windows(x, side, stride, True), kernel[0]) + bias, activation)
        case MaxPool():
            return windows(x, 2, 2, False).max(axis=(3, 4))
        case Flatten():
            return x.ravel()
        case Mean():
            return x.mean(axis=(0, 1))
        case Dense(activation=activation):
            return activated(kernel @ x + bias, activation)


def forward(network: list[Step], picture: np.ndarray) -> Any:
    x: Any = picture[0].astype(float)
    for step in network:
        x = forward_one(step, x)
    return x


@pytest.mark.parametrize("layers", [LENET_5, DEPTHWISE_16K], ids=["lenet", "depthwise"])
def test_float_model_equals_numpy(layers: tuple[Layer, ...]) -> None:
    network = steps(layers)
    model = Network(tflite(network))
    for picture in PICTURES:
        np.testing.assert_allclose(model.scores(picture)[0], forward(network, picture), rtol=1e-4, atol=1e-4)


def test_int8_model_is_near_the_float_one() -> None:
    network = steps(DEPTHWISE_16K)
    model = Network(tflite(network, int8=True))
    assert model.dtype is np.int8
    for picture in PICTURES:
        stored = np.rint(picture * 255 - 128).astype(np.int8)
        scores = SCORE_SCALE.scale * (model.scores(stored)[0].astype(float) - SCORE_SCALE.zero)
        np.testing.assert_allclose(scores, forward(network, picture), atol=0.15)


@pytest.mark.parametrize("int8", [False, True], ids=["float32", "int8"])
def test_xnnpack_takes_the_whole_network(int8: bool) -> None:
    """The peer must not be handicapped: a single delegate runs from the input of the graph to its output."""
    model = Network(tflite(steps(DEPTHWISE_16K), int8=int8))
    nodes = model._interpreter._get_ops_details()
    delegated = [node for node in nodes if node["op_name"] == "DELEGATE"]
    assert len(delegated) == 1
    assert model._scores in delegated[0]["outputs"]
    assert model._given in delegated[0]["inputs"]


@pytest.mark.parametrize(("layers", "count"), [(LENET_5, 62_131), (DEPTHWISE_16K, 16_431)])
def test_parameters(layers: tuple[Layer, ...], count: int) -> None:
    assert sum(step.parameters for step in steps(layers)) == count


def test_seed_decides_the_file() -> None:
    assert tflite(steps(DEPTHWISE_16K, seed=3)) == tflite(steps(DEPTHWISE_16K, seed=3))
    assert tflite(steps(DEPTHWISE_16K, seed=3)) != tflite(steps(DEPTHWISE_16K, seed=4))
