"""A homography maps four points exactly, straight lines to straight lines, and an area back to an upright picture."""

import numpy as np
import pytest
from form_pictures import View, homography_of
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_lpdpl.form.homography import homography, project, rectify
from edge_lpdpl.form.sheet import Area, mark_centres

VIEWS = st.builds(
    View,
    st.just(480),
    st.just(640),
    fills=st.floats(0.4, 1),
    turned=st.floats(-180, 180),
    pitch=st.floats(-25, 25),
    yaw=st.floats(-25, 25),
    aside=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
)


@settings(deadline=None, max_examples=50)
@given(view=VIEWS)
def test_four_points_and_their_images_give_the_map_of_all_points(view):
    matrix, grid = homography_of(view), np.stack(np.meshgrid([5.0, 105, 205], [5.0, 148, 290]), -1).reshape(-1, 2)
    found = homography(mark_centres("A4"), project(matrix, mark_centres("A4")))
    assert project(found, grid) == pytest.approx(project(matrix, grid), abs=1e-6)


def test_three_points_on_a_line_have_none():
    points = np.array([(0, 0), (1, 1), (2, 2), (0, 1.0)])
    with pytest.raises(np.linalg.LinAlgError):
        homography(points, points)


class TestRectify:
    GREY = np.arange(60 * 80, dtype=np.uint32).reshape(60, 80) % 251

    def test_pixels_that_lie_on_pixels_stay_as_they_are(self):
        grey = self.GREY.astype(np.uint8)
        assert (rectify(grey, np.eye(3), Area(10, 20, 30, 25), 1) == grey[20:45, 10:40]).all()

    def test_a_quarter_turn_is_undone(self):
        grey = self.GREY.astype(np.uint8)
        turn = np.array([[0, -1, 80], [1, 0, 0], [0, 0, 1.0]])  # the sheet's x runs down the frame
        assert (rectify(grey, turn, Area(5, 8, 40, 60), 1) == np.rot90(grey)[8:68, 5:45]).all()

    def test_what_is_outside_repeats_the_border(self):
        grey = np.full((20, 20), 90, np.uint8)
        assert (rectify(grey, np.eye(3), Area(-30, -30, 100, 100), 1) == 90).all()

    def test_scale_is_pixels_a_millimetre(self):
        assert rectify(self.GREY.astype(np.uint8), np.eye(3), Area(0, 0, 20, 10), 6).shape == (60, 120)
