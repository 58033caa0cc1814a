"""The marks of a form are found however it lies, and nowhere else."""

import time

import numpy as np
import pytest
from form_pictures import View, blank_form, find_form, photograph, print_area

from edge_lpdpl.form.blobs import find_blobs
from edge_lpdpl.form.homography import project
from edge_lpdpl.form.marks import find_forms
from edge_lpdpl.form.sheet import PAPERS, Area, mark_areas

pytestmark = pytest.mark.slow

POINTS = np.stack(np.meshgrid([10.0, 105, 200], [10.0, 148, 287]), -1).reshape(-1, 2)
LEVEL = View(480, 640)


def farthest(found, matrix):
    """Millimetres on the sheet by which the worst point of it is off."""
    return float(np.abs(project(np.linalg.inv(matrix), project(found, POINTS)) - POINTS).max())


@pytest.mark.parametrize(
    "view",
    [
        LEVEL,
        View(480, 640, fills=0.5),
        View(480, 640, fills=0.95),
        View(480, 640, turned=15),
        View(480, 640, turned=-15, pitch=20),
        View(480, 640, turned=180, yaw=-20),
        View(480, 640, turned=90, fills=0.95),
        View(480, 640, fills=0.6, pitch=-20, yaw=20, aside=(-1, 1)),
        View(1080, 1440, fills=0.5, turned=-100, yaw=15),
    ],
    ids=str,
)
@pytest.mark.parametrize(("table", "shadow"), [(0.05, 0.0), (0.8, 0.6)], ids=["dark table", "light table, shadow"])
def test_a_sheet_is_found_to_the_millimetre(view, table, shadow):
    frame, matrix = photograph(blank_form(), view, table=table, shadow=shadow)
    assert farthest(find_form(frame, "A4"), matrix) < 1


@pytest.mark.parametrize("paper", PAPERS)
def test_the_paper_is_of_the_sizes_that_are_printed(paper):
    frame, matrix = photograph(blank_form(paper), LEVEL, paper)
    corners = np.array([(area.x, area.y) for area in mark_areas(paper)])
    assert project(find_form(frame, paper), corners) == pytest.approx(project(matrix, corners), abs=1)


def test_boxes_and_bold_writing_are_no_marks():
    sheet, chance = blank_form(), np.random.default_rng(3)
    for _ in range(40):  # strokes of a marker, and filled boxes
        x, y = chance.uniform(30, 160), chance.uniform(30, 250)
        print_area(sheet, Area(x, y, *chance.choice([(2, 15), (14, 2), (7, 7), (14, 7)])), 0.1)
    frame, matrix = photograph(sheet, View(480, 640, turned=8))
    assert farthest(find_form(frame, "A4"), matrix) < 1


def test_grain_of_a_table_in_more_runs_than_are_followed_hides_no_mark():
    taken = np.zeros((540, 720), np.uint8)
    taken.reshape(90, 6, 120, 6)[:, :4, :, :4] = 0.5 * 255
    assert not find_blobs(np.minimum(taken, 0.5 * 255).astype(np.uint8), 4)
    for x, y in ((102, 99), (600, 99), (102, 399), (600, 399)):
        taken[y - 3 : y + 15, x - 3 : x + 15] = 0
        taken[y : y + 12, x : x + 12] = 0.9 * 255
    assert {(blob.x, blob.y) for blob in find_blobs(taken, 4)} == {(108, 105), (606, 105), (108, 405), (606, 405)}


@pytest.mark.parametrize("turned", [0, 3, 180])
def test_a_second_sheet_is_found_beside_the_first(turned):
    left, first = photograph(blank_form(), View(960, 640, fills=0.9))
    right, second = photograph(blank_form(), View(960, 640, fills=0.85, turned=turned), seed=1)
    second = np.array([[1, 0, 640], [0, 1, 0], [0, 0, 1.0]]) @ second
    found = find_forms(np.hstack([left, right]), "A4")
    assert len(found) == 2
    assert all(min(farthest(one, true) for one in found) < 1 for true in (first, second))
    assert len(find_forms(np.hstack([left, np.full_like(left, 80)]), "A4")) == 1


@pytest.mark.parametrize("mark", range(4))
def test_no_form_is_found_where_a_mark_is_hidden(mark):
    sheet = blank_form()
    print_area(sheet, mark_areas("A4")[mark], 0.9)
    assert find_form(photograph(sheet, LEVEL)[0], "A4") is None


def test_a_sheet_seen_in_a_mirror_is_none():
    frame, _ = photograph(blank_form(), LEVEL)
    assert find_form(np.ascontiguousarray(frame[:, ::-1]), "A4") is None


def test_the_marks_of_another_paper_are_none():
    frame, _ = photograph(blank_form("A4"), LEVEL)
    # A5 and A6 have marks of the same size closer together.
    assert find_form(frame, "A6") is None


def frames_without_a_form():
    chance = np.random.default_rng(1)
    noise = chance.integers(0, 256, (480, 640), dtype=np.uint8)
    squares = np.kron(np.indices((48, 64)).sum(0) % 2 * 200, np.ones((10, 10))).astype(np.uint8)
    dots = np.full((480, 640), 220, np.uint8)
    for y in range(10, 470, 24):
        for x in range(10, 620, 24):
            dots[y : y + 12, x : x + chance.choice([12, 24])] = 20
    return {"noise": noise, "squares": squares, "dots": dots, "blank": np.full((480, 640), 200, np.uint8)}


@pytest.mark.parametrize("name", ["noise", "squares", "dots", "blank"])
def test_a_frame_full_of_ink_has_none_and_ends_soon(name):
    start = time.process_time()
    assert find_form(frames_without_a_form()[name], "A4") is None
    assert time.process_time() - start < 5


@pytest.mark.parametrize("shape", [(8, 8), (8, 4096), (4096, 8), (64, 64)])
def test_a_frame_too_small_for_a_form_has_none(shape):
    assert find_form(np.full(shape, 200, np.uint8), "A4") is None
