"""No frame keeps the service for a second: what it costs is bounded by counts, and what is not read is reported."""

import time

import pytest
from worst_frames import WORST, Counting, bars

from edge_lpdpl import read_model, shipped_model
from edge_lpdpl.number.lattice import MOST_READINGS
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.parts_table import MOST_PARTS


@pytest.fixture(scope="module")
def recogniser():
    return Counting(read_model(shipped_model("latin10")))


def read(recogniser, frame):
    reader = PageReader(recogniser, *frame.shape)
    recogniser.readings = 0
    return reader, reader.read(frame)


@pytest.mark.parametrize("name", WORST)
def test_every_frame_ends_after_a_bounded_number_of_readings(recogniser, name):
    frame = WORST[name]()
    reader, reading = read(recogniser, frame)
    assert recogniser.readings <= MOST_READINGS
    assert len(reader.locator.find(frame)) <= MOST_PARTS
    began = time.process_time()
    reader.read(frame)
    assert time.process_time() - began < 1
    assert len(reading.numerals) <= MOST_READINGS


@pytest.mark.parametrize("name", ["zigzags", "wide zigzags", "squares"])
def test_what_a_frame_of_too_much_ink_has_left_is_reported(recogniser, name):
    frame = WORST[name]()
    reader, reading = read(recogniser, frame)
    assert "too_much_ink" in {one.reason for one in reading.unread}
    told = [one.box for one in (*reading.numerals, *reading.unread)]
    for x, y, width, height in map(reader.locator.box, reader.locator.find(frame)):
        assert any(x < box.right and box.x < x + width and y < box.bottom and box.y < y + height for box in told)


def test_the_next_frame_has_all_its_readings(recogniser):
    reader = PageReader(recogniser, 480, 640)
    few, many = bars(2, 16, 20), WORST["zigzags"]()
    before = reader.read(few)
    reader.read(many)
    assert [number.text for number in reader.read(few).numbers] == [number.text for number in before.numbers]
    assert "too_much_ink" not in {one.reason for one in reader.read(few).unread}
