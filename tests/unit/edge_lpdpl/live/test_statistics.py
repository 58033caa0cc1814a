"""Statistics of the service."""

import pytest

from edge_lpdpl.live.statistics import WINDOW, Statistics


def test_p99_is_what_99_of_100_decisions_take_at_most():
    statistics = Statistics()
    for place in range(1000):
        statistics.decision(900.0 if place < 20 else 100.0)
    assert statistics.p99_us() == 900
    for _ in range(15):  # they replace the oldest: five slow ones are left
        statistics.decision(100.0)
    assert statistics.p99_us() == 100
    assert statistics.decisions == 1015


def test_decisions_that_are_long_past_do_not_count():
    statistics = Statistics()
    statistics.decision(10_000.0)
    for _ in range(WINDOW):
        statistics.decision(100.0)
    assert statistics.p99_us() == pytest.approx(100)


def test_before_the_first_decision_there_is_none():
    assert Statistics().p99_us() is None
