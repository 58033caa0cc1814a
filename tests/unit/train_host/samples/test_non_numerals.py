"""Pictures of non-numerals for training."""

import numpy as np
import pytest

from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, LATIN
from train_host.samples.non_numerals import SIZE, drawn, strangers
from train_host.samples.plain_shapes import shape_of, shapes_of


class TestDrawn:
    def test_are_light_on_black_and_show_something(self):
        pictures = drawn(60, 0)
        assert pictures.dtype == np.uint8
        assert pictures.shape == (60, SIZE, SIZE)
        borders = np.concatenate([pictures[:, 0], pictures[:, -1]], axis=1)
        assert np.median(borders) == 0
        assert (pictures.max(axis=(1, 2)) > 60).mean() > 0.95

    def test_a_seed_gives_the_same_and_another_seed_others(self):
        first = drawn(20, 1).copy()
        drawn.cache_clear()
        np.testing.assert_array_equal(drawn(20, 1), first)
        assert not np.array_equal(drawn(20, 2), first)

    def test_no_two_are_alike(self):
        pictures = drawn(100, 0)
        assert len({picture.tobytes() for picture in pictures}) == 100

    def test_the_pictures_are_read_only(self):
        with pytest.raises(ValueError, match="read-only"):
            drawn(20, 0)[0, 0, 0] = 1


class TestStrangers:
    def test_numerals_of_the_script_are_left_out_and_nothing_else(self):
        everything = drawn(300, 4)
        shapes = [shape_of(picture) for picture in everything]
        for labels in (LATIN, ARABIC_INDIC):
            kept = [
                picture for picture, shape in zip(everything, shapes, strict=True) if shape not in shapes_of(labels)
            ]
            np.testing.assert_array_equal(strangers(300, 4, labels), kept)
        assert len(strangers(300, 4, ARABIC_INDIC)) < len(strangers(300, 4, LATIN)) < 300

    def test_a_script_without_such_numerals_keeps_all(self):
        assert strangers(300, 4, CHEQUE) is drawn(300, 4)

    def test_the_pictures_are_read_only(self):
        with pytest.raises(ValueError, match="read-only"):
            strangers(300, 4, LATIN)[0, 0, 0] = 1
