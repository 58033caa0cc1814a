"""Pictures of non-numerals for training."""

from collections import Counter

import numpy as np
import pytest

from train_host.samples.non_numerals import _KINDS, SIZE, strangers

SEEDS = 100


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


@pytest.mark.parametrize("kind", dict.fromkeys(_KINDS), ids=lambda kind: kind.__name__.strip("_"))
class TestKind:
    @pytest.fixture
    def drawn(self, kind):
        return [kind(np.random.default_rng(seed)) for seed in range(SEEDS)]

    def test_draws_ink_and_leaves_paper(self, drawn):
        assert all((picture.shape, picture.dtype) == ((SIZE, SIZE), np.uint8) for picture in drawn)
        assert all(picture.max() >= 30 for picture in drawn)
        assert all((picture > 30).mean() < 0.75 for picture in drawn)

    def test_a_seed_repeats_its_picture(self, kind, drawn):
        for seed, picture in enumerate(drawn):
            np.testing.assert_array_equal(kind(np.random.default_rng(seed)), picture)

    def test_draws_another_picture_each_time(self, drawn):
        assert len({picture.tobytes() for picture in drawn}) == SEEDS


def test_no_kind_draws_what_another_draws():
    drawn = [kind(np.random.default_rng(seed)).tobytes() for kind in dict.fromkeys(_KINDS) for seed in range(SEEDS)]
    assert len(set(drawn)) == len(set(_KINDS)) * SEEDS


def test_every_ten_have_the_kinds_in_their_order():
    assert {kind.__name__: count for kind, count in Counter(_KINDS).items()} == {
        "_strokes": 5,
        "_rows_of_marks": 1,
        "_blots": 2,
        "_solids": 2,
    }
    random = np.random.default_rng([7, 20])  # the seed and the count
    for place, picture in enumerate(strangers(20, 7)):
        np.testing.assert_array_equal(picture, _KINDS[place % 10](random), err_msg=f"picture {place}")
