"""Decisions: the smallest score wins, the next is the second, and the margin is their difference."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from train_host.method.decisions import NOTHING_SEEN, decide


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(2, 5)), elements=st.floats(-9, 9)))
def test_best_and_second_are_those_of_a_sort_and_the_scores_stay(scores):
    before = scores.copy()
    decisions = decide(scores)
    order = scores.argsort(axis=1, kind="stable")
    np.testing.assert_array_equal(decisions.best, order[:, 0])
    np.testing.assert_array_equal(decisions.second, order[:, 1])
    smallest = np.sort(scores, axis=1)
    np.testing.assert_array_equal(decisions.margins, smallest[:, 1] - smallest[:, 0])
    np.testing.assert_array_equal(scores, before)


def test_nothing_seen_is_no_class():
    assert NOTHING_SEEN < 0
