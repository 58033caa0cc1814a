"""A network as a method of the comparison, trained on squares from scratch.

The small networks are our own, the large ones torchvision's. All run on the processor and need the extra `deep`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torchvision import models

from train_host.baselines.baseline import Baseline, Targets
from train_host.baselines.small_networks import as_torch, depthwise_cnn, lenet5
from train_host.method.estimator import seed_of
from train_host.method.statistics import Array

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
BATCH = 64


@dataclass(eq=False, repr=False)
class Network(Baseline):
    """A network trained by AdamW with a one-cycle schedule, on cross-entropy with smoothed labels.

    >>> squares = np.zeros((8, 1024))
    >>> squares[4:, :512] = 1.0
    >>> network = Network("lenet5", least_steps=8, rate=3e-3).fit(squares, np.arange(8) // 4)
    >>> network.predict(squares).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    constant: float = 0.0
    architecture: str = "depthwise_cnn"
    epochs: int = 12
    least_steps: int = 600
    """Fewest steps of the optimiser. Small training sets are shown for more epochs to reach it."""
    rate: float = 2e-3
    random_state: Any = 0

    def _learn(self, samples: Array, targets: Targets) -> None:
        torch.manual_seed(seed_of(self.random_state))
        build, self.colours_ = ARCHITECTURES[self.architecture]
        self.network_ = build(len(self.classes_)).to(memory_format=torch.channels_last)  # half the time
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
        return f"from scratch, {SQUARE}x{SQUARE}, epochs: {self.epochs_}"

    def _pictures(self, samples: Array) -> torch.Tensor:
        """Squares (N, 1024), values 0 to 1, as float32 input (N, channels, 32, 32)."""
        squares = torch.from_numpy(np.ascontiguousarray(samples, np.float32)).reshape(-1, 1, SQUARE, SQUARE)
        return squares.expand(-1, self.colours_, -1, -1).contiguous(memory_format=torch.channels_last)
