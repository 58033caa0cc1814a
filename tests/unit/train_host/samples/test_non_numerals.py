"""Pictures of non-numerals for training."""

import numpy as np
import pytest

from train_host.samples.non_numerals import SIZE, strangers


class TestStrangers:
    def test_are_light_on_black_and_show_something(self):
        pictures = strangers(60)
        assert pictures.dtype == np.uint8
        assert pictures.shape == (60, SIZE, SIZE)
        borders = np.concatenate([pictures[:, 0], pictures[:, -1]], axis=1)
        assert np.median(borders) == 0
        assert (pictures.max(axis=(1, 2)) > 60).mean() > 0.95

    def test_a_seed_gives_the_same_and_another_seed_others(self):
        first = strangers(20, 1).copy()
        strangers.cache_clear()
        np.testing.assert_array_equal(strangers(20, 1), first)
        assert not np.array_equal(strangers(20, 2), first)

    def test_no_two_are_alike(self):
        pictures = strangers(100)
        assert len({picture.tobytes() for picture in pictures}) == 100

    def test_the_pictures_are_read_only(self):
        with pytest.raises(ValueError, match="read-only"):
            strangers(20)[0, 0, 0] = 1
