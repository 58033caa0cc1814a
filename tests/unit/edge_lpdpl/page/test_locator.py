"""Ink is found in its place, everything else is left out with its reason, and groups of parts are lifted clean."""

from itertools import combinations

import numpy as np
import pytest

from edge_lpdpl.errors import BackendError, ImageError
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import (
    A_LINE,
    AREA,
    EMPTY,
    FIRST_SEAM,
    LEFT_END,
    MOST_SEAMS,
    PRINT,
    RIGHT_END,
    TOO_BOLD,
    TOO_FAINT,
    TOO_SMALL,
)
from edge_lpdpl.page.record import Lifted
from edge_lpdpl.page.settings import LocateSettings

both = pytest.mark.parametrize("backend", ["numba", "numpy"])


def paper(height: int = 480, width: int = 640, grey: int = 200) -> np.ndarray:
    return np.full((height, width), grey, np.uint8)


def bars(*places: tuple[int, int], width: int = 8, height: int = 80) -> np.ndarray:
    """A frame with upright strokes at (left, top)."""
    frame = paper()
    for left, top in places:
        frame[top : top + height, left : left + width] = 40
    return frame


def boxes(locator: Locator, frame: np.ndarray) -> list[Box]:
    """Boxes of the parts that may be writing."""
    return [locator.box(row) for row in locator.find(frame)]


def together(locator: Locator, frame: np.ndarray) -> Lifted:
    """All parts that may be writing, lifted as one group."""
    return locator.lift([(row, LEFT_END, RIGHT_END) for row in range(len(locator.find(frame)))])


def alone(locator: Locator, frame: np.ndarray) -> list[int]:
    """Why each part that may be writing is no numeral by itself."""
    return [locator.lift([(row, LEFT_END, RIGHT_END)]).reason for row in range(len(locator.find(frame)))]


@both
def test_blank_paper_has_nothing_on_it(backend):
    locator = Locator(480, 640, backend=backend)
    assert locator.find(paper()) == []
    assert locator.unread() == []


@both
@pytest.mark.parametrize("shape", [(8, 4096), (4096, 12), (8, 2561)])
def test_a_frame_of_which_nothing_is_left_when_it_is_reduced_has_nothing_on_it(backend, shape):
    frame = paper(*shape)
    frame[3 : shape[0] - 3, 3 : shape[1] - 3] = 40
    locator = Locator(*shape, backend=backend)
    assert locator.find(frame) == []
    assert locator.unread() == []


@both
def test_parts_come_in_the_order_of_their_first_pixels(backend):
    frame = bars((400, 200), (100, 210), (250, 190))
    assert [box.x for box in boxes(Locator(480, 640, backend=backend), frame)] == [250, 400, 100]


@both
def test_strokes_above_each_other_may_be_one_numeral(backend):
    frame = paper()
    for top in (100, 140, 180):
        frame[top : top + 6, 300:380] = 40
    locator = Locator(480, 640, backend=backend)
    assert boxes(locator, frame) == [Box(300, top, 80, 6) for top in (100, 140, 180)]
    lifted = together(locator, frame)
    assert (locator.box(lifted.row), lifted.reason) == (Box(300, 100, 80, 86), 0)


def test_light_from_one_side_does_not_matter():
    frame = (bars((100, 200), (500, 200)) * np.linspace(0.3, 1, 640)).astype(np.uint8)
    assert [box.x for box in boxes(Locator(480, 640), frame)] == [100, 500]


def test_the_edge_of_a_shadow_is_no_stroke():
    frame = bars((300, 200)).astype(float)
    frame[:, 280:] *= 0.5
    assert boxes(Locator(480, 640), frame.astype(np.uint8)) == [Box(300, 200, 8, 80)]


def test_a_ruled_line_under_a_numeral_is_not_part_of_it():
    frame = bars((300, 200))
    frame[240:242][frame[240:242] > 100] = 150
    assert boxes(Locator(480, 640), frame) == [Box(300, 200, 8, 80)]


def test_what_shows_through_from_the_back_is_not_read():
    frame = bars((300, 200))
    frame[200:280, 400:408] = 165
    assert boxes(Locator(480, 640), frame) == [Box(300, 200, 8, 80)]


@both
@pytest.mark.parametrize(
    ("area", "reasons"),
    [
        pytest.param((slice(100, 300), slice(200, 400)), [], id="shape, which is no ink"),
        pytest.param((slice(0, 480), slice(0, 120)), [], id="table, which is no ink"),
        pytest.param((slice(200, 206), slice(0, 640)), ["touches_border"], id="line"),
        pytest.param((slice(200, 202), slice(300, 420)), ["a_line"], id="piece of a line"),
        pytest.param((slice(430, 480), slice(300, 308)), ["touches_border"], id="cut"),
        pytest.param((slice(2, 478), slice(300, 308)), ["touches_border"], id="near both borders"),
    ],
)
def test_no_writing_is(area, reasons, backend):
    frame = paper()
    frame[area] = 40
    locator = Locator(480, 640, backend=backend)
    assert locator.find(frame) == []
    assert [unread.reason for unread in locator.unread()] == reasons
    for box, *_ in locator.unread():
        assert (slice(box.y, box.bottom), slice(box.x, box.right)) == area


@both
@pytest.mark.parametrize(
    ("area", "reason"),
    [
        pytest.param((slice(200, 204), slice(300, 340)), A_LINE, id="sliver"),
        pytest.param((slice(200, 208), slice(300, 304)), TOO_SMALL, id="speck"),
        pytest.param((slice(10, 470), slice(300, 324)), 0, id="the largest, which may be one"),
    ],
)
def test_no_numeral_by_itself_is(area, reason, backend):
    """They may be strokes of one."""
    frame = paper()
    frame[area] = 40
    locator = Locator(480, 640, backend=backend)
    (box,) = boxes(locator, frame)
    assert (slice(box.y, box.bottom), slice(box.x, box.right)) == area
    assert locator.unread() == []
    assert alone(locator, frame) == [reason]


@both
def test_all_that_is_seen_may_be_writing_or_is_unread(backend):
    """Five bars, of which the border cuts one and another is far too faint beside the others."""
    frame = bars((100, 200), (200, 200), (300, 200), (400, 200), (500, 410))
    frame[200:280, 400:408] = 160
    locator = Locator(480, 640, backend=backend)
    assert [box.x for box in boxes(locator, frame)] == [100, 200, 300]
    assert {(one.box.x, one.reason) for one in locator.unread()} == {(400, "too_faint"), (500, "touches_border")}
    locator.find(bars((100, 200)))
    assert locator.unread() == []


@pytest.mark.parametrize("reach", [40, 60, 90])
def test_the_rim_of_something_round_is_no_numeral(reach):
    rows, columns = np.ogrid[:480, :640]
    away = np.hypot(rows - 240, columns - 320) - reach
    frame = (200 - 140 * np.clip(0.5 - away / 6, 0, 1)).astype(np.uint8)  # a little out of focus
    locator = Locator(480, 640, LocateSettings(largest_dot=0))
    members = [(row, LEFT_END, RIGHT_END) for row in range(len(locator.find(frame)))]
    groups = [group for count in range(1, len(members) + 1) for group in combinations(members, count)]
    assert 0 not in [locator.lift(group).reason for group in groups]
    assert {unread.reason for unread in locator.unread()} <= {"too_bold"}


@both
def test_a_stroke_fainter_than_the_others_may_belong_to_their_numeral(backend):
    frame = bars((300, 200))
    frame[186:196, 296:312] = 125  # half as dark, above the upright one
    locator = Locator(480, 640, backend=backend)
    lifted = together(locator, frame)
    assert (locator.box(lifted.row), lifted.reason) == (Box(296, 186, 16, 94), 0)
    assert alone(locator, frame) == [TOO_FAINT, 0]


def test_a_dot_may_be_a_numeral_where_the_settings_say_so():
    frame = bars((300, 200), width=36, height=36)
    for settings, reason in ((LocateSettings(), 0), (LocateSettings(largest_dot=0), TOO_BOLD)):
        locator = Locator(480, 640, settings)
        assert boxes(locator, frame) == [Box(300, 200, 36, 36)]
        assert alone(locator, frame) == [reason]


@pytest.mark.parametrize(("grey", "reason"), [(150, TOO_FAINT), (130, 0)])
def test_a_faint_dot_is_no_numeral(grey, reason):
    """Alone, a stroke of either grey may be one."""
    locator, dot, stroke = Locator(480, 640), paper(), paper()
    dot[200:216, 300:316] = stroke[200:280, 300:308] = grey
    assert alone(locator, dot) == [reason]
    assert alone(locator, stroke) == [0]


def test_light_ink_is_found_where_it_is_asked_for_or_stands_out():
    frame = 255 - bars((300, 200))
    assert boxes(Locator(480, 640, LocateSettings(polarity="light")), frame) == [Box(300, 200, 8, 80)]
    assert boxes(Locator(480, 640, LocateSettings(polarity="auto")), frame) == [Box(300, 200, 8, 80)]
    assert boxes(Locator(480, 640, LocateSettings(polarity="auto")), 255 - frame) == [Box(300, 200, 8, 80)]


@both
def test_only_the_region_is_searched(backend):
    locator = Locator(480, 640, region=Box(320, 0, 320, 480), backend=backend)
    frame = bars((100, 200), (400, 200))
    frame[200:208, 408:440] = 40
    assert boxes(locator, frame) == [Box(400, 200, 40, 80)]
    everywhere = Locator(480, 640, backend=backend)
    everywhere.find(frame)
    np.testing.assert_array_equal(
        locator.lift([(0, LEFT_END, RIGHT_END)]).picture, everywhere.lift([(1, LEFT_END, RIGHT_END)]).picture
    )


@both
def test_a_lifted_part_has_nothing_of_its_neighbours(backend):
    locator = Locator(480, 640, backend=backend)
    frame = bars((300, 200), (340, 200))
    frame[190:290, 290:360] -= 20  # a shadow
    assert len(locator.find(frame)) == 2
    lifted = locator.lift([(0, LEFT_END, RIGHT_END)])
    inked = np.flatnonzero((lifted.picture > 128).any(axis=0))
    assert inked[-1] - inked[0] < 8  # one stroke, in pixels of the frame or of the reduced frame


def joined(frame: np.ndarray) -> np.ndarray:
    """Two upright strokes, joined by a thin one."""
    frame[200:280, 300:308] = frame[200:280, 340:348] = frame[230:234, 308:340] = 40
    return frame


@both
def test_a_seam_crosses_as_little_ink_as_it_can(backend):
    locator = Locator(480, 640, backend=backend)
    assert boxes(locator, joined(paper())) == [Box(300, 200, 48, 80)]
    cost, column = locator.cut(0, FIRST_SEAM)[0]
    assert cost == 40 * EMPTY + 2 * 255  # from the top to the bottom of the part, straight through the thin stroke
    assert 154 <= column < 170


@both
def test_the_pieces_of_a_part_are_lifted_apart(backend):
    locator = Locator(480, 640, backend=backend)
    (whole,) = locator.find(joined(paper()))
    _, column = locator.cut(0, FIRST_SEAM)[0]
    left, right = (locator.lift([(0, *ends)]) for ends in ((LEFT_END, FIRST_SEAM), (FIRST_SEAM, RIGHT_END)))
    assert locator.box(left.row) == Box(300, 200, 2 * column - 300, 80)
    assert locator.box(right.row) == Box(2 * column, 200, 348 - 2 * column, 80)
    assert left.row[AREA] + right.row[AREA] == whole[AREA]
    assert locator.lift([(0, LEFT_END, FIRST_SEAM), (0, FIRST_SEAM, RIGHT_END)]).row[AREA] == whole[AREA]


@both
def test_a_part_lifted_whole_has_the_measures_of_its_row(backend):
    locator = Locator(480, 640, backend=backend)
    (whole,) = locator.find(joined(paper()))
    assert locator.lift([(0, LEFT_END, RIGHT_END)]).row == whole


@both
def test_between_a_seam_and_itself_is_no_ink(backend):
    locator = Locator(480, 640, backend=backend)
    locator.find(joined(paper()))
    assert locator.cut(0, FIRST_SEAM)
    for seam in (LEFT_END, FIRST_SEAM, RIGHT_END):
        assert locator.lift([(0, seam, seam)]) is None


@both
def test_seams_of_lower_numbers_are_kept(backend):
    """Until the next frame, a part may be cut after others were, and pieces of both be lifted together."""
    frame = np.minimum(joined(paper()), np.roll(joined(paper()), 100, axis=1))
    locator = Locator(480, 640, backend=backend)
    assert len(locator.find(frame)) == 2
    seams = locator.cut(0, FIRST_SEAM)
    piece = (0, LEFT_END, FIRST_SEAM)
    before = locator.lift([piece]).picture.copy()
    second = FIRST_SEAM + len(seams)
    assert locator.cut(1, second) == [[cost, column + 50] for cost, column in seams]
    np.testing.assert_array_equal(locator.lift([piece]).picture, before)
    both_pieces = locator.lift([piece, (1, second, RIGHT_END)])
    assert locator.box(both_pieces.row) == Box(300, 200, 148, 80)


@both
def test_no_more_seams_are_found_than_there_is_room_for(backend):
    locator = Locator(480, 640, backend=backend)
    locator.find(joined(paper()))
    seams = locator.cut(0, FIRST_SEAM)
    assert len(seams) > 1
    assert locator.cut(0, MOST_SEAMS - 1) == seams[:1]
    assert locator.cut(0, MOST_SEAMS) == []


@both
@pytest.mark.parametrize("shape", [(8, 8), (9, 4096), (4096, 4096), (161, 50)])
def test_any_size_of_frame_works(shape, backend):
    assert Locator(*shape, backend=backend).find(np.full(shape, 180, np.uint8)) == []


@pytest.mark.parametrize("frame", [np.zeros((64, 64), np.uint8), np.zeros((480, 640), np.float32)])
def test_another_frame_than_was_announced_is_refused(frame):
    with pytest.raises(ImageError):
        Locator(480, 640).find(frame)


@pytest.mark.parametrize("region", [Box(0, 0, 4, 100), Box(700, 0, 100, 100), Box(-50, 0, 52, 480)])
def test_a_region_without_room_is_refused(region):
    with pytest.raises(ImageError, match="region"):
        Locator(480, 640, region=region)


def test_unknown_words_are_refused():
    with pytest.raises(BackendError, match="abacus"):
        Locator(64, 64, backend="abacus")
    with pytest.raises(ValueError, match="red"):
        Locator(64, 64, LocateSettings(polarity="red"))


@both
@pytest.mark.parametrize(("reach", "reason"), [(300, A_LINE), (20, 0)], ids=["ruled", "free"])
def test_where_two_ruled_lines_cross_stands_no_numeral(backend, reach, reason):
    frame = paper()
    for arm, grey in ((reach, 120), (20, 60)):  # the crossing is darker, from shade or double print
        frame[max(0, 240 - arm) : 240 + arm, 318:322] = grey
        frame[238:242, 320 - arm : 320 + arm] = grey
    assert alone(Locator(480, 640, backend=backend), frame) == [reason]


@both
def test_a_numeral_may_stand_where_two_ruled_lines_cross(backend):
    frame = paper()
    frame[:, 318:322] = frame[238:242] = 150
    for row in range(210, 271, 15):
        frame[row : row + 4, 290:350] = 40
    frame[210:270, 290:294] = frame[210:270, 346:350] = 40
    assert together(Locator(480, 640, backend=backend), frame).reason == 0


@both
def test_a_block_of_print_is_no_numeral(backend):
    frame = paper()
    for top in (150, 192):
        for left in range(200, 296, 8):
            frame[top : top + 24, left : left + 4] = 40
    anything, pen = (Locator(480, 640, LocateSettings(longest_part=share), backend=backend) for share in (0.0, 0.4))
    assert together(anything, frame).reason == 0
    assert together(pen, frame).reason == PRINT
    frame[150:154, 200:292] = 40  # strokes join the numeral below them
    frame[192:196, 200:292] = 40
    assert together(pen, frame).reason == 0
