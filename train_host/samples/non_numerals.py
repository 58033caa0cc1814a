"""Synthetic non-numerals to learn the distances (novelty) from: random strokes, rows of marks, blots, solid shapes.

There are no letters, fingers or scribbles among them: those are for testing what was learned (`scenes.clutter`,
`compare.studies`). All non-numerals are light on black.

Whether a bar or a spot is a numeral depends on the script, so `strangers` takes the labels of a model.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from edge_lpdpl.model.labels import Label
from train_host.samples.plain_shapes import shape_of, shapes_of
from train_host.synthetic.dice import Array
from train_host.synthetic.drawing import draw_line, fit_in_frame
from train_host.synthetic.trace import Trace

SIZE = 64
Picture = NDArray[np.uint8]

_POINTS = 24
"""Points of a stroke."""
_STROKES = (1, 1, 2, 2, 3, 3, 4, 5, 6, 8)
"""Numbers of strokes to choose from, every entry with the same probability."""


def strangers(count: int, seed: int, labels: Sequence[Label]) -> Picture:
    """Pictures that are no numerals of these labels, uint8 (at most count, 64, 64), read-only.

    So many are drawn; those that are a numeral by their shape (`plain_shapes`) are left out.

    >>> from edge_lpdpl.model.labels import CHEQUE
    >>> strangers(10, 0, CHEQUE).shape
    (10, 64, 64)
    """
    pictures, numerals = drawn(count, seed), shapes_of(labels)
    if not numerals:
        return pictures
    kept = pictures[[shape not in numerals for shape in _shapes(count, seed)]]
    kept.setflags(write=False)
    return kept


@lru_cache(maxsize=2)
def drawn(count: int, seed: int) -> Picture:
    """Shapes at random, uint8 (count, 64, 64), read-only: non-numerals, and a few numerals by chance.

    Of every ten, five are strokes, one is rows of marks, two are blots and two are solid shapes.

    >>> drawn(10, 0).shape
    (10, 64, 64)
    """
    random = np.random.default_rng([seed, count])
    pictures = np.stack([_KINDS[place % len(_KINDS)](random) for place in range(count)])
    pictures.setflags(write=False)  # cached: the next caller gets the same array
    return pictures


@lru_cache(maxsize=2)
def _shapes(count: int, seed: int) -> list[str | None]:
    return [shape_of(picture) for picture in drawn(count, seed)]


def _strokes(random: np.random.Generator) -> Picture:
    """A few unrelated strokes, by a thin or a thick pen."""
    paths = [_path(random) for _ in range(random.choice(_STROKES))]
    em, pen = random.uniform(0.4, 0.9), random.uniform(1, 3.5 if random.random() < 0.7 else 9)
    return _to_grey(255 * _written(paths, em, pen))


def _rows_of_marks(random: np.random.Generator) -> Picture:
    """Up to four rows of small marks, as print or writing looks from afar; each row resembles a stroke of 三."""
    paths = []
    height, slope = random.uniform(0.35, 0.75), random.normal(0, 0.08)
    for row in range(random.integers(1, 5)):
        x = random.uniform(0, 1.5)
        for _ in range(random.integers(3, 12)):
            width = random.uniform(0.3, 0.9)
            for _ in range(random.integers(1, 4)):
                path = _path(random)
                low, high = path.min(axis=0), path.max(axis=0)
                paths.append((path - low) / np.maximum(high - low, 0.3) * (width, height) + (x, row + slope * x))
            x += width + random.uniform(0.05, 0.5)
    longer = float(np.ptp(np.concatenate(paths), axis=0).max())
    cover = _written([path / longer for path in paths], random.uniform(0.6, 0.92), random.uniform(0.7, 1.8))
    return _to_grey(255 * random.uniform(0.4, 1) * gaussian_filter(cover, random.uniform(0.2, 0.8)))


def _written(paths: list[Array], em: float, pen: float) -> Array:
    """Strokes in the middle of a picture, float64 (SIZE, SIZE) in 0 to 1.

    Args:
        em: as a share of the picture's side.
        pen: width in pixels.
    """
    points = np.concatenate(paths)
    joined = np.ones(len(points) - 1, np.bool_)
    joined[_POINTS - 1 :: _POINTS] = False
    trace = Trace(points - points.mean(axis=0), np.ones(len(points)), joined)
    return draw_line(fit_in_frame(trace, em * SIZE, (SIZE / 2, SIZE / 2), SIZE, margin=2.0), SIZE, pen)


def _path(random: np.random.Generator) -> Array:
    """One stroke in the unit square, float64 (_POINTS, 2): a line, corners, a bend, an arc, a ring, part of a box."""
    kind = random.integers(5)
    if kind == 0:
        if random.random() < 0.6:  # nearly horizontal or vertical, as most strokes of writing
            angle = random.choice([0, np.pi / 2]) + random.normal(0, 0.1)
            reach = random.uniform(0.1, 0.5) * np.array([np.cos(angle), np.sin(angle)])
            middle = random.random(2)
            return _through(np.stack([middle - reach, middle + reach]))
        return _through(random.random((2, 2)))
    if kind in (1, 2):
        path = _through(random.random((random.integers(3, 6), 2)))
        for _ in range(random.integers(3, 15) if kind == 2 else 0):
            path[1:-1] = (path[:-2] + 2 * path[1:-1] + path[2:]) / 4
        return path
    if kind == 3:
        length = 2 * np.pi if random.random() < 0.5 else random.uniform(1.5, 6)
        turns = random.uniform(0, 2 * np.pi) + np.linspace(0, length, _POINTS)
        circle: Array = np.column_stack([np.cos(turns), np.sin(turns)])
        return random.uniform(0.2, 0.8, 2) + circle * random.uniform(0.08, 0.5, 2)
    low = random.uniform(0, 0.5, 2)
    high = low + random.uniform(0.25, 0.7, 2)
    box = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    corners = np.roll(box, random.integers(4), axis=0)
    return _through(np.vstack([corners, corners[:1]])[: random.integers(3, 6)])


def _through(corners: Array) -> Array:
    """A stroke of straight lines from corner to corner, float64 (_POINTS, 2)."""
    at = np.linspace(0, len(corners) - 1, _POINTS)
    return np.column_stack([np.interp(at, np.arange(len(corners)), axis) for axis in corners.T])


def _blots(random: np.random.Generator) -> Picture:
    """Ragged spots, some of them hollow, sharp or soft."""
    layer = Image.new("L", (SIZE, SIZE), 0)
    for _ in range(random.integers(1, 4)):
        corners = random.integers(3, 14)
        turns = np.sort(random.uniform(0, 2 * np.pi, corners))
        reach = random.uniform(4, 26) * random.uniform(0.3, 1, corners)
        outline = np.column_stack([np.cos(turns) * reach, np.sin(turns) * reach * random.uniform(0.15, 1)])
        placed = _turned(outline, random.uniform(0, np.pi)) + random.uniform(20, 44, 2)
        ImageDraw.Draw(layer).polygon([tuple(point) for point in placed.tolist()], fill=int(random.integers(120, 256)))
    spots = gaussian_filter(np.asarray(layer, np.float64), random.uniform(0.4, 2.5))
    if random.random() < 0.5:
        spots = np.maximum(0, spots - random.uniform(0.6, 1) * gaussian_filter(spots, random.uniform(1, 5)))
        spots *= 255 / max(float(spots.max()), 1.0)
    return _to_grey(spots)


def _solids(random: np.random.Generator) -> Picture:
    """A rounded box, an ellipse or a rhombus, filled or hollow, often with sides cut off straight, unevenly lit."""
    length = random.uniform(40, 110)
    turns = 2 * np.pi * (np.arange(40) + random.random()) / 40
    power = random.choice([2.0, 1.0, 0.6])
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    outline: Any = np.sign(circle) * np.abs(circle) ** power * (length, length / random.uniform(1, 3.2))
    for axis, chance in ((1, 0.6), (0, 0.3)):
        if random.random() < chance:
            outline[:, axis] = np.minimum(outline[:, axis], random.random() * outline[:, axis].max())
    angle = random.choice([0, np.pi / 2]) + random.normal(0, 0.3)
    outline = _turned(outline, angle if random.random() < 0.7 else random.uniform(0, np.pi))
    layer = Image.new("L", (4 * SIZE, 4 * SIZE), 0)
    inner = random.uniform(0.3, 0.85) if random.random() < 0.25 else 0.0
    for share, fill in ((1.0, 255), (inner, 0)):
        if share > 0:
            ImageDraw.Draw(layer).polygon([tuple(point) for point in (2 * SIZE + share * outline).tolist()], fill=fill)
    solid = np.asarray(layer.resize((SIZE, SIZE), Image.Resampling.BOX), np.float64)
    ramp = np.linspace(-1, 1, SIZE)
    tilt_x, tilt_y = random.normal(0, 1, 2)
    light = 1 - 0.5 * random.random() * (tilt_x * ramp + (tilt_y * ramp)[:, None] + 0.5)
    return _to_grey(gaussian_filter(solid, random.uniform(0.3, 2.5)) * np.clip(light, 0.15, 1.2))


_KINDS = (_strokes, _strokes, _strokes, _blots, _solids, _strokes, _strokes, _rows_of_marks, _blots, _solids)


def _turned(outline: Array, angle: float) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    return outline @ np.array([[cosine, sine], [-sine, cosine]])


def _to_grey(values: Array) -> Picture:
    return np.rint(np.clip(values, 0, 255)).astype(np.uint8)
