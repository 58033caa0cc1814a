"""Distortions grow with their steps and leave pictures."""

import numpy as np
import pytest
from small_sets import drawn_digits

from train_host.compare.distortions import DISTORTIONS

DIGITS = drawn_digits(writers=4)


class TestDistortions:
    PICTURES = DIGITS.images[:6]

    @pytest.mark.parametrize("name", DISTORTIONS)
    def test_grow_with_their_steps_and_stay_pictures(self, name):
        distort, steps, unit = DISTORTIONS[name]
        assert unit
        distances = []
        for step in steps:
            changed = distort(self.PICTURES, step)
            assert (changed.shape, changed.dtype) == (self.PICTURES.shape, np.uint8)
            np.testing.assert_array_equal(changed, distort(self.PICTURES, step))
            distances.append(np.abs(changed.astype(float) - self.PICTURES).mean())
        assert distances == sorted(distances)
        assert distances[-1] > distances[0]

    @pytest.mark.parametrize("name", [name for name in DISTORTIONS if name != "low contrast"])
    def test_the_first_step_changes_nothing(self, name):
        np.testing.assert_array_equal(DISTORTIONS[name][0](self.PICTURES, 0), self.PICTURES)

    @pytest.mark.parametrize("name", DISTORTIONS)
    def test_dark_ink_on_light_is_distorted_as_light_ink_on_dark(self, name):
        distort, steps, _ = DISTORTIONS[name]
        mixed = self.PICTURES.copy()
        mixed[::2] = 255 - mixed[::2]
        expected = distort(self.PICTURES, steps[-1])
        expected[::2] = 255 - expected[::2]
        np.testing.assert_array_equal(distort(mixed, steps[-1]), expected)

    def test_perspective_makes_one_edge_shorter(self):
        bars = np.zeros((1, 64, 64), np.uint8)
        bars[0, 8:56] = 200
        seen = DISTORTIONS["perspective"][0](bars, 0.4)[0] > 100
        assert seen[:, 2].sum() < 0.8 * seen[:, -3].sum()
