"""Camera copies: still the same numeral, light ink on black, the same for a seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.page.parts_table import LIFTED_SIDE
from train_host.recipe import CameraView
from train_host.samples.camera_copies import MARGIN, camera_copies
from train_host.synthetic.pictures import draw_numeral

SHARP = CameraView(least_side=LIFTED_SIDE, most_side=LIFTED_SIDE, blur=0, boldness=0, darkness=0, noise=0)


def cut_out(picture: np.ndarray, level: int) -> np.ndarray:
    """The box around the pixels above a level."""
    rows, columns = np.flatnonzero((picture > level).any(axis=1)), np.flatnonzero((picture > level).any(axis=0))
    return picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@pytest.fixture(scope="module")
def pictures() -> np.ndarray:
    return np.stack([draw_numeral(character, seed=7) for character in "一二三四五六七八九十"])


def test_a_copy_is_light_ink_on_black_whatever_the_picture_was(pictures):
    for originals in (pictures, 255 - pictures):
        copies = camera_copies(originals, CameraView(), seed=0, copy=0)
        assert (copies.shape, copies.dtype) == ((len(pictures), LIFTED_SIDE, LIFTED_SIDE), np.uint8)
        assert np.median(copies) == 0
        assert (copies.max(axis=(1, 2)) > 100).all()


def test_a_reader_of_scans_reads_most_copies(pictures):
    recogniser = Recogniser.load(shipped_model("chinese15"))
    labels = [recogniser.recognise(picture).label for picture in pictures]
    read = [
        recogniser.recognise(seen).label == label
        for copy in range(5)
        for seen, label in zip(camera_copies(pictures, CameraView(), seed=0, copy=copy), labels, strict=True)
    ]
    assert np.mean(read) > 0.85


def test_copies_are_the_same_for_seed_and_number_only(pictures):
    first = camera_copies(pictures, CameraView(), seed=1, copy=0)
    np.testing.assert_array_equal(first, camera_copies(pictures, CameraView(), seed=1, copy=0))
    assert not np.array_equal(first, camera_copies(pictures, CameraView(), seed=1, copy=1))
    assert not np.array_equal(first, camera_copies(pictures, CameraView(), seed=2, copy=0))


def test_a_camera_without_faults_shows_the_picture_as_large_as_it_lifts_it(pictures):
    copies, alike = camera_copies(pictures, SHARP, seed=0, copy=0), []
    for copy, picture in zip(copies, pictures, strict=True):
        shown, ink = cut_out(copy, 40), cut_out(picture, int(picture.max()) // 3)
        assert 0.7 * LIFTED_SIDE < max(shown.shape) <= LIFTED_SIDE - 2 * MARGIN
        same = np.asarray(Image.fromarray(ink).resize(shown.shape[::-1]), float)
        alike.append(np.corrcoef(shown.ravel(), same.ravel())[0, 1])
    assert np.median(alike) > 0.75  # a shift of one pixel already separates thin strokes


@pytest.mark.parametrize(
    ("fault", "grows"),
    [("blur", lambda seen: (seen > 0).sum()), ("boldness", lambda seen: (seen > 128).sum())],
)
def test_each_fault_does_what_its_name_says(pictures, fault, grows):
    sharp = camera_copies(pictures, SHARP, seed=0, copy=0)
    seen = camera_copies(pictures, CameraView(**{**vars(SHARP), fault: 4.0}), seed=0, copy=0)
    assert grows(seen) > 1.1 * grows(sharp)


def test_darkness_takes_light_and_noise_lies_on_the_ink_alone(pictures):
    dark = camera_copies(pictures, CameraView(**{**vars(SHARP), "darkness": 0.9}), seed=0, copy=0)
    assert len(set(dark.max(axis=(1, 2)))) > 5
    noisy = camera_copies(pictures, CameraView(**{**vars(SHARP), "noise": 50.0}), seed=0, copy=0)
    sharp = camera_copies(pictures, SHARP, seed=0, copy=0)
    np.testing.assert_array_equal(noisy[sharp == 0], 0)
    assert np.abs(noisy[sharp > 50].astype(int) - sharp[sharp > 50]).mean() > 3


@given(st.integers(8, 40), st.integers(8, 40), st.integers(0, 2**32 - 1))
def test_any_picture_has_copies_in_proportion(height, width, seed):
    pictures = np.random.default_rng(seed).integers(0, 256, (3, height, width), np.uint8)
    bar = np.zeros((1, 60, 60), np.uint8)
    bar[0, 5 : 5 + height, 5 : 5 + width] = 200
    shown = cut_out(camera_copies(bar, SHARP, seed, 0)[0], 60)
    assert shown.shape[0] / shown.shape[1] == pytest.approx(height / width, rel=0.2)
    assert camera_copies(pictures, CameraView(), seed, 0).shape == (3, LIFTED_SIDE, LIFTED_SIDE)
    (blank,) = camera_copies(np.full((1, height, width), seed % 256, np.uint8), CameraView(), seed, 0)
    assert not blank.any()


def test_the_originals_stay_as_they_are(pictures):
    before = pictures.copy()
    pictures.setflags(write=False)
    camera_copies(pictures, CameraView(), seed=0, copy=0)
    np.testing.assert_array_equal(pictures, before)
