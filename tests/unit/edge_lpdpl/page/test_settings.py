"""Every limit of the locator holds at its default: a picture just inside it, and one just outside."""

from typing import NamedTuple

import numpy as np
import pytest

from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.settings import LocateSettings

PAPER = 200


class Ink(NamedTuple):
    """A rectangle of ink on a frame of 640 x 480. The locator halves the frame, so sizes differ in steps of 2."""

    left: int
    top: int
    width: int
    height: int
    takes: float = 0.8
    """Share of the paper's light that the ink takes."""


def ring(side: int, pen: int) -> list[Ink]:
    """口, `side` pixels across."""
    last = side - pen
    lying = [Ink(200, top, side, pen) for top in (200, 200 + last)]
    return lying + [Ink(left, 200, pen, side) for left in (200, 200 + last)]


def halves(gap: int) -> list[Ink]:
    """A narrow left half and a right one, 80 pixels high."""
    left = 308 + gap
    return [Ink(300, 200, 8, 80), Ink(left, 200, 8, 80), Ink(left, 200, 28, 8), Ink(left, 272, 28, 8)]


def crossed(line: float, stroke: float) -> list[Ink]:
    """A stroke across a line that is ruled from border to border."""
    return [Ink(0, 240, 640, 4, line), Ink(300, 200, 8, 80, stroke)]


class Pair(NamedTuple):
    """Two pictures that differ in one measure, and the widths and heights of the numerals on them."""

    limit: str
    inside: list[Ink]
    seen: list[tuple[int, int]]
    outside: list[Ink]
    seen_then: list[tuple[int, int]]
    settings: LocateSettings = LocateSettings()


NO_DOTS = LocateSettings(largest_dot=0)
WIDE_PENS = LocateSettings(largest_dot=0, widest_stroke=0.14)
STROKE = Ink(100, 200, 8, 80)

PAIRS = [
    Pair("widest_stroke", [Ink(300, 50, 30, 400)], [(30, 400)], [Ink(300, 50, 36, 400)], [], NO_DOTS),
    Pair(
        "least_contrast",
        [Ink(300, 200, 8, 80, 0.22), Ink(308, 220, 20, 8, 0.11)],
        [(28, 80)],
        [Ink(300, 200, 8, 80, 0.22), Ink(308, 220, 20, 8, 0.09)],
        [(8, 80)],
    ),
    Pair("least_peak", [Ink(300, 200, 8, 80, 0.21)], [(8, 80)], [Ink(300, 200, 8, 80, 0.19)], []),
    Pair(
        "faintest_peak",
        [Ink(100, 200, 8, 80, 0.3), Ink(400, 200, 8, 80, 0.18)],
        [(8, 80), (8, 80)],
        [Ink(100, 200, 8, 80, 0.3), Ink(400, 200, 8, 80, 0.16)],
        [(8, 80)],
    ),
    Pair(
        "core",
        [STROKE, Ink(108, 220, 20, 8, 0.3)],
        [(28, 80)],
        [STROKE, Ink(108, 220, 20, 8, 0.26)],
        [(8, 80)],
    ),
    Pair("ground", crossed(0.3, 0.4), [(8, 80)], crossed(0.3, 0.35), []),
    Pair("darkest_ground", crossed(0.62, 0.9), [(8, 80)], crossed(0.68, 0.9), []),
    Pair(
        "faintest",
        [STROKE, Ink(400, 200, 8, 80, 0.42)],
        [(8, 80), (8, 80)],
        [STROKE, Ink(400, 200, 8, 80, 0.38)],
        [(8, 80)],
    ),
    Pair(
        "weak_stroke",
        [Ink(300, 200, 80, 8), Ink(300, 230, 80, 8), Ink(300, 260, 80, 8, 0.38)],
        [(80, 68)],
        [Ink(300, 200, 80, 8), Ink(300, 230, 80, 8), Ink(300, 260, 80, 8, 0.34)],
        [(80, 38)],
    ),
    Pair("smallest", [Ink(300, 200, 6, 18)], [(6, 18)], [Ink(300, 200, 6, 16)], []),
    Pair("largest", [Ink(60, 200, 480, 24)], [(480, 24)], [Ink(60, 200, 484, 24)], []),
    Pair("smallest_dot", [Ink(300, 200, 10, 10)], [(10, 10)], [Ink(300, 200, 8, 8)], []),
    Pair("largest_dot", [Ink(300, 200, 90, 90)], [(90, 90)], [Ink(300, 200, 94, 94)], []),
    Pair("faintest_dot", [Ink(300, 200, 16, 16, 0.31)], [(16, 16)], [Ink(300, 200, 16, 16, 0.28)], []),
    Pair(
        "largest_mark",
        [Ink(200, 200, 200, 12), Ink(270, 220, 52, 52)],
        [(200, 72)],
        [Ink(200, 200, 200, 12), Ink(270, 220, 56, 56)],
        [(200, 12)],
        WIDE_PENS,
    ),
    Pair(
        "longest_part",
        [Ink(300, top, 36, 8) for top in (200, 224, 248, 272)],
        [(36, 80)],
        [Ink(300, top, 30, 8) for top in (200, 224, 248, 272)],
        [],
    ),
    Pair("widest_gap", halves(22), [(58, 80)], halves(26), [(8, 80), (28, 80)]),
    Pair("boldest", ring(80, 18), [(80, 80)], ring(80, 20), [], WIDE_PENS),
    Pair("thickest", [Ink(300, 200, 46, 200)], [(46, 200)], [Ink(300, 200, 50, 200)], [], WIDE_PENS),
    Pair("smallest_shape", [Ink(300, 200, 36, 80)], [(36, 80)], [Ink(300, 200, 38, 80)], []),
    Pair("border", [Ink(6, 200, 8, 80)], [(8, 80)], [Ink(4, 200, 8, 80)], []),
]


def sizes(inks: list[Ink], settings: LocateSettings, backend: str) -> list[tuple[int, int]]:
    """Widths and heights of the numerals on a page, in reading order."""
    frame = np.full((480, 640), PAPER, np.uint8)
    for ink in inks:
        area = slice(ink.top, ink.top + ink.height), slice(ink.left, ink.left + ink.width)
        frame[area] = round(PAPER * (1 - ink.takes))
    return [(box.width, box.height) for box in Locator(480, 640, settings, backend=backend).locate(frame)]


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.limit)
def test_a_limit_is_where_its_default_says(pair, backend):
    assert sizes(pair.inside, pair.settings, backend) == pair.seen
    assert sizes(pair.outside, pair.settings, backend) == pair.seen_then


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_bar_may_be_as_bold_as_bars_can_be(backend):
    """`boldest_bar` is more than a bar 2.5 times as long as wide can have: two sevenths of its length."""
    assert sizes([Ink(300, 200, 32, 80)], WIDE_PENS, backend) == [(32, 80)]


def test_every_limit_has_its_pair():
    assert {pair.limit for pair in PAIRS} | {"polarity", "boldest_bar"} == set(LocateSettings._fields)
