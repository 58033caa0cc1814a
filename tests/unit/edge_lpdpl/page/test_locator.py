"""Numerals are found in their places, and nothing else is found."""

import numpy as np
import pytest

from edge_lpdpl.errors import BackendError, ImageError
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.locator import Locator
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


@both
def test_blank_paper_has_nothing_on_it(backend):
    assert Locator(480, 640, backend=backend).locate(paper()) == []


@both
@pytest.mark.parametrize("shape", [(8, 4096), (4096, 12), (8, 2561)])
def test_a_frame_of_which_nothing_is_left_when_it_is_reduced_has_nothing_on_it(backend, shape):
    frame = paper(*shape)
    frame[3 : shape[0] - 3, 3 : shape[1] - 3] = 40
    assert Locator(*shape, backend=backend).locate(frame) == []


@both
def test_strokes_above_each_other_are_one_character(backend):
    frame = paper()
    for top in (100, 140, 180):
        frame[top : top + 6, 300:380] = 40
    assert Locator(480, 640, backend=backend).locate(frame) == [Box(300, 100, 80, 86)]


@both
@pytest.mark.parametrize("slope", [3, 2], ids=["steep", "wide"])
def test_strokes_that_lean_apart_are_one_character(backend, slope):
    frame = paper()
    for row in range(80):
        frame[100 + row, 300 - row // slope : 306 - row // slope] = 40
        frame[100 + row, 336 + row // slope : 342 + row // slope] = 40
    assert len(Locator(480, 640, backend=backend).locate(frame)) == 1


@both
@pytest.mark.parametrize(("hook", "count"), [(0, 1), (32, 2)], ids=["stroke", "hooked"])
def test_only_single_strokes_lean_apart(backend, hook, count):
    """The strokes of 八 lean apart and are one character; those of 二 before 七 are not."""
    frame = paper()
    for row in range(120):
        frame[100 + row, 300 - row // 3 : 308 - row // 3] = 40
        frame[100 + row, 340 + row // 3 : 348 + row // 3] = 40
    frame[220 - hook : 220, 420:428] = frame[212 : 212 + min(hook, 8), 380:428] = 40
    assert len(Locator(480, 640, LocateSettings(widest_gap=0), backend=backend).locate(frame)) == count


@both
@pytest.mark.parametrize("gap", [0.3, 0], ids=["known", "unknown"])
def test_halves_are_one_character_where_numerals_have_halves(backend, gap):
    """A narrow left half and a right half, a quarter of their height apart."""
    frame = bars((300, 200))
    frame[200:208, 328:356] = frame[272:280, 328:356] = frame[200:280, 328:336] = 40
    boxes = Locator(480, 640, LocateSettings(widest_gap=gap), backend=backend).locate(frame)
    assert [box.width for box in boxes] == ([56] if gap else [8, 28])


def test_numerals_in_a_row_are_read_from_the_left():
    boxes = Locator(480, 640).locate(bars((400, 200), (100, 210), (250, 190)))
    assert [box.x for box in boxes] == [100, 250, 400]


def test_numerals_in_a_column_are_read_from_the_top():
    boxes = Locator(480, 640).locate(bars((320, 340), (320, 40), (320, 190)))
    assert [box.y for box in boxes] == [40, 190, 340]


def test_light_from_one_side_does_not_matter():
    frame = (bars((100, 200), (500, 200)) * np.linspace(0.3, 1, 640)).astype(np.uint8)
    assert [box.x for box in Locator(480, 640).locate(frame)] == [100, 500]


def test_the_edge_of_a_shadow_is_no_stroke():
    frame = bars((300, 200)).astype(float)
    frame[:, 280:] *= 0.5
    assert Locator(480, 640).locate(frame.astype(np.uint8)) == [Box(300, 200, 8, 80)]


def test_a_ruled_line_under_a_numeral_is_not_part_of_it():
    frame = bars((300, 200))
    frame[240:242][frame[240:242] > 100] = 150
    assert Locator(480, 640).locate(frame) == [Box(300, 200, 8, 80)]


def test_what_shows_through_from_the_back_is_not_read():
    frame = bars((300, 200))
    frame[200:280, 400:408] = 165
    assert [box.x for box in Locator(480, 640).locate(frame)] == [300]


@both
@pytest.mark.parametrize(
    ("area", "reasons"),
    [
        pytest.param((slice(100, 300), slice(200, 400)), [], id="shape, which is no ink"),
        pytest.param((slice(0, 480), slice(0, 120)), [], id="table, which is no ink"),
        pytest.param((slice(200, 206), slice(0, 640)), ["touches_border"], id="line"),
        pytest.param((slice(200, 202), slice(300, 420)), ["a_line"], id="piece of a line"),
        pytest.param((slice(200, 204), slice(300, 340)), ["a_line"], id="sliver"),
        pytest.param((slice(430, 480), slice(300, 308)), ["touches_border"], id="cut"),
        pytest.param((slice(2, 478), slice(300, 308)), ["touches_border"], id="near both borders"),
        pytest.param((slice(10, 470), slice(300, 324)), [], id="the largest, which is read"),
        pytest.param((slice(200, 208), slice(300, 304)), ["too_small"], id="speck"),
    ],
)
def test_no_numeral_is(area, reasons, backend):
    frame = paper()
    frame[area] = 40
    locator = Locator(480, 640, backend=backend)
    found = locator.locate(frame)
    assert [unread.reason for unread in locator.unread()] == reasons
    assert len(found) == (area == (slice(10, 470), slice(300, 324)))
    for box, _ in locator.unread():
        assert (slice(box.y, box.bottom), slice(box.x, box.right)) == area


@both
def test_all_that_is_seen_is_read_or_unread(backend):
    """Five bars, of which the border cuts one and another is far too faint beside the others."""
    frame = bars((100, 200), (200, 200), (300, 200), (400, 200), (500, 410))
    frame[200:280, 400:408] = 160
    locator = Locator(480, 640, backend=backend)
    assert [box.x for box in locator.locate(frame)] == [100, 200, 300]
    assert {(one.box.x, one.reason) for one in locator.unread()} == {(400, "too_faint"), (500, "touches_border")}


@pytest.mark.parametrize("reach", [40, 60, 90])
def test_the_rim_of_something_round_is_no_numeral(reach):
    rows, columns = np.ogrid[:480, :640]
    away = np.hypot(rows - 240, columns - 320) - reach
    frame = (200 - 140 * np.clip(0.5 - away / 6, 0, 1)).astype(np.uint8)  # a little out of focus
    assert Locator(480, 640, LocateSettings(largest_dot=0)).locate(frame) == []


def test_a_stroke_fainter_than_the_others_is_part_of_its_numeral():
    frame = bars((300, 200))
    frame[186:196, 296:312] = 125  # half as dark, above the upright one
    assert Locator(480, 640).locate(frame) == [Box(296, 186, 16, 94)]


def test_a_dot_is_a_numeral_where_the_settings_say_so():
    frame = bars((300, 200), width=36, height=36)
    assert Locator(480, 640).locate(frame) == [Box(300, 200, 36, 36)]
    assert Locator(480, 640, LocateSettings(largest_dot=0)).locate(frame) == []


@pytest.mark.parametrize(("grey", "found"), [(150, 0), (130, 1)])
def test_a_faint_dot_is_none(grey, found):
    """Alone, a stroke of either grey would be a numeral."""
    frame = paper()
    frame[200:216, 300:316] = grey
    assert len(Locator(480, 640).locate(frame)) == found
    frame = paper()
    frame[200:280, 300:308] = grey
    assert len(Locator(480, 640).locate(frame)) == 1


def test_light_ink_is_found_where_it_is_asked_for_or_stands_out():
    frame = 255 - bars((300, 200))
    assert Locator(480, 640, LocateSettings(polarity="light")).locate(frame) == [Box(300, 200, 8, 80)]
    assert Locator(480, 640, LocateSettings(polarity="auto")).locate(frame) == [Box(300, 200, 8, 80)]
    assert Locator(480, 640, LocateSettings(polarity="auto")).locate(255 - frame) == [Box(300, 200, 8, 80)]


def test_only_the_region_is_searched():
    locator = Locator(480, 640, region=Box(320, 0, 320, 480))
    assert [box.x for box in locator.locate(bars((100, 200), (400, 200)))] == [400]


def test_a_lifted_numeral_has_nothing_of_its_neighbours():
    locator = Locator(480, 640)
    frame = bars((300, 200), (340, 200))
    frame[190:290, 290:360] -= 20  # a shadow
    assert len(locator.locate(frame)) == 2
    lifted = locator.lift(0)
    inked = np.flatnonzero((lifted > 128).any(axis=0))
    assert inked[-1] - inked[0] < 8  # one stroke, in pixels of the frame or of the reduced frame


@pytest.mark.parametrize("shape", [(8, 8), (9, 4096), (4096, 4096), (161, 50)])
def test_any_size_of_frame_works(shape):
    assert Locator(*shape).locate(np.full(shape, 180, np.uint8)) == []


@pytest.mark.parametrize("frame", [np.zeros((64, 64), np.uint8), np.zeros((480, 640), np.float32)])
def test_another_frame_than_was_announced_is_refused(frame):
    with pytest.raises(ImageError):
        Locator(480, 640).locate(frame)


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
@pytest.mark.parametrize("reach", [300, 20], ids=["ruled", "free"])
def test_where_two_ruled_lines_cross_stands_no_numeral(backend, reach):
    frame = paper()
    for arm, grey in ((reach, 120), (20, 60)):  # the crossing is darker, from shade or double print
        frame[max(0, 240 - arm) : 240 + arm, 318:322] = grey
        frame[238:242, 320 - arm : 320 + arm] = grey
    assert len(Locator(480, 640, backend=backend).locate(frame)) == (reach == 20)


@both
def test_a_numeral_may_stand_where_two_ruled_lines_cross(backend):
    frame = paper()
    frame[:, 318:322] = frame[238:242] = 150
    for row in range(210, 271, 15):
        frame[row : row + 4, 290:350] = 40
    frame[210:270, 290:294] = frame[210:270, 346:350] = 40
    assert len(Locator(480, 640, backend=backend).locate(frame)) == 1


@both
def test_a_block_of_print_is_no_numeral(backend):
    frame = paper()
    for top in (150, 192):
        for left in range(200, 296, 8):
            frame[top : top + 24, left : left + 4] = 40
    boxes = [
        Locator(480, 640, LocateSettings(longest_part=share), backend=backend).locate(frame) for share in (0.0, 0.4)
    ]
    assert [len(found) for found in boxes] == [1, 0]
    locator = Locator(480, 640, backend=backend)
    locator.locate(frame)
    assert [unread.reason for unread in locator.unread()] == ["print"]
    frame[150:154, 200:292] = 40  # strokes join the numeral below them
    frame[192:196, 200:292] = 40
    assert len(Locator(480, 640, backend=backend).locate(frame)) == 1
