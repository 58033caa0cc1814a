"""Numerals that somebody has crossed out, or written another over: they are not to be read.

A stroke or two leave most of a numeral as it was, so drawn shapes alone do not teach that it is none. A few are
numerals all the same: a 三 that was a 二, a 4 with a line along its bar. A bar or a dot that is struck mostly is one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from train_host.datasets import Dataset
from train_host.datasets.pictures import box_of
from train_host.samples.camera_copies import SEEN, in_the_middle, ink_of, resized
from train_host.samples.non_numerals import SIZE, Picture
from train_host.samples.plain_shapes import RING, SHAPES
from train_host.synthetic.dice import Array
from train_host.synthetic.drawing import draw_line
from train_host.synthetic.trace import Trace

LEAST_SIDE, MOST_SIDE = 26, 38
"""Longer side of a numeral in the frame, in pixels: the strokes reach beyond it."""


def struck(dataset: Dataset, seed: int) -> Picture:
    """One struck copy of each of the N pictures of a data set of two classes or more: light on black, uint8 (N, SIZE,
    SIZE). That of a numeral that is a plain bar or dot is black.

    >>> from train_host.datasets.bundled import synthesise_dataset
    >>> copies = struck(synthesise_dataset("writers=2,samples=1,script=latin"), 0)
    >>> copies.shape, [bool(copy.any()) for copy in copies[:3]]
    ((20, 64, 64), [True, False, True])
    """
    random = np.random.default_rng([seed, len(dataset), SIZE])
    copies = np.zeros((len(dataset), SIZE, SIZE), np.uint8)
    plain = [SHAPES.get(label.character, RING) != RING for label in dataset.labels]
    others = [np.flatnonzero(dataset.targets != target) for target in range(len(dataset.labels))]
    for place, target in enumerate(dataset.targets):
        if not plain[target]:
            another = dataset.images[random.choice(others[target])]
            copies[place] = np.rint(255 * _struck(dataset.images[place], another, random))
    return copies


class _Box(NamedTuple):
    """Where the numeral is, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def share(self, random: np.random.Generator, least: float, most: float) -> float:
        """A length at random, between these shares of the longer side."""
        return float(random.uniform(least, most)) * max(self.right - self.left, self.bottom - self.top)


def _struck(picture: NDArray[np.uint8], another: NDArray[np.uint8], random: np.random.Generator) -> Array:
    """Float64 (SIZE, SIZE) in 0 to 1."""
    numeral, way = _framed(picture, random), random.integers(len(_WAYS) + 1)
    if way == len(_WAYS):
        return np.maximum(numeral, _framed(another, random))
    marks = numeral > SEEN
    if not marks.any():
        return numeral
    box = _Box(*box_of(marks))
    # Across a line of width w the distances to its edge are 1, 2 ... 2, 1, which are (w + 2) / 4 on average.
    width = max(1.0, 4 * float(distance_transform_edt(marks)[marks].mean()) - 2) * random.uniform(0.8, 1.2)
    strength = float(np.median(numeral[marks]))
    for corners in _WAYS[way](box, random):
        stroke = Trace(np.array(corners), np.ones(len(corners)), np.ones(len(corners) - 1, np.bool_))
        numeral = np.maximum(numeral, strength * draw_line(stroke, SIZE, width))
    return numeral


def _framed(picture: NDArray[np.uint8], random: np.random.Generator) -> Array:
    """A numeral in the middle of the frame, float64 (SIZE, SIZE) in 0 to 1."""
    framed: Array = in_the_middle(resized(ink_of(picture), random.uniform(LEAST_SIDE, MOST_SIDE)))
    return framed / max(float(framed.max()), 1.0)


_Strokes = list[list[tuple[float, float]]]
"""The corners, x and y, of each stroke."""


def _line(box: _Box, random: np.random.Generator) -> _Strokes:
    return _level(box, random, (0.35, 0.65))


def _two_lines(box: _Box, random: np.random.Generator) -> _Strokes:
    return _level(box, random, (0.25, 0.45), (0.55, 0.75))


def _level(box: _Box, random: np.random.Generator, *spans: tuple[float, float]) -> _Strokes:
    """A level line at a height within each span, in heights of the numeral."""
    strokes = []
    for least, most in spans:
        y = box.top + random.uniform(least, most) * (box.bottom - box.top)
        tilt = random.normal(0, 0.06) * (box.bottom - box.top)
        ends = box.left - box.share(random, 0.05, 0.3), box.right + box.share(random, 0.05, 0.3)
        strokes.append([(ends[0], y + tilt), (ends[1], y - tilt)])
    return strokes


def _slash(box: _Box, random: np.random.Generator, rises: bool | None = None) -> _Strokes:
    """From corner to corner, mostly rising."""
    left, right = box.left - box.share(random, 0, 0.15), box.right + box.share(random, 0, 0.15)
    above, below = box.top - box.share(random, -0.05, 0.12), box.bottom + box.share(random, -0.05, 0.12)
    rises = random.random() < 0.8 if rises is None else rises
    return [[(left, below), (right, above)] if rises else [(left, above), (right, below)]]


def _cross(box: _Box, random: np.random.Generator) -> _Strokes:
    return _slash(box, random, True) + _slash(box, random, False)


def _scribble(box: _Box, random: np.random.Generator) -> _Strokes:
    """To and fro over the numeral."""
    sides = (box.left, box.right)
    corners = [
        (sides[turn % 2] + box.share(random, -0.1, 0.1), random.uniform(box.top, box.bottom))
        for turn in range(random.integers(5, 12))
    ]
    return [corners]


_WAYS = (_line, _two_lines, _slash, _cross, _scribble)
