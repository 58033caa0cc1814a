"""No form keeps the service for a second: its fields share what a frame may cost, and marks are few or none."""

import time

import pytest
from form_pictures import find_form
from worst_frames import WORST, Counting, full_form

from edge_lpdpl import read_model, shipped_model
from edge_lpdpl.form.fields import MOST_FIELDS
from edge_lpdpl.form.reader import MOST_PIXELS, SHARE, FormReader
from edge_lpdpl.number.lattice import MOST_READINGS


@pytest.fixture(scope="module")
def full():
    """A reader that counts, and its frame."""
    fields, frame = full_form()
    assert len(fields) == MOST_FIELDS
    return FormReader(fields, Counting(read_model(shipped_model("latin10"))), *frame.shape), frame


def test_all_fields_together_have_a_share_of_the_readings_of_one_frame(full):
    reader, frame = full
    reader.recogniser.readings = 0
    reading = reader.read(frame)
    assert SHARE / 2 < reader.recogniser.readings / MOST_READINGS <= SHARE
    assert reading.numbers
    assert "too_much_ink" in {one.reason for one in reading.unread}


def test_the_next_frame_has_all_of_them_again(full):
    reader, frame = full
    first, second = reader.read(frame), reader.read(frame)
    assert (first.fields, first.numbers, first.unread) == (second.fields, second.numbers, second.unread)


def test_it_takes_less_than_a_second(full):
    reader, frame = full
    began = time.process_time()
    reader.read(frame)
    assert time.process_time() - began < 1


def test_the_pictures_of_all_fields_have_so_many_pixels_together(full):
    reader, _ = full
    pixels = sum(place.reader.locator.height * place.reader.locator.width for place in reader._places)
    assert 0.9 * MOST_PIXELS < pixels < 1.1 * MOST_PIXELS


@pytest.mark.parametrize("name", WORST)
def test_a_frame_full_of_ink_has_no_marks_and_ends_soon(name):
    frame = WORST[name]()
    began = time.process_time()
    assert find_form(frame, "A4") is None
    assert time.process_time() - began < 1
