"""SqueezeNet 1.1. F. Iandola et al.: "SqueezeNet: AlexNet-Level Accuracy with 50x Fewer Parameters", 2016."""

import torch
from torch import nn


class Fire(nn.Module):
    """A fire module: 1x1 filters reduce the channels, then 1x1 and 3x3 filters side by side expand them."""

    def __init__(self, channels: int, squeeze: int, expand: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(channels, squeeze, 1)
        self.expand1x1 = nn.Conv2d(squeeze, expand, 1)
        self.expand3x3 = nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        few = self.squeeze(pictures).relu()
        return torch.cat([self.expand1x1(few).relu(), self.expand3x3(few).relu()], 1)


class SqueezeNet(nn.Module):
    """SqueezeNet 1.1: pictures (N, 3, height, width), float32, to scores (N, classes).

    >>> sum(weights.numel() for weights in SqueezeNet(1000).parameters())
    1235496
    """

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 3, stride=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            Fire(64, 16, 64),
            Fire(128, 16, 64),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            Fire(128, 32, 128),
            Fire(256, 32, 128),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            Fire(256, 48, 192),
            Fire(384, 48, 192),
            Fire(384, 64, 256),
            Fire(512, 64, 256),
        )
        self.classifier = nn.Sequential(nn.Dropout(0.5), nn.Conv2d(512, classes, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        # No layer normalises its outputs: without this initialisation (torchvision's) the network does not learn.
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)
        nn.init.normal_(self.classifier[1].weight, std=0.01)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.classifier(self.features(pictures))
        return found.flatten(1)
