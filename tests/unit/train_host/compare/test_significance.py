"""Intervals and tests of differences, on counts whose answer is known."""

import numpy as np
import pytest
from scipy.stats import binom

from train_host.compare.significance import accuracy_rejecting, bootstrap_interval, difference_interval, mcnemar


class TestSignificance:
    def test_mcnemar_is_the_binomial_of_the_pictures_that_differ(self):
        ours = np.array([True] * 90 + [True] * 8 + [False] * 2)
        theirs = np.array([True] * 90 + [False] * 8 + [True] * 2)
        assert mcnemar(ours, theirs) == pytest.approx(2 * binom.cdf(2, 10, 0.5))
        assert mcnemar(ours, ours) == 1

    def test_interval_is_wider_where_a_writer_errs_as_a_whole(self):
        correct = np.arange(400) % 20 != 0
        alone = bootstrap_interval(correct, None)
        together = bootstrap_interval(correct, np.sort(np.arange(400) % 20)[np.argsort(np.argsort(~correct))])
        assert alone[0] < 0.95 < alone[1]
        assert together[1] - together[0] > alone[1] - alone[0]

    def test_of_one_writer_pictures_are_resampled(self):
        """The first between-subject split tests one writer: intervals over writers would have no width."""
        correct = np.arange(400) % 20 != 0
        assert bootstrap_interval(correct, np.full(400, 7)) == bootstrap_interval(correct, None)
        assert np.ptp(difference_interval(correct, correct[::-1], np.full(400, 7))) > 0

    @pytest.mark.parametrize("groups", [np.arange(1200) % 8, np.zeros(1200), None])
    def test_where_nothing_or_everything_goes_wrong_another_picture_still_might_not(self, groups):
        """The end of the exact interval is the rate at which so many equal outcomes in a row have a chance of 2.5 %."""
        right, wrong = np.ones(1200, np.bool_), np.zeros(1200, np.bool_)
        low, high = bootstrap_interval(right, groups)
        assert (low**1200, high) == (pytest.approx(0.025), 1)
        assert bootstrap_interval(wrong, groups) == (0, pytest.approx(1 - low))
        assert difference_interval(right, right, groups) == pytest.approx((low - 1, 1 - low))
        assert difference_interval(wrong, right, groups) == pytest.approx((-1, 1 - 2 * low))

    def test_a_difference_on_the_same_pictures_is_narrower_than_two_intervals(self):
        theirs = np.arange(400) % 20 != 0
        ours = theirs | (np.arange(400) % 40 == 0)
        low, high = difference_interval(ours, theirs, None)
        assert 0 < low < 0.025 < high
        assert high - low < sum(np.ptp(bootstrap_interval(correct, None)) for correct in (ours, theirs))

    def test_rejecting_takes_the_least_sure_first(self):
        correct, margins = np.arange(100) >= 5, np.arange(100.0)
        assert accuracy_rejecting(correct, margins, 0.05) == 1
        assert accuracy_rejecting(correct, margins, 0.0) == 0.95
