"""A network as a method of the comparison, trained on squares from scratch or from a file of ImageNet weights.

The small networks are our own, the large ones torchvision's. All run on the processor and need the extra `deep`.
"""

import hashlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torchvision import models

from edge_lpdpl.errors import TrainingError
from train_host.baselines.baseline import Baseline, Targets
from train_host.baselines.small_networks import as_torch, depthwise_cnn, lenet5
from train_host.method.estimator import seed_of
from train_host.method.statistics import Array

WEIGHTS_FOLDER = "EDGE_LPDPL_WEIGHTS"
"""Environment variable: the folder of weight files such as `googlenet.pth`, in torchvision's form."""
ARCHITECTURES: dict[str, tuple[Callable[[int], nn.Module], int]] = {
    "lenet5": (lambda classes: as_torch(lenet5(classes)), 1),
    "depthwise_cnn": (lambda classes: as_torch(depthwise_cnn(classes)), 1),
    "squeezenet1_1": (lambda classes: models.squeezenet1_1(num_classes=classes), 3),
    "mobilenet_v2": (lambda classes: models.mobilenet_v2(num_classes=classes), 3),
    "googlenet": (lambda classes: models.googlenet(num_classes=classes, aux_logits=False, init_weights=False), 3),
}
"""Name to network and count of its input channels."""
SQUARE = 32
"""Side of the input squares in pixels."""
HEADS = ("fc.", "classifier.1.")
"""Prefixes of the last layer's weights, which belong to ImageNet's classes and are not loaded."""
BATCH = 64


@dataclass(eq=False, repr=False)
class Network(Baseline):
    """A network trained by AdamW with a one-cycle schedule, on cross-entropy with smoothed labels.

    >>> squares = np.zeros((8, 1024))
    >>> squares[4:, :512] = 1.0
    >>> network = Network("lenet5", least_steps=8, rate=3e-3).fit(squares, np.arange(8) // 4)
    >>> network.predict(squares).tolist(), network.pretrained
    ([0, 0, 0, 0, 1, 1, 1, 1], False)
    """

    constant: float = 0.0
    architecture: str = "depthwise_cnn"
    epochs: int = 12
    least_steps: int = 600
    """Fewest steps of the optimiser. Small training sets are shown for more epochs to reach it."""
    rate: float = 2e-3
    side: int = SQUARE
    """Side in pixels of the network's input. Squares are resized to it."""
    weights: str | None = field(default_factory=lambda: os.environ.get(WEIGHTS_FOLDER))
    """Folder with ImageNet weights. Training starts from scratch where it has none for this network."""
    weights_digest: str | None = None
    """`sha256:<hex>` that the weight file must have; None accepts any file."""
    random_state: Any = 0

    def _learn(self, samples: Array, targets: Targets) -> None:
        torch.manual_seed(seed_of(self.random_state))
        build, self.colours_ = ARCHITECTURES[self.architecture]
        self.network_ = build(len(self.classes_)).to(memory_format=torch.channels_last)  # half the time
        self.pretrained = self._load()
        optimiser = torch.optim.AdamW(self.network_.parameters(), self.rate, weight_decay=1e-2)
        batches = max(1, len(samples) // BATCH)
        self.epochs_ = max(self.epochs, -(-self.least_steps // batches))
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, self.rate, total_steps=self.epochs_ * batches)
        loss = nn.CrossEntropyLoss(label_smoothing=0.05)
        wanted = torch.from_numpy(np.asarray(targets, np.int64))
        random = np.random.default_rng(seed_of(self.random_state))
        self.network_.train()
        for _ in range(self.epochs_):
            for chosen in np.array_split(random.permutation(len(samples)), batches):
                optimiser.zero_grad()
                loss(self.network_(self._pictures(samples[chosen])), wanted[torch.from_numpy(chosen)]).backward()
                optimiser.step()
                schedule.step()
        self.network_.eval()

    def _scores(self, samples: Array) -> Array:
        with torch.inference_mode():
            parts = [
                self.network_(self._pictures(samples[start : start + BATCH])).log_softmax(1).numpy()
                for start in range(0, len(samples), BATCH)
            ]
        return -np.concatenate(parts).astype(np.float64)

    @property
    def numbers(self) -> int:
        return sum(weights.numel() for weights in self.network_.parameters())

    @property
    def note(self) -> str:
        start = "from ImageNet weights" if self.pretrained else "from scratch"
        return f"{start}, {self.side}x{self.side}, epochs: {self.epochs_}"

    @property
    def settings(self) -> dict[str, Any]:
        """Settings for a report. `weights` is the digest of the weight file; None means training from scratch."""
        settings = super().settings
        digest = settings.pop("weights_digest")
        return settings | {"weights": digest or self.pinned["weights_digest"]}

    @property
    def pinned(self) -> dict[str, Any]:
        """Folder and digest of the weight file for this network. Both are None where training starts from scratch."""
        found = self._weights_file()
        if found is None:
            return {"weights": None, "weights_digest": None}
        path, content = found
        return {"weights": os.fspath(path.parent.absolute()), "weights_digest": _digest(content)}

    def _pictures(self, samples: Array) -> torch.Tensor:
        """Squares (N, 1024), values 0 to 1, as float32 input (N, channels, side, side)."""
        squares = torch.from_numpy(np.ascontiguousarray(samples, np.float32)).reshape(-1, 1, SQUARE, SQUARE)
        if self.side != SQUARE:
            squares = nn.functional.interpolate(squares, size=self.side, mode="bilinear", align_corners=False)
        return squares.expand(-1, self.colours_, -1, -1).contiguous(memory_format=torch.channels_last)

    def _weights_file(self) -> tuple[Path, bytes] | None:
        """Path and content of the ImageNet weight file for this network, or None where there is none.

        Raises:
            TrainingError: the file cannot be read.
        """
        path = Path(self.weights or "", f"{self.architecture}.pth")
        if not self.weights or not path.is_file():
            return None
        try:
            return path, path.read_bytes()
        except OSError as error:
            raise TrainingError(f"{path}: cannot be read ({error.strerror})") from error

    def _load(self) -> bool:
        """Load ImageNet weights into all layers but the last. Returns whether there was a weight file.

        Raises:
            TrainingError: the file is not for this network, or does not have the `weights_digest`.
        """
        found = self._weights_file()
        if self.weights_digest and (found is None or _digest(found[1]) != self.weights_digest):
            raise TrainingError(
                f"{self.weights}/{self.architecture}.pth: is missing on this machine, or differs from the file on "
                "the machine that started the comparison; copy it from there"
            )
        if found is None:
            return False
        path, content = found
        try:
            stored = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        except Exception as error:  # torch raises what the unpickler and the zip reader raise
            raise TrainingError(f"{path}: is not a weight file that torch can read ({error})") from error
        if not isinstance(stored, dict):
            raise TrainingError(f"{path}: holds a {type(stored).__name__}, not the weights of {self.architecture}")
        own = self.network_.state_dict()
        missing = [name for name in own if name not in stored and not name.startswith(HEADS)]
        if missing:
            raise TrainingError(f"{path}: has no {missing[0]}; it is not the weights of {self.architecture}")
        fitting = {name: stored[name] for name in own if name in stored and not name.startswith(HEADS)}
        try:
            self.network_.load_state_dict(own | fitting)
        except RuntimeError as error:
            raise TrainingError(f"{path}: its layers have other shapes than {self.architecture}'s") from error
        return True


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
