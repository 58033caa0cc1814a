"""GoogLeNet. C. Szegedy et al.: "Going Deeper with Convolutions", CVPR 2015.

As in torchvision, there is batch normalisation. The auxiliary heads are left out.
"""

import torch
from torch import nn

POOL = "pool"
INCEPTIONS = (
    ("inception3a", 192, 64, 96, 128, 16, 32, 32),
    ("inception3b", 256, 128, 128, 192, 32, 96, 64),
    (POOL, 3),
    ("inception4a", 480, 192, 96, 208, 16, 48, 64),
    ("inception4b", 512, 160, 112, 224, 24, 64, 64),
    ("inception4c", 512, 128, 128, 256, 24, 64, 64),
    ("inception4d", 512, 112, 144, 288, 32, 64, 64),
    ("inception4e", 528, 256, 160, 320, 32, 128, 128),
    (POOL, 2),
    ("inception5a", 832, 256, 160, 320, 32, 128, 128),
    ("inception5b", 832, 384, 192, 384, 48, 128, 128),
)
"""Name and widths of every block (Table 1 of the paper), or a pooling layer and its window."""


class Convolution(nn.Module):
    """Convolution, batch normalisation and ReLU: (N, channels, height, width) to (N, filters, ...)."""

    def __init__(self, channels: int, filters: int, kernel: int = 1, stride: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, kernel, stride, kernel // 2, bias=False)
        self.bn = nn.BatchNorm2d(filters, eps=0.001)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.bn(self.conv(pictures))
        return found.relu()


class Inception(nn.Module):
    """An Inception block: 1x1, 3x3 and larger filters and a pooling side by side (Figure 2b of the paper)."""

    def __init__(self, channels: int, one: int, few3: int, three: int, few5: int, five: int, pooled: int) -> None:
        super().__init__()
        self.branch1 = Convolution(channels, one)
        self.branch2 = nn.Sequential(Convolution(channels, few3), Convolution(few3, three, 3))
        # The paper has 5x5 filters here; torchvision's weights have 3x3.
        self.branch3 = nn.Sequential(Convolution(channels, few5), Convolution(few5, five, 3))
        self.branch4 = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), Convolution(channels, pooled))

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        branches = (self.branch1, self.branch2, self.branch3, self.branch4)
        return torch.cat([branch(pictures) for branch in branches], 1)


class GoogLeNet(nn.Module):
    """The network: pictures (N, 3, height, width), float32, to scores (N, classes).

    With 1000 classes and without the auxiliary heads there are 6,624,904 parameters.

    >>> sum(weights.numel() for weights in GoogLeNet(1000).parameters())
    6624904
    """

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.conv1 = Convolution(3, 64, 7, 2)
        self.conv2 = Convolution(64, 64)
        self.conv3 = Convolution(64, 192, 3)
        for name, *widths in INCEPTIONS:
            if name != POOL:
                self.add_module(name, Inception(*widths))
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(1024, classes)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        pool = nn.functional.max_pool2d
        found = pool(self.conv1(pictures), 3, 2, ceil_mode=True)
        found = pool(self.conv3(self.conv2(found)), 3, 2, ceil_mode=True)
        for name, *widths in INCEPTIONS:
            found = pool(found, widths[0], 2, ceil_mode=True) if name == POOL else getattr(self, name)(found)
        result: torch.Tensor = self.fc(self.dropout(found.mean((2, 3))))
        return result
