"""Numerals drawn by this project itself, so that everything runs on a machine without any data.

`strokes` holds the descriptions of the numerals and `writers` the ways in which people differ; `trace` moves the pen
and `drawing` turns its path into pixels. All numbers come from `dice`, and only exact arithmetic is done on them, so
the same options give the same bytes on every machine and with every release of NumPy. A writer or sample does not
depend on how many are asked for: a smaller set is the beginning of a larger one.
"""

import numpy as np

from train_host.datasets.dataset import Dataset
from train_host.synthetic.options import Options, parse_options
from train_host.synthetic.pictures import draw_numeral, draw_sample
from train_host.synthetic.strokes import characters

__all__ = ["Options", "characters", "draw_numeral", "parse_options", "synthesise_dataset"]


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
    order = [
        (writer, sample, target)
        for writer in range(1, asked.writers + 1)
        for sample in range(1, asked.samples + 1)
        for target in range(len(asked.labels))
    ]
    images = np.empty((len(order), asked.size, asked.size), np.uint8)
    for image, (writer, sample, target) in zip(images, order, strict=True):
        character = asked.labels[target].character
        image[:] = draw_sample(character, seed=asked.seed, writer=writer, sample=sample, size=asked.size)
    writers, samples, targets = np.array(order).T
    return Dataset(
        name="synthetic traditional" if asked.script == "traditional" else "synthetic",
        images=images,
        labels=asked.labels,
        targets=targets.astype(np.intp),
        writers=writers.astype(np.int64),
        samples=samples.astype(np.int64),
    )
