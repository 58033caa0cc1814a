"""Numerals drawn by this project itself, so that everything runs on a machine without any data.

`strokes` holds the descriptions of the numerals and `writers` the ways in which people differ; `trace` moves the pen
and `drawing` turns its path into pixels. All numbers come from `dice`, and only exact arithmetic is done on them, so
the same options give the same bytes on every machine and with every release of NumPy. A writer or sample does not
depend on how many are asked for: a smaller set is the beginning of a larger one.
"""

import numpy as np

from edge_lpdpl.model.labels import Label
from train_host.datasets.dataset import Dataset
from train_host.synthetic.options import Options, parse_options
from train_host.synthetic.pictures import draw_numeral, draw_sample
from train_host.synthetic.strokes import characters

__all__ = ["Options", "characters", "draw_dataset", "draw_numeral", "parse_options", "synthesise_dataset"]


def synthesise_dataset(options: str = "") -> Dataset:
    """Draw a data set in the form of the real one: every numeral of a script, several times, by every writer.

    Args:
        options: `key=value` pairs separated by commas: `writers`, `samples`, `seed`, `script` (`chinese`,
            `traditional`, `arabic-indic`, `latin`) and `size`; see `Options` for their ranges and defaults.

    Returns:
        light ink on black, ordered by writer, then sample, then numeral; writers and samples count from 1.

    Raises:
        DatasetError: the options cannot be understood or are out of range.

    >>> small = synthesise_dataset("writers=2,samples=1,script=latin,size=32")
    >>> small.images.shape, small.writers.tolist() == [1] * 10 + [2] * 10
    ((20, 32, 32), True)
    """
    asked = parse_options(options)
    return draw_dataset(
        asked.labels,
        name="synthetic traditional" if asked.script == "traditional" else "synthetic",
        writers=asked.writers,
        samples=asked.samples,
        seed=asked.seed,
        size=asked.size,
    )


def draw_dataset(
    labels: tuple[Label, ...], *, name: str, writers: int, samples: int, seed: int, size: int = 64
) -> Dataset:
    """The same for classes of any choice.

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
    for image, (writer, sample, target) in zip(images, order, strict=True):
        image[:] = draw_sample(labels[target].character, seed=seed, writer=writer, sample=sample, size=size)
    columns = np.array(order).T
    return Dataset(
        name=name,
        images=images,
        labels=labels,
        targets=columns[2].astype(np.intp),
        writers=columns[0].astype(np.int64),
        samples=columns[1].astype(np.int64),
    )
