"""The networks have the published parameter counts, and learn."""

import importlib

import numpy as np
import pytest

from edge_lpdpl.errors import TrainingError
from train_host.baselines.methods import METHODS, find_method
from train_host.baselines.small_networks import as_torch, depthwise_cnn, lenet5, shapes

NETWORKS = [name for name, method in METHODS.items() if method.sees == "pixels"]


class TestWithoutPyTorch:
    def test_are_refused_in_words(self, monkeypatch):
        def absent(name, *_):
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

        monkeypatch.setattr("train_host.baselines.methods.import_module", absent)
        with pytest.raises(TrainingError, match=r"LeNet-5 needs PyTorch: pip install -e '\.\[deep\]' in the project"):
            find_method("lenet-5").build()

    def test_another_missing_module_is_not_blamed_on_pytorch(self, monkeypatch):
        def absent(name, *_):
            raise ModuleNotFoundError("No module named 'other'", name="other")

        monkeypatch.setattr("train_host.baselines.methods.import_module", absent)
        with pytest.raises(ModuleNotFoundError, match="other"):
            find_method("lenet-5").build()


class TestNetworks:
    @pytest.fixture(autouse=True)
    def torch(self):
        pytest.importorskip("torchvision", reason="networks need PyTorch: pip install -e '.[deep]'")
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)  # these are small: threads would only slow them down
        return torch

    @pytest.mark.parametrize(
        ("architecture", "published"),
        [("squeezenet1_1", 1_235_496), ("mobilenet_v2", 3_504_872), ("googlenet", 6_624_904)],
    )
    def test_have_the_published_number_of_parameters(self, architecture, published):
        """torchvision publishes these for 1000 classes; the paper rounds them to 1.24, 3.5 and 7 million."""
        build, _ = importlib.import_module("train_host.baselines.network").ARCHITECTURES[architecture]
        assert sum(weights.numel() for weights in build(1000).parameters()) == published

    @pytest.mark.parametrize(("layers", "parameters"), [(lenet5(10), 61_706), (depthwise_cnn(15), 16_879)])
    def test_small_ones_are_as_large_as_they_say(self, layers, parameters):
        """The second has two numbers of batch normalisation for each of its 448 filters; 16,431 are deployed."""
        assert sum(weights.numel() for weights in as_torch(layers).parameters()) == parameters

    @pytest.mark.parametrize("layers", [lenet5(10), depthwise_cnn(10)])
    def test_small_ones_have_the_shapes_of_their_lists(self, torch, layers):
        computed = torch.zeros(2, 1, 32, 32)
        seen = []
        for module in as_torch(layers):
            computed = module(computed)
            seen.append(tuple(computed.permute(0, *range(2, computed.dim()), 1).shape[1:]))
        assert {after[1:] for _, _, after in shapes(layers)} <= set(seen)

    @pytest.mark.parametrize(
        ("layers", "activation", "count"), [(lenet5(10), "ReLU", 4), (depthwise_cnn(10), "ReLU6", 9)]
    )
    def test_small_ones_have_an_activation_after_every_layer_with_weights_but_the_last(self, layers, activation, count):
        kinds = [type(module).__name__ for module in as_torch(layers)]
        assert kinds.count(activation) == count == sum(kind in ("Conv2d", "Linear") for kind in kinds) - 1

    @pytest.mark.parametrize("name", NETWORKS)
    def test_scores_of_all_classes_and_the_same_again(self, name):
        samples = np.random.default_rng(0).random((6, 1024))
        targets = np.arange(6) % 3
        first, again = (find_method(name).build(epochs=1, least_steps=0).fit(samples, targets) for _ in range(2))
        assert first.scores(samples).shape == (6, 3)
        np.testing.assert_allclose(first.scores(samples), again.scores(samples), atol=1e-4)
        assert first.note == "from scratch, 32x32, epochs: 1"

    def test_a_small_one_learns(self):
        random = np.random.default_rng(0)
        targets = np.arange(400) % 3
        squares = 0.1 * random.random((400, 32, 32))
        for square, target in zip(squares, targets, strict=True):
            row = random.integers(4, 24)
            if target == 0:
                square[row : row + 3, 4:28] = 1
            elif target == 1:
                square[4:28, row : row + 3] = 1
            else:
                square[row : row + 6, row : row + 6] = 1
        flat = squares.reshape(400, -1)
        network = find_method("depthwise-cnn").build(epochs=12, least_steps=0, rate=1e-2).fit(flat[:320], targets[:320])
        assert np.mean(network.predict(flat[320:]) == targets[320:]) > 0.9
