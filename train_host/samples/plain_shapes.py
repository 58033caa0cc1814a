"""Shapes that are numerals, whoever drew them: a straight bar is a 1 or a 一, a ring is a 0 or a 〇, a dot is a ٠.

A generator of non-numerals draws such shapes too. What they are is measured on the shape itself, and no model is asked:
a model would call everything a numeral that it cannot tell from one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from edge_lpdpl.model.labels import Label
from train_host.synthetic.strokes import other_shapes

DOT, STANDING, LYING, RING = "dot", "standing bar", "lying bar", "ring"

SHAPES = {"٠": DOT, "١": STANDING, "1": STANDING, "一": LYING, "0": RING, "٥": RING, "〇": RING}
"""The characters that one such shape is the whole of."""

INK = 0.5
"""Share of the brightest pixel above which a pixel belongs to the shape."""
FULL_DOT, FULL_BAR, FULL_RING = 0.88, 0.85, 0.975
"""How full a shape at least is: its area as a share of that of the ellipse of the same moments. An ellipse has 1, a
rectangle 0.955, half a disc 0.946, a triangle 0.83, and a bar that is bent by its thickness 0.66."""
LONGEST_DOT, LONGEST_RING, SHORTEST_BAR = 2.8, 2.0, 3.0
"""Length over width."""
HOLE = 0.08
"""Share of its area that is the hole of a ring, at least."""


def shape_of(picture: NDArray[np.uint8]) -> str | None:
    """The plain shape that a picture (height, width) shows, light on black, or None.

    >>> bar = np.zeros((16, 16), np.uint8)
    >>> bar[2:14, 6:9] = 255
    >>> shape_of(bar), shape_of(bar.T)
    ('standing bar', 'lying bar')
    """
    ink = np.pad(picture > INK * picture.max(), 1)
    if label(ink, np.ones((3, 3)))[1] != 1:
        return None
    paper, count = label(~ink)
    if count > 2:
        return None
    whole = paper != paper[0, 0]
    full, slender, lies = _measured(whole)
    if count == 2:
        hole = whole & ~ink
        large = hole.sum() >= HOLE * whole.sum() and _measured(hole)[0] >= FULL_DOT
        return RING if large and full >= FULL_RING and slender <= LONGEST_RING else None
    if slender <= LONGEST_DOT:
        return DOT if full >= FULL_DOT else None
    return (LYING if lies else STANDING) if full >= FULL_BAR and slender >= SHORTEST_BAR else None


def _measured(shape: NDArray[np.bool_]) -> tuple[float, float, bool]:
    """How full a shape is, its length over its width, and whether it is nearer to lying than to standing."""
    spread = np.cov(np.argwhere(shape).T, bias=True).reshape(2, 2) + np.eye(2) / 12  # a pixel has a width, too
    (across, along), directions = np.linalg.eigh(spread)
    down, right = np.abs(directions[:, 1])
    full = shape.sum() / (4 * np.pi * np.sqrt(across * along))
    return float(full), float(np.sqrt(along / across)), bool(right > down)


def shapes_of(labels: Sequence[Label]) -> frozenset[str]:
    """The plain shapes that are numerals of these classes.

    >>> from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE
    >>> sorted(shapes_of(CHINESE)), sorted(shapes_of(ARABIC_INDIC))
    (['lying bar', 'ring'], ['dot', 'ring', 'standing bar'])
    """
    written = {one.character for one in labels} | set(other_shapes(labels))
    return frozenset(SHAPES[one] for one in written if one in SHAPES)
