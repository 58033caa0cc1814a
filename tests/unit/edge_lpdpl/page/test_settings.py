"""Every limit of the locator holds at its default: a picture just inside it, and one just outside."""

from typing import NamedTuple

import numpy as np
import pytest

from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LEFT_END, PRINT, RIGHT_END, TOO_BOLD, TOO_FAINT, TOO_LARGE, TOO_SMALL
from edge_lpdpl.page.settings import LocateSettings

PAPER = 200
both = pytest.mark.parametrize("backend", ["numba", "numpy"])


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


def crossed(line: float, stroke: float) -> list[Ink]:
    """A stroke across a line that is ruled from border to border."""
    return [Ink(0, 240, 640, 4, line), Ink(300, 200, 8, 80, stroke)]


def dashes(width: int) -> list[Ink]:
    """Four short dashes, 80 pixels high together."""
    return [Ink(300, top, width, 8) for top in (200, 224, 248, 272)]


def searched(inks: list[Ink], settings: LocateSettings, backend: str) -> tuple[Locator, list[list[int]]]:
    """A locator that has searched a page with this ink, and the parts that may be writing."""
    frame = np.full((480, 640), PAPER, np.uint8)
    for ink in inks:
        area = slice(ink.top, ink.top + ink.height), slice(ink.left, ink.left + ink.width)
        frame[area] = round(PAPER * (1 - ink.takes))
    locator = Locator(480, 640, settings, backend=backend)
    return locator, locator.find(frame)


def underlined(width: int) -> list[Ink]:
    """Three upright strokes above a line."""
    return [*(Ink(left, 200, 6, 30) for left in (300, 316, 332)), Ink(290, 234, width, 4)]


# Other limits that would hide the one under test are moved out of its way.
ANY_WIDTH = LocateSettings(largest_dot=0, thickest=0.2)
WIDE_PENS = LocateSettings(largest_dot=0, widest_stroke=0.14)
WIDE_DOTS = LocateSettings(widest_stroke=0.2)
BOLD_PARTS = WIDE_PENS._replace(largest_mark=1)


class PartPair(NamedTuple):
    """Two pictures that differ in one measure, and the widths and heights of the parts that may be writing."""

    limit: str
    inside: list[Ink]
    parts: list[tuple[int, int]]
    outside: list[Ink]
    parts_then: list[tuple[int, int]]
    unread: tuple[str, ...] = ()
    """Why what is missing then is no writing. What is no ink at all is not listed."""
    settings: LocateSettings = LocateSettings()


PART_PAIRS = [
    PartPair("widest_stroke", [Ink(300, 40, 58, 400)], [(58, 400)], [Ink(300, 40, 60, 400)], [], (), ANY_WIDTH),
    PartPair(
        "least_contrast",
        [Ink(300, 200, 8, 80, 0.22), Ink(308, 220, 20, 8, 0.11)],
        [(28, 80)],
        [Ink(300, 200, 8, 80, 0.22), Ink(308, 220, 20, 8, 0.09)],
        [(8, 80)],
    ),
    PartPair("least_peak", [Ink(300, 200, 8, 80, 0.21)], [(8, 80)], [Ink(300, 200, 8, 80, 0.19)], [], ("too_faint",)),
    PartPair(
        "core",
        [Ink(100, 200, 8, 80), Ink(108, 220, 20, 8, 0.3)],
        [(28, 80)],
        [Ink(100, 200, 8, 80), Ink(108, 220, 20, 8, 0.26)],
        [(8, 80)],
    ),
    PartPair("ground", crossed(0.3, 0.38), [(8, 80)], crossed(0.3, 0.36), []),
    PartPair("darkest_ground", crossed(0.62, 0.9), [(8, 80)], crossed(0.68, 0.9), [], ("touches_border",)),
    PartPair(
        "weak_stroke",
        [Ink(300, 200, 80, 8), Ink(300, 230, 80, 8), Ink(300, 260, 80, 8, 0.38)],
        [(80, 8), (80, 8), (80, 8)],
        [Ink(300, 200, 80, 8), Ink(300, 230, 80, 8), Ink(300, 260, 80, 8, 0.34)],
        [(80, 8), (80, 8)],
        ("too_faint",),
    ),
    PartPair(
        "faintest_peak",
        [Ink(100, 200, 8, 80, 0.3), Ink(400, 200, 8, 80, 0.16)],
        [(8, 80), (8, 80)],
        [Ink(100, 200, 8, 80, 0.3), Ink(400, 200, 8, 80, 0.14)],
        [(8, 80)],
        ("too_faint",),
    ),
    PartPair("largest", [Ink(60, 200, 480, 24)], [(480, 24)], [Ink(60, 200, 484, 24)], [], ("too_large",)),
    PartPair(
        "shortest_underline", underlined(78), [(6, 30)] * 3 + [(78, 4)], underlined(80), [(6, 30)] * 3, ("rules",)
    ),
    PartPair("largest_dot", [Ink(300, 200, 90, 90)], [(90, 90)], [Ink(300, 200, 92, 92)], []),
    PartPair(
        "largest_mark", [Ink(270, 220, 52, 52)], [(52, 52)], [Ink(270, 220, 56, 56)], [], ("too_bold",), WIDE_PENS
    ),
    PartPair("boldest", ring(80, 18), [(80, 80)], ring(80, 20), [], ("too_bold",), WIDE_PENS),
    PartPair(
        "boldest_beside",
        [Ink(60, 200, 8, 80), *ring(80, 24)],
        [(8, 80), (80, 80)],
        [Ink(60, 200, 8, 80), *ring(80, 26)],
        [(8, 80)],
        ("too_bold",),
        WIDE_PENS,
    ),
    PartPair("thickest", [Ink(300, 200, 46, 200)], [(46, 200)], [Ink(300, 200, 50, 200)], [], ("too_bold",), WIDE_PENS),
    PartPair(
        "least_area",
        [Ink(300, 200, 8, 80), Ink(330, 240, 8, 2)],
        [(8, 80), (8, 2)],
        [Ink(300, 200, 8, 80), Ink(330, 240, 6, 2)],
        [(8, 80)],
    ),
    PartPair("border", [Ink(6, 200, 8, 80)], [(8, 80)], [Ink(4, 200, 8, 80)], [], ("touches_border",)),
]


@both
@pytest.mark.parametrize("pair", PART_PAIRS, ids=lambda pair: pair.limit)
def test_a_limit_on_parts_is_where_its_default_says(pair, backend):
    for inks, parts, reasons in ((pair.inside, pair.parts, ()), (pair.outside, pair.parts_then, pair.unread)):
        locator, rows = searched(inks, pair.settings, backend)
        assert [locator.box(row)[2:] for row in rows] == parts
        assert tuple(unread.reason for unread in locator.unread()) == reasons


class NumeralPair(NamedTuple):
    """Two pictures that differ in one measure. All of their parts may be writing."""

    limit: str
    inside: list[Ink]
    """These parts together may be a numeral."""
    outside: list[Ink]
    reason: int
    """Why those outside are none."""
    above: tuple[Ink, ...] = ()
    """Strokes farther up on both pages, which do not belong to it."""
    settings: LocateSettings = LocateSettings()


NUMERAL_PAIRS = [
    NumeralPair(
        "faintest_peak",
        [Ink(300, 200, 8, 80, 0.18)],
        [Ink(300, 200, 8, 80, 0.16)],
        TOO_FAINT,
        (Ink(300, 50, 8, 80, 0.3),),
    ),
    NumeralPair(
        "faintest",
        [Ink(300, 200, 8, 80, 0.42)],
        [Ink(300, 200, 8, 80, 0.38)],
        TOO_FAINT,
        (Ink(300, 50, 8, 80),),
    ),
    NumeralPair("smallest", [Ink(300, 200, 6, 18)], [Ink(300, 200, 6, 16)], TOO_SMALL),
    NumeralPair(
        "largest",
        [Ink(60, 200, 230, 24), Ink(310, 200, 230, 24)],
        [Ink(60, 200, 230, 24), Ink(314, 200, 230, 24)],
        TOO_LARGE,
    ),
    NumeralPair("smallest_dot", [Ink(300, 200, 10, 10)], [Ink(300, 200, 8, 8)], TOO_SMALL),
    NumeralPair("largest_dot", [Ink(300, 200, 90, 90)], [Ink(300, 200, 92, 92)], TOO_BOLD, (), WIDE_DOTS),
    NumeralPair("faintest_dot", [Ink(300, 200, 16, 16, 0.31)], [Ink(300, 200, 16, 16, 0.28)], TOO_FAINT),
    NumeralPair("longest_part", dashes(36), dashes(30), PRINT),
    NumeralPair("boldest", ring(80, 18), ring(80, 20), TOO_BOLD, (Ink(100, 50, 8, 80),), BOLD_PARTS),
    NumeralPair("thickest", [Ink(300, 200, 46, 200)], [Ink(300, 200, 50, 200)], TOO_BOLD, (), BOLD_PARTS),
    NumeralPair("smallest_shape", [Ink(300, 200, 36, 80)], [Ink(300, 200, 38, 80)], TOO_BOLD),
]


@both
@pytest.mark.parametrize("pair", NUMERAL_PAIRS, ids=lambda pair: pair.limit)
def test_a_limit_on_numerals_is_where_its_default_says(pair, backend):
    for inks, reason in ((pair.inside, 0), (pair.outside, pair.reason)):
        locator, rows = searched([*pair.above, *inks], pair.settings, backend)
        assert locator.unread() == []
        numeral = range(len(pair.above), len(rows))
        assert locator.lift([(row, LEFT_END, RIGHT_END) for row in numeral]).reason == reason


@both
def test_a_bar_may_be_as_bold_as_bars_can_be(backend):
    """`boldest_bar` is more than a bar 2.5 times as long as wide can have: two sevenths of its length."""
    locator, rows = searched([Ink(300, 200, 32, 80)], WIDE_PENS, backend)
    assert [locator.box(row)[2:] for row in rows] == [(32, 80)]
    assert locator.lift([(0, LEFT_END, RIGHT_END)]).reason == 0


@both
@pytest.mark.parametrize(("uprights", "kept"), [(7, True), (2, False)], ids=["characters that touch", "one thing"])
def test_characters_that_touch_may_be_wider_together_than_one_of_them(backend, uprights, kept):
    """`largest` limits their height."""
    row = [Ink(60, 300, 520, 8)] + [Ink(60 + 512 * one // (uprights - 1), 200, 8, 100) for one in range(uprights)]
    locator, rows = searched(row, LocateSettings(), backend)
    assert [locator.box(one)[2:] for one in rows] == [(520, 108)] * kept
    assert [unread.reason for unread in locator.unread()] == ["too_large"] * (not kept)


def test_every_limit_has_its_pair():
    limits = {pair.limit for pair in (*PART_PAIRS, *NUMERAL_PAIRS)}
    assert limits | {"polarity", "boldest_bar", "single_boxes"} == set(LocateSettings._fields)
