"""Features of training equal those of the device, bit for bit."""

import numpy as np
import pytest
from small_models import small_model

from edge_lpdpl.model.settings import EDGE, PAPER, PROFILES
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.samples.features import extract_features
from train_host.synthetic.pictures import draw_numeral


@pytest.fixture(scope="module")
def pictures() -> np.ndarray:
    """Seven numerals with a blank picture in their middle."""
    drawn = [draw_numeral(character, seed=3) for character in "十百千万亿五七"]
    return np.stack([*drawn[:3], np.zeros_like(drawn[0]), *drawn[3:]])


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_features_are_those_of_the_recogniser_to_the_last_bit(pictures, profile):
    recogniser = Recogniser(small_model(profile), "numba")
    found = extract_features(pictures, profile)
    assert found.dtype == np.float32
    assert found.shape == (8, profile.hog.feature_count(32))
    for picture, row in zip(pictures, found, strict=True):
        if recogniser.recognise(picture).label is None:
            assert not row.any()
        else:
            np.testing.assert_array_equal(row, recogniser.engine.buffers.features)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_pixels_are_the_square_that_the_recogniser_normalises(pictures, profile):
    recogniser = Recogniser(small_model(profile), "numba")
    found = extract_features(pictures, profile, kind="pixels")
    assert found.dtype == np.float32
    assert found.shape == (8, 32 * 32)
    for picture, row in zip(pictures, found, strict=True):
        if recogniser.recognise(picture).label is None:
            assert not row.any()
        else:
            np.testing.assert_array_equal(row.reshape(32, 32), recogniser.engine.buffers.square)


def test_a_blank_picture_is_a_row_of_zeros_and_no_other_is(pictures):
    for kind in ("hog", "pixels"):
        assert extract_features(pictures, EDGE, kind).any(axis=1).tolist() == [True] * 3 + [False] + [True] * 4


def test_a_picture_has_the_same_features_alone_and_among_others(pictures):
    whole = extract_features(pictures, EDGE)
    np.testing.assert_array_equal(extract_features(pictures[4:5], EDGE), whole[4:5])


def test_dark_ink_is_found_by_itself_and_by_name(pictures):
    light = extract_features(pictures, EDGE)
    np.testing.assert_array_equal(extract_features(pictures, EDGE, polarity="light"), light)
    np.testing.assert_allclose(extract_features(255 - pictures, EDGE, polarity="dark"), light, atol=1e-6)
    assert not np.allclose(extract_features(pictures, EDGE, polarity="dark"), light, atol=0.1)


def test_read_only_and_strided_pictures_are_taken(pictures):
    expected = extract_features(pictures, PAPER)
    pictures.setflags(write=False)
    np.testing.assert_array_equal(extract_features(pictures, PAPER), expected)
    padded = np.pad(pictures, ((0, 0), (0, 0), (0, 5)))[:, :, :-5]
    np.testing.assert_array_equal(extract_features(padded, PAPER), expected)
    np.testing.assert_array_equal(extract_features(pictures[::-2], PAPER), expected[::-2])


@pytest.mark.parametrize("kind", ["hog", "pixels"])
def test_no_pictures_have_no_features(pictures, kind):
    assert len(extract_features(pictures[:0], EDGE, kind)) == 0
