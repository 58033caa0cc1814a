"""Data sets that need no file: scikit-learn's digits, and synthetic numerals."""

import numpy as np

from edge_lpdpl.model.labels import LATIN
from train_host.datasets.dataset import Dataset, index_labels

_LARGEST_GREY = 16


def digits() -> Dataset:
    """The 1,797 real digits of 8x8 pixels that come with scikit-learn.

    They are the test part of "Optical Recognition of Handwritten Digits" (E. Alpaydin, C. Kaynak, UCI, 1998). Here
    their grey levels are scaled from 0..16 to 0..255.

    >>> digits().images.shape
    (1797, 8, 8)
    """
    from sklearn.datasets import load_digits  # slow: takes a second, which other sets do not need

    bunch = load_digits()
    labels, targets = index_labels(bunch.target, LATIN)
    images = np.rint(bunch.images * (255 / _LARGEST_GREY)).astype(np.uint8)
    return Dataset(name="digits", images=images, labels=labels, targets=targets)


def synthetic(options: str = "") -> Dataset:
    """Numerals drawn from stroke descriptions; `options` is the text after `synthetic:`."""
    from train_host.synthetic import synthesise_dataset  # here, because it imports `Dataset` itself

    return synthesise_dataset(options)
