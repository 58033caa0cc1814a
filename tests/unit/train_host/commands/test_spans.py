"""Ranges of numbers on the command line, such as `1-40,49-80`."""

import argparse
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from train_host.commands.spans import spans

numbers = st.integers(0, 999_999)


@given(st.lists(st.tuples(numbers, numbers).map(sorted).map(tuple), min_size=1))
def test_what_is_written_is_read(some):
    assert spans(",".join(f"{first}-{last}" for first, last in some)) == some


@given(st.text(alphabet="0123456789-,٣ ", max_size=12))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(argparse.ArgumentTypeError):
        assert all(first <= last for first, last in spans(text))


@pytest.mark.parametrize("wrong", ["", "-", "3-", "1,", "1-40;5", "٣", "1000000", "-1", "2-x"])
def test_what_is_no_number_is_named(wrong):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a number or a range such as 3-6"):
        spans(wrong)


def test_a_span_does_not_begin_above_its_end():
    with pytest.raises(argparse.ArgumentTypeError, match="'6-3' starts above its end"):
        spans("1,6-3")
