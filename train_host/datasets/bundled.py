"""Data sets that need no file: scikit-learn's digits, and synthetic numerals."""

from dataclasses import asdict
from itertools import product

import numpy as np

from edge_lpdpl.model.labels import LATIN, Label
from train_host.datasets.dataset import Dataset, index_labels
from train_host.synthetic.options import SCRIPTS, parse_options
from train_host.synthetic.pictures import draw_sample
from train_host.synthetic.strokes import other_shapes

_LARGEST_GREY = 16
_NAMES = {"traditional": "synthetic traditional", "cheque": "synthetic cheque (no real writing)"}


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


def synthesise_dataset(options: str = "") -> Dataset:
    """Draw a data set in the form of the Newcastle set: every numeral of a script, several times, by every writer.

    Args:
        options: `key=value` pairs separated by commas: `writers`, `samples`, `seed`, `script` (`chinese`,
            `traditional`, `cheque`, `arabic-indic`, `latin`) and `size`; see `Options` for their ranges and defaults.

    Returns:
        images (N, size, size) uint8 of light ink on black, ordered by writer, then sample, then numeral; writers and
        samples are numbered from 1.

    Raises:
        DatasetError: the options are not valid or out of range.

    >>> small = synthesise_dataset("writers=2,samples=1,script=latin,size=32")
    >>> small.images.shape, small.writers.tolist() == [1] * 10 + [2] * 10
    ((20, 32, 32), True)
    """
    asked = asdict(parse_options(options))
    script = asked.pop("script")
    return draw_dataset(SCRIPTS[script], name=_NAMES.get(script, "synthetic"), **asked)


def draw_dataset(
    labels: tuple[Label, ...], *, name: str, writers: int, samples: int, seed: int, size: int = 64
) -> Dataset:
    """The same for any classes. Every second writer writes the `other_shapes` of the classes.

    Args:
        labels: the classes; `characters` lists what can be drawn.
        name: of the data set.
        writers: number of writers.
        samples: of every numeral by every writer.
        seed: 0 or more.
        size: side of the pictures in pixels.

    Raises:
        DatasetError: there are no strokes for a class.
    """
    order = list(product(range(1, writers + 1), range(1, samples + 1), range(len(labels))))
    images = np.empty((len(order), size, size), np.uint8)
    shapes = [label.character for label in labels], other_shapes(labels)
    for image, (writer, sample, target) in zip(images, order, strict=True):
        image[:] = draw_sample(shapes[(writer - 1) % 2][target], seed=seed, writer=writer, sample=sample, size=size)
    by_writer, by_sample, targets = np.array(order).T
    return Dataset(name, images, labels, targets, by_writer, by_sample)
