"""Two networks small enough for a Pi: LeNet-5 and a depthwise separable network of 16,000 parameters."""

from torch import nn


def lenet5(classes: int) -> nn.Module:
    """LeNet-5 (LeCun et al. 1998) with ReLU and max pooling: pictures (N, 1, 32, 32), float32, to scores (N, classes).

    >>> sum(weights.numel() for weights in lenet5(10).parameters())
    61706
    """
    return nn.Sequential(
        nn.Conv2d(1, 6, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, classes),
    )


def depthwise_cnn(classes: int) -> nn.Module:
    """A small MobileNet: pictures (N, 1, 32, 32), float32, to scores (N, classes).

    Strides reduce the picture early. For deployment, batch normalisation is folded into the weights.

    >>> kernels = sum(weights.numel() for weights in depthwise_cnn(15).parameters() if weights.dim() > 1)
    >>> filters = 16 + (16 + 32) + (32 + 64) + (64 + 64) + (64 + 96)
    >>> kernels + filters + 15  # with one bias per filter, as deployed
    16431
    """
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU6(),
        *_separable(16, 32, stride=2),
        *_separable(32, 64, stride=2),
        *_separable(64, 64),
        *_separable(64, 96),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(96, classes),
    )


def _separable(channels: int, filters: int, stride: int = 1) -> list[nn.Module]:
    return [
        nn.Conv2d(channels, channels, 3, stride=stride, padding=1, groups=channels, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU6(),
        nn.Conv2d(channels, filters, 1, bias=False),
        nn.BatchNorm2d(filters),
        nn.ReLU6(),
    ]
