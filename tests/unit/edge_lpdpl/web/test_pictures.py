"""What the browser is shown, and the figures to aim by."""

import io
from base64 import b64decode

import numpy as np
import pytest
from moving_scenes import page
from PIL import Image, ImageFilter

from edge_lpdpl.web.pictures import aim, as_jpeg, cut_outs

GREY = page(54).astype(np.uint8)
HEIGHT, WIDTH = GREY.shape


def figures(grey, region=()):
    return aim(np.ascontiguousarray(grey).tobytes(), grey.shape[1], grey.shape[0], region)


def test_a_frame_is_the_same_as_jpeg():
    seen = np.asarray(Image.open(io.BytesIO(as_jpeg(GREY.tobytes(), WIDTH, HEIGHT))))
    assert seen.shape == GREY.shape
    assert np.abs(seen.astype(int) - GREY).mean() < 2


def test_cut_outs_are_the_same_as_png():
    first, second = GREY[:20, :30], GREY[100:109, 200:208]
    data = first.tobytes() + second.tobytes()
    pictures = [np.asarray(Image.open(io.BytesIO(b64decode(one)))) for one in cut_outs(data, [(20, 30), (9, 8)], 9)]
    assert np.array_equal(pictures[0], first)
    assert np.array_equal(pictures[1], second)
    assert len(cut_outs(data, [(20, 30), (9, 8)], 1)) == 1


class TestAim:
    def test_a_picture_out_of_focus_is_less_sharp_the_more_it_is(self):
        blurred = [
            np.asarray(Image.fromarray(GREY).filter(ImageFilter.GaussianBlur(radius))) for radius in (0, 1, 2, 4)
        ]
        sharpness = [figures(grey)["sharpness"] for grey in blurred]
        assert sharpness == sorted(sharpness, reverse=True)
        assert sharpness[0] > 2 * sharpness[2]

    def test_another_light_hardly_moves_it(self):
        assert figures((GREY * 0.6).astype(np.uint8))["sharpness"] == pytest.approx(
            figures(GREY)["sharpness"], rel=0.15
        )

    def test_pixels_without_detail_are_counted(self):
        half = np.where(np.arange(100) < 25, 0, np.where(np.arange(100) < 75, 120, 255)).astype(np.uint8)
        found = figures(np.tile(half, (50, 1)))
        assert (found["dark"], found["bright"]) == (0.25, 0.25)

    def test_the_region_alone_counts(self):
        grey = np.full((100, 100), 120, np.uint8)
        grey[:50] = 255
        assert figures(grey, (0, 50, 100, 50))["bright"] == 0
        assert figures(grey)["bright"] == 0.5

    @pytest.mark.parametrize("region", [(0, 0, 1, 1), (90, 90, 50, 50), (200, 200, 10, 10)])
    def test_a_region_at_the_border_is_no_fault(self, region):
        figures(np.full((100, 100), 120, np.uint8), region)
