"""The tests of what a Raspberry Pi runs, on its smallest core: every one passes, and none needs what it lacks."""

import re


def test_they_pass_on_the_smallest_core(lane):
    last = lane.unit_tests.splitlines()[-1]
    counts = {outcome: int(count) for count, outcome in re.findall(r"(\d+) ([a-z]+)", last)}
    assert counts["passed"] > 300
    assert counts.keys() <= {"passed", "deselected"}, lane.unit_tests
