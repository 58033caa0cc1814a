"""Unit tests on the smallest core of a Raspberry Pi: all pass, and none is skipped."""

import re


def test_they_pass_on_the_smallest_core(lane):
    last = lane.unit_tests.splitlines()[-1]
    counts = {outcome: int(count) for count, outcome in re.findall(r"(\d+) ([a-z]+)", last)}
    assert counts["passed"] > 300
    assert counts.keys() <= {"passed", "deselected"}, lane.unit_tests
