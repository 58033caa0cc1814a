"""The buffers of one recogniser: how large each is, what the bounds of the settings require, which way bins point."""

import math

import numpy as np
import pytest

from edge_lpdpl.jit.memory import LANES, WORD
from edge_lpdpl.model.settings import EDGE, PAPER, HogSettings
from edge_lpdpl.numeral import buffers
from edge_lpdpl.numeral.buffers import bin_directions, fits_octants, make_workspace

SHAPES = {
    "grey": (160 * 160 + WORD,),
    "paper": (2, 160 * 160),
    "ink": (160 * 160 + WORD,),
    "bitmaps": (5, 160 * math.ceil(160 / WORD)),
    "counts": (256,),
    "found": (8,),
    "masses": (160,),
    "taps": (2, 656, 32),
    "spans": (2, 3, 32),
    "aims": (4, 32),
    "levels": (160, 160),
    "rows": (32, 160),
    "columns": (160, 32),
    "square": (32, 32),
    "smooth": (2, 32, 32),
    "octant_levels": (32 * 34,),
    "octant_halfway": (32 * 34,),
    "octant_right": (32 * 36,),
    "octant_down": (32 * 36,),
    "octant_lines": (8 * 10 * 36,),
    "octant_sums": (8, 8 * 9),
    "features": (512,),
    "directions": (9, 2),
}
"""Of the profile `edge`."""


class TestWorkspace:
    def test_every_buffer_has_the_size_that_its_kernel_expects(self):
        workspace = make_workspace(EDGE.preprocessing, EDGE.hog)
        assert {name: array.shape for name, array in workspace._asdict().items()} == SHAPES

    def test_those_of_another_profile_differ_where_square_and_histogram_do(self):
        preprocessing, hog = PAPER.preprocessing._replace(side=30), PAPER.hog
        shapes = {name: array.shape for name, array in make_workspace(preprocessing, hog)._asdict().items()}
        assert shapes == SHAPES | {
            "taps": (2, 656, 30),
            "spans": (2, 3, 30),
            "aims": (4, 30),
            "rows": (30, 160),
            "columns": (160, math.ceil(30 / LANES) * LANES),
            "square": (30, 30),
            "smooth": (2, 30, 30),
            "features": (900,),
            "directions": (10, 2),
        }

    def test_places_of_what_was_found_are_all_different(self):
        names = ("HEIGHT", "WIDTH", "TOP", "BOTTOM", "LEFT", "RIGHT", "PIXELS", "LEVEL")
        assert [getattr(buffers, name) for name in names] == list(range(8))

    def test_taps_suffice_for_the_widest_ink_in_the_smallest_square(self):
        """Ink in two opposite columns has a standard deviation of half the picture; the largest pixel adds a root."""
        deviation = math.sqrt(80**2 + 1)
        scale = 8 * deviation / (8 - 2 * 3)
        assert 2 * scale + 2 <= buffers.MOST_TAPS < 2 * scale + 20


class TestOctants:
    def test_only_the_histogram_of_the_profile_edge_is_computed_in_octants(self):
        assert fits_octants(EDGE.hog, 32)
        assert not fits_octants(EDGE.hog, 36)
        assert not fits_octants(PAPER.hog, 32)

    @pytest.mark.parametrize(
        "other", [{"cell": 8}, {"cell": 2}, {"bins": 9}, {"bins": 4}, {"signed": False}, {"soft_bins": False}]
    )
    def test_any_other_cell_or_bin_is_not(self, other):
        assert not fits_octants(EDGE.hog._replace(**other), 32)
        assert not fits_octants(EDGE.hog._replace(soft_cells=False), 32)

    @pytest.mark.parametrize("other", [{"smoothing": 0}, {"square_root": False}, {"contrast": 2}])
    def test_what_comes_before_and_after_does_not_matter(self, other):
        assert fits_octants(EDGE.hog._replace(**other), 32)

    def test_levels_are_as_many_as_fit_in_sixteen_bits(self):
        weights = 2 * (1 + 3 + 5 + 7)
        assert weights * buffers.LEVELS < 2**16 <= weights * (buffers.LEVELS + 1)

    def test_units_of_its_sums(self):
        """Weights of a cell are eighths down and eighths across; the other root of two is in the diagonal's length."""
        assert pytest.approx(1, rel=1e-6) == buffers.AXIS * buffers.LEVELS * 64
        assert pytest.approx(math.sqrt(2), rel=1e-6) == buffers.DIAGONAL / buffers.AXIS
        assert buffers.AXIS.dtype == buffers.DIAGONAL.dtype == np.float32


@pytest.mark.parametrize("bins", [4, 8, 9, 18])
@pytest.mark.parametrize(("signed", "turn"), [(True, 360), (False, 180)])
def test_bins_point_around_a_whole_turn_or_half_of_one(bins, signed, turn):
    directions = bin_directions(HogSettings(bins=bins, signed=signed))
    assert directions.shape == (bins + 1, 2)
    assert directions.dtype == np.float32
    angles = np.radians(np.arange(bins + 1) * turn / bins)
    np.testing.assert_allclose(directions, np.stack([np.cos(angles), np.sin(angles)], axis=1), atol=1e-7)
