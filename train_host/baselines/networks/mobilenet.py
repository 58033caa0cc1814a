"""MobileNetV2. M. Sandler et al.: "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR 2018."""

import torch
from torch import nn

BLOCKS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
"""Expansion, filters, repetitions and stride of the first repetition (Table 2 of the paper)."""


class InvertedResidual(nn.Module):
    """Expansion to more channels, depthwise filters, projection to fewer channels; a residual where shapes allow it."""

    def __init__(self, channels: int, filters: int, stride: int, expansion: int) -> None:
        super().__init__()
        inside = channels * expansion
        layers = [_normalised(channels, inside, 1)] if expansion > 1 else []
        layers.append(_normalised(inside, inside, 3, stride, groups=inside))
        self.conv = nn.Sequential(*layers, nn.Conv2d(inside, filters, 1, bias=False), nn.BatchNorm2d(filters))
        self.adds = stride == 1 and channels == filters

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        change: torch.Tensor = self.conv(pictures)
        return pictures + change if self.adds else change


class MobileNetV2(nn.Module):
    """The network with width multiplier 1: pictures (N, 3, height, width), float32, to scores (N, classes).

    >>> sum(weights.numel() for weights in MobileNetV2(1000).parameters())
    3504872
    """

    def __init__(self, classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [_normalised(3, 32, 3, 2)]
        channels = 32
        for expansion, filters, repetitions, stride in BLOCKS:
            for number in range(repetitions):
                layers.append(InvertedResidual(channels, filters, 1 if number else stride, expansion))
                channels = filters
        self.features = nn.Sequential(*layers, _normalised(channels, 1280, 1))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, classes))

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.classifier(self.features(pictures).mean((2, 3)))
        return found


def _normalised(channels: int, filters: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, filters, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
        nn.BatchNorm2d(filters),
        nn.ReLU6(),
    )
