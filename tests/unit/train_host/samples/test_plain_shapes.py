"""Which shapes are numerals by their shape alone."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN
from train_host.samples.plain_shapes import DOT, LYING, RING, STANDING, shape_of, shapes_of

SIDE = 64


def drawn(what: str, *where, turned: float = 0, **how) -> np.ndarray:
    picture = Image.new("L", (SIDE, SIDE))
    getattr(ImageDraw.Draw(picture), what)(*where, **{"fill": 200} | how)
    return np.asarray(picture.rotate(turned, Image.Resampling.BILINEAR))


def ellipse(wide: float, high: float, **how) -> np.ndarray:
    return drawn("ellipse", (32 - wide, 32 - high, 32 + wide, 32 + high), **how)


def ring(wide: float, high: float, pen: int = 4, **how) -> np.ndarray:
    return ellipse(wide, high, fill=0, outline=200, width=pen, **how)


def box(wide: float, high: float, **how) -> np.ndarray:
    return drawn("rectangle", (32 - wide, 32 - high, 32 + wide, 32 + high), **how)


@pytest.mark.parametrize("turned", [0, 30, 75])
class TestAnyTurn:
    def test_compact_solids_are_dots(self, turned):
        assert [shape_of(ellipse(14, high, turned=turned)) for high in (14, 10, 6)] == [DOT] * 3
        assert shape_of(box(12, 9, turned=turned)) == DOT

    def test_a_solid_between_dot_and_bar_is_neither(self, turned):
        assert shape_of(ellipse(27, 9, turned=turned)) is None

    def test_ellipses_with_a_hole_are_rings(self, turned):
        assert [shape_of(ring(20, high, turned=turned)) for high in (20, 13)] == [RING] * 2

    def test_flat_rings_boxes_and_crossed_rings_are_none(self, turned):
        crossed = np.maximum(ring(20, 18), drawn("line", (32, 4, 32, 60), width=3))
        assert shape_of(ring(24, 10, 3, turned=turned)) is None
        assert shape_of(box(16, 14, fill=0, outline=200, width=4, turned=turned)) is None
        assert shape_of(crossed) is None

    def test_a_triangle_and_a_corner_are_none(self, turned):
        assert shape_of(drawn("polygon", [(14, 44), (50, 44), (32, 16)], turned=turned)) is None
        assert shape_of(drawn("line", [(16, 16), (16, 48), (48, 48)], width=5, turned=turned)) is None


@pytest.mark.parametrize(
    ("turned", "expected"), [(0, STANDING), (40, STANDING), (50, LYING), (90, LYING), (140, STANDING)]
)
@pytest.mark.parametrize("pen", [1, 2, 6])
def test_bars_stand_or_lie(turned, expected, pen):
    assert shape_of(box(pen, 22, turned=turned)) == expected


def test_a_bent_bar_is_none():
    assert shape_of(drawn("arc", (10, 10, 54, 54), 200, 340, width=4)) is None


def test_two_parts_and_nothing_are_none():
    two = np.zeros((SIDE, SIDE), np.uint8)
    two[10:20, 10:20] = two[30:40, 30:40] = 200
    assert shape_of(two) is None
    assert shape_of(np.zeros((SIDE, SIDE), np.uint8)) is None


def test_each_script_has_its_own():
    found = [shapes_of(labels) for labels in (LATIN, ARABIC_INDIC, CHINESE, CHEQUE)]
    assert found == [{STANDING, RING}, {STANDING, RING, DOT}, {LYING, RING}, frozenset()]
