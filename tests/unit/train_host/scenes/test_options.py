"""Impossible options are refused."""

import pytest

from edge_lpdpl.errors import DatasetError
from train_host.scenes.options import SceneOptions


@pytest.mark.parametrize(
    "wrong",
    [
        *({"kind": "cats"}, {"layout": "ring"}, {"fewest": 3, "most": 2}, {"width": 8}, {"seed": -1}),
        *({"kind": "numbers", "layout": "any"}, {"kind": "numbers", "layout": "column", "marked": 0.5}),
    ],
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(DatasetError):
        SceneOptions(**wrong)
