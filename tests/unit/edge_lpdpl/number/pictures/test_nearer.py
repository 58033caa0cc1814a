"""A large picture of small numbers is read from nearer, whole numbers only, and print, dust and grain are not."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
import pytest
from cards import sheet
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont
from readings import reading_of

from edge_lpdpl import PictureReader, Recogniser, shipped_model
from edge_lpdpl.number.line_reader import INK_UNREAD
from edge_lpdpl.number.pictures import reader as pictures
from edge_lpdpl.number.pictures.nearer import View, cores_of, read_nearer, tiles_of
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import Box, Unread

pytestmark = pytest.mark.slow

NUMBERS = ["323", "36", "6032", "66", "203", "38", "53", "8320"]
SMALL = 40
"""Height of a digit, in pixels of a sheet of 2400: less than the smallest numeral that is read from afar."""


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("latin10"))


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    """A sheet with two numbers in each of four rows."""
    corners = [(200 + 900 * (place % 2), 300 + 500 * (place // 2)) for place in range(len(NUMBERS))]
    return sheet((2400, 1800), SMALL, dict(zip(corners, NUMBERS, strict=True)))


def accepted(reading):
    return [number.text for number in reading.numbers if not number.rejected]


class TestTiles:
    @given(st.integers(8, 500), st.integers(8, 500), st.sampled_from([2, 3, 4]))
    def test_they_are_of_one_size_and_overlap_by_half(self, height, width, nearer):
        tiles = tiles_of(np.zeros((height, width), np.uint8), nearer)
        assert len({tile[2:] for tile in tiles}) == 1
        assert max(tiles[0][2:]) == -(-max(height, width) // nearer)
        for axis in (0, 1):
            starts, side = sorted({tile[axis] for tile in tiles}), tiles[0][axis + 2]
            assert (starts[0], starts[-1] + side) == (0, (width, height)[axis])
            assert all(other - one <= (side + 1) // 2 for one, other in pairwise(starts))

    @given(st.integers(8, 90), st.integers(8, 90), st.sampled_from([2, 3, 4]))
    def test_every_pixel_is_in_the_core_of_one_and_that_is_inside_of_it(self, height, width, nearer):
        tiles, held = tiles_of(np.zeros((height, width), np.uint8), nearer), np.zeros((height, width), int)
        for tile, core in zip(tiles, cores_of(tiles, height, width), strict=True):
            held[core.y : core.bottom, core.x : core.right] += 1
            assert tile.x <= core.x <= core.right <= tile.right
            assert tile.y <= core.y <= core.bottom <= tile.bottom
        assert (held == 1).all()


class TestSheet:
    def test_small_numbers_are_read_in_their_order(self, recogniser, page, monkeypatch):
        assert accepted(PictureReader(recogniser).read(page)) == NUMBERS
        monkeypatch.setattr(pictures, "NEARER", ())
        assert accepted(PictureReader(recogniser).read(page)) == []

    def test_boxes_are_those_in_the_picture(self, recogniser, page):
        reading = PictureReader(recogniser).read(page)
        assert [number.numerals for number in reading.numbers][:2] == [(0, 1, 2), (3, 4)]
        for numeral in reading.numerals:
            x, y, width, height = numeral.box
            assert (page[y : y + height, x : x + width] < 150).any()
            assert abs(height - SMALL) <= 6

    def test_cut_outs_are_what_was_read(self, recogniser, page):
        reader = PictureReader(recogniser)
        reading = reader.read(page)
        found = [recogniser.recognise(cut_out, "light").label for cut_out in reader.cut_outs()]
        assert found == [numeral.recognition.label for numeral in reading.numerals]

    def test_both_backends_read_the_same(self, page):
        ours, plain = (
            PictureReader(Recogniser.load(shipped_model("latin10"), backend)).read(page)
            for backend in ("numba", "numpy")
        )
        assert [(one.text, one.box, one.reason) for one in ours.numbers] == [
            (one.text, one.box, one.reason) for one in plain.numbers
        ]
        assert ours.unread == plain.unread

    def test_what_is_too_large_for_a_tile_is_read_from_afar(self, recogniser):
        """Between them is one that is whole in no tile, but large enough from afar."""
        small = {(200 + 700 * (place % 2), 300 + 200 * (place // 2)): number for place, number in enumerate(NUMBERS)}
        page = sheet((2400, 1800), SMALL, small)
        page = np.minimum(page, sheet((2400, 1800), 600, {(500, 1550): "6"}))
        page = np.minimum(page, sheet((2400, 1800), 80, {(100, 1250): "36228360"}))
        reader = PictureReader(recogniser)
        reading = reader.read(page)
        assert accepted(reading) == [*NUMBERS, "36228360", "6"]
        found = [recogniser.recognise(cut_out, "light").label for cut_out in reader.cut_outs()]
        assert found == [numeral.recognition.label for numeral in reading.numerals]

    def test_one_reader_reads_sheets_and_frames_in_turn(self, recogniser, page):
        reader, turned = PictureReader(recogniser), np.ascontiguousarray(np.rot90(page, 2))
        frame = sheet((480, 640), 120, {(200, 150): "323"})
        for _ in range(2):
            assert accepted(reader.read(page)) == NUMBERS
            assert accepted(reader.read(frame)) == ["323"]
            assert len(reader.cut_outs()) == 3
            reader.read(turned)


@pytest.mark.parametrize("left", range(40, 1240, 75))
def test_a_number_across_the_borders_of_tiles_is_read_whole_or_not_at_all(recogniser, left):
    """Its 16 digits take 0.6 of a tile's width four times nearer, so it is whole in none of some columns of tiles."""
    number = "3230283580356602"
    page = sheet((2000, 2400), 32, {(left, 900): number, (300, 300): "53", (900, 300): "23", (300, 1500): "38"})
    reading = PictureReader(recogniser).read(page)
    assert set(accepted(reading)) <= {number, "53", "23", "38"}
    boxes = [one.box for one in [*reading.numerals, *reading.unread]]
    dark = np.flatnonzero(np.diff((page[900:932] < 150).any(axis=0))).reshape(-1, 2)
    assert len(dark) == len(number)
    for middle in dark.mean(axis=1):
        assert any(box.x <= middle < box.right and box.y <= 916 < box.bottom for box in boxes), middle


class Scripted(NamedTuple):
    """Reads what it is told to, tile by tile."""

    readings: Iterator[Reading]

    def read(self, grey):
        return next(self.readings)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_numerals_that_no_number_has_are_unread_and_leave_a_doubt(order):
    """One tile accepts 53 and does not see the 8 behind it, one doubts 538, and one begins at the 8. The 5 stands by
    itself."""
    boxes = [Box(100, 10, 20, 30), Box(130, 10, 20, 30), Box(160, 10, 20, 30)]
    short = reading_of(("5", None, [Box(20, 10, 20, 30)]), ("53", None, boxes[:2]))
    cut = reading_of(("8", None, [boxes[2]._replace(x=5)]))
    seen = [(Box(0, 0, 390, 60), short), (Box(0, 0, 390, 60), reading_of(("538", UNSURE, boxes)))]
    seen.append((Box(155, 0, 390, 60), cut))
    tiles, readings = zip(*(seen[place] for place in order), strict=True)
    grey = np.zeros((60, 545), np.uint8)
    reading = read_nearer(Scripted(iter(readings)), grey, tiles, View(Reading([], []), [])).reading
    assert [(one.text, one.reason) for one in reading.numbers] == [("5", None), ("53", INK_UNREAD)]
    assert reading.unread == [Unread(boxes[2], "no_numeral")]


def test_print_is_not_read_from_nearer(recogniser, monkeypatch):
    """From nearer, a few of its letters would be accepted: an O is a 0."""
    page = Image.new("L", (1500, 2000), 215)
    font = ImageFont.truetype(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans-Oblique.ttf"), 44)
    text = "the quick brown fox jumps over lazy dog SOS Zoll all O Lorem ipsum sit amet"
    for row in range(25):
        ImageDraw.Draw(page).text((100 - row, 100 + 70 * row), text[row:], 50, font)
    seen = PictureReader(recogniser).read(np.asarray(page))
    monkeypatch.setattr(pictures, "NEARER", ())
    assert seen.numbers == PictureReader(recogniser).read(np.asarray(page)).numbers


def test_a_model_without_distances_does_not_look_nearer(recogniser, page, monkeypatch):
    """It accepts most of what is no numeral."""
    blind = Recogniser(replace(recogniser.model, novelty=None, unsure_share=1.0))
    monkeypatch.setattr(pictures, "read_nearer", None)
    assert accepted(PictureReader(blind).read(page)) == []


def test_a_frame_of_a_camera_is_read_from_afar_only(recogniser, monkeypatch):
    """In 640 pixels nothing is left of what is so small."""
    page = sheet((480, 640), 12, {(60, 60): "323", (300, 60): "38", (60, 300): "6032"})
    monkeypatch.setattr(pictures, "read_nearer", None)
    PictureReader(recogniser).read(page)


@pytest.mark.parametrize(("accepted", "found", "chance"), [(0, 0, 1), (1, 4, 1), (5, 5, 0.25**5), (0, 9, 1)])
def test_how_probable_it_is_that_all_are_mistakes(accepted, found, chance):
    assert pictures.chance_of(accepted, found) == pytest.approx(chance)


@given(st.integers(1, 60), st.data())
def test_the_bound_is_above_the_binomial_tail(found, data):
    accepted = data.draw(st.integers(0, found))
    from scipy.stats import binom

    tail = binom.sf(accepted - 1, found, pictures.MISTAKEN)
    assert pictures.chance_of(accepted, found) >= tail * (1 - 1e-9)
