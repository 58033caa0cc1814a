"""Synthetic numerals, drawn by this project, so that everything runs on a machine without any data.

`strokes` describes the numerals and `writers` how people differ; `trace` computes the path of the pen and `drawing`
turns it into pixels. All random numbers come from `dice`, and only exact arithmetic is done on them, so the same
options give the same bytes on every machine and with every release of NumPy. A writer or sample does not depend on how
many are asked for: writers 1 to 10 of a large set are the same as those of a set of ten.
"""

import numpy as np

from edge_lpdpl.model.labels import CHEQUE, Label
from train_host.datasets.dataset import Dataset
from train_host.synthetic.cheque import OTHER_SHAPES
from train_host.synthetic.options import Options, parse_options
from train_host.synthetic.pictures import draw_numeral, draw_sample
from train_host.synthetic.strokes import characters

__all__ = ["Options", "characters", "draw_dataset", "draw_numeral", "parse_options", "synthesise_dataset"]

_NAMES = {"traditional": "synthetic traditional", "cheque": "synthetic cheque (no real writing)"}


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
    asked = parse_options(options)
    return draw_dataset(
        asked.labels,
        name=_NAMES.get(asked.script, "synthetic"),
        writers=asked.writers,
        samples=asked.samples,
        seed=asked.seed,
        size=asked.size,
    )


def draw_dataset(
    labels: tuple[Label, ...], *, name: str, writers: int, samples: int, seed: int, size: int = 64
) -> Dataset:
    """The same for any classes. Every second writer of cheques writes `cheque.OTHER_SHAPES`.

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
    order = [
        (writer, sample, target)
        for writer in range(1, writers + 1)
        for sample in range(1, samples + 1)
        for target in range(len(labels))
    ]
    images = np.empty((len(order), size, size), np.uint8)
    shapes = [label.character for label in labels], [_other_shape(label, labels) for label in labels]
    for image, (writer, sample, target) in zip(images, order, strict=True):
        image[:] = draw_sample(shapes[(writer - 1) % 2][target], seed=seed, writer=writer, sample=sample, size=size)
    columns = np.array(order).T
    return Dataset(
        name=name,
        images=images,
        labels=labels,
        targets=columns[2].astype(np.intp),
        writers=columns[0].astype(np.int64),
        samples=columns[1].astype(np.int64),
    )


def _other_shape(label: Label, labels: tuple[Label, ...]) -> str:
    """The character that every second writer writes for a class."""
    return OTHER_SHAPES.get(label.character, label.character) if labels == CHEQUE else label.character
