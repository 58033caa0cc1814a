"""Jittered copies: other slants, rotations and proportions of the same writing, the same for a seed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import label

from train_host.recipe import Jitter
from train_host.samples.augment import jittered
from train_host.synthetic.pictures import draw_numeral

STILL = Jitter(rotation=0, shear=0, stretch=0)


@pytest.fixture(scope="module")
def pictures() -> np.ndarray:
    return np.stack([draw_numeral("5", seed=writer) for writer in range(6)])


def movement(seed: int, **play: float) -> np.ndarray:
    """The matrix from places in a copy to places in the original, measured on two ramps."""
    down, across = np.indices((64, 64), np.uint8)
    jitter = Jitter(**{"rotation": 0, "shear": 0, "stretch": 0, **play})
    moved = [jittered(30 + 3 * ramp[None], jitter, seed, copy=0)[0] / 3 for ramp in (across, down)]
    middle = slice(16, 48)
    return np.array([[np.gradient(ramp, axis=axis)[middle, middle].mean() for axis in (1, 0)] for ramp in moved])


def test_a_copy_is_another_picture_of_the_same_form(pictures):
    copy = jittered(pictures, Jitter(), seed=0, copy=0)
    assert (copy.shape, copy.dtype) == (pictures.shape, np.uint8)
    for original, moved in zip(pictures, copy, strict=True):
        assert not np.array_equal(original, moved)
        assert moved.mean() == pytest.approx(original.mean(), rel=0.25)


def test_copies_are_the_same_for_seed_and_number_only(pictures):
    first = jittered(pictures, Jitter(), seed=1, copy=0)
    np.testing.assert_array_equal(first, jittered(pictures, Jitter(), seed=1, copy=0))
    assert not np.array_equal(first, jittered(pictures, Jitter(), seed=1, copy=1))
    assert not np.array_equal(first, jittered(pictures, Jitter(), seed=2, copy=0))


def test_each_picture_moves_in_its_own_way(pictures):
    twins = jittered(np.stack([pictures[0]] * 2), Jitter(), seed=0, copy=0)
    assert not np.array_equal(*twins)


def test_without_play_nothing_moves(pictures):
    np.testing.assert_array_equal(jittered(pictures, STILL, seed=0, copy=0), pictures)


@given(st.integers(0, 9999))
def test_pictures_move_about_their_middle(seed):
    """So a picture with point symmetry keeps it."""
    random = np.random.default_rng(seed)
    half = random.integers(0, 256, (24, 32), np.uint8) // 4 + 64
    symmetric = np.maximum(half, half[::-1, ::-1])
    (moved,) = jittered(symmetric[None], Jitter(), seed, copy=0).astype(int)
    inner = slice(6, -6), slice(6, -6)
    np.testing.assert_allclose(moved[inner], moved[::-1, ::-1][inner], atol=1)


@pytest.mark.parametrize("paper", [0, 255, 90])
def test_what_is_bared_is_paper(paper):
    picture = np.full((40, 40), paper, np.uint8)
    picture[10:30, 18:22] = 200 if paper != 255 else 30
    (moved,) = jittered(picture[None], Jitter(rotation=45, shear=0.5), seed=3, copy=0)
    corners = moved[[0, 0, -1, -1], [0, -1, 0, -1]]
    np.testing.assert_array_equal(corners, paper)


@given(st.integers(0, 9999))
def test_writing_turns_leans_and_stretches_within_bounds(seed):
    turned = movement(seed, rotation=6.0)
    np.testing.assert_allclose(turned @ turned.T, np.eye(2), atol=0.03)
    assert abs(np.rad2deg(np.arcsin(turned[1, 0]))) < 6.5
    leaning = movement(seed, shear=0.15)
    assert abs(leaning[0, 1]) < 0.17
    leaning[0, 1] = 0
    np.testing.assert_allclose(leaning, np.eye(2), atol=0.02)
    stretched = movement(seed, stretch=0.12)
    np.testing.assert_allclose(stretched * [[0, 1], [1, 0]], 0, atol=0.02)
    assert np.prod(np.diag(stretched)) == pytest.approx(1, abs=0.03)
    assert abs(np.log(stretched[0, 0])) < 0.14


class TestBending:
    BENT = replace(STILL, bend=0.05)

    def field(self, seed: int) -> np.ndarray:
        """Where the pixels of a copy come from, over where they are, (2, 40, 40), measured on two ramps."""
        down, across = np.indices((64, 64), np.uint8)
        ramps = np.stack([30 + 3 * down, 30 + 3 * across])
        moved = [jittered(ramp[None], self.BENT, seed, copy=0)[0] for ramp in ramps]
        return ((np.array(moved, float) - ramps) / 3)[:, 12:-12, 12:-12]

    def test_pixels_move_no_farther_than_the_field_says(self):
        farthest = [np.sqrt((self.field(seed) ** 2).mean()) for seed in range(20)]
        assert 0.3 < max(farthest) < 1.5 * 0.05 * 64
        assert min(farthest) < 0.5 * max(farthest)

    def test_neighbours_move_alike(self):
        for seed in range(5):
            steps = [np.abs(np.diff(self.field(seed), axis=axis)).max() for axis in (1, 2)]
            assert max(steps) < 1

    def test_strokes_are_bent_and_not_torn(self):
        away = np.hypot(*(np.indices((64, 64)) - 31.5))
        ring = np.uint8(200 * ((away > 16) & (away < 20)))
        for bent in jittered(np.stack([ring] * 6), self.BENT, seed=2, copy=0):
            assert not np.array_equal(ring, bent)
            assert (label(bent > 100)[1], label(bent <= 100)[1]) == (1, 2)
            assert bent.mean() == pytest.approx(ring.mean(), rel=0.5)


def test_play_goes_to_both_sides():
    turns = [movement(seed, rotation=6.0)[1, 0] for seed in range(20)]
    assert min(turns) < -0.03 < 0.03 < max(turns)


def test_the_originals_stay_as_they_are(pictures):
    before = pictures.copy()
    pictures.setflags(write=False)
    jittered(pictures, Jitter(), seed=0, copy=0)
    np.testing.assert_array_equal(pictures, before)
