"""Figures show what their records hold."""

import io

import numpy as np
from PIL import Image

from train_host.report import accuracy_figures, study_figures, tables
from train_host.report.canvas import new_figure

METHODS = ["lpdpl", "dpl", "knn"]


class TestFigures:
    RECORD = {  # noqa: RUF012  # read only
        "labels": ["五", "万"],
        "truth": [0, 0, 1, 1],
        "pictures": {"lpdpl": {"decisions": [0, 1, 1, -1], "margins": [0.5, 0.1, 0.4, 0.0]}},
        "objective": {"lpdpl": None},
        "mistakes": [],
    }

    def test_confusion_of_a_few_decisions_is_drawn(self):
        with Image.open(io.BytesIO(accuracy_figures.confusion(self.RECORD))) as picture:
            assert picture.format == "PNG"

    def test_what_is_not_known_is_left_out(self):
        assert accuracy_figures.objective(self.RECORD) is None
        assert accuracy_figures.mistakes(self.RECORD) is None

    def test_every_method_has_a_colour_of_its_own(self):
        from train_host.baselines.methods import METHODS

        assert len({method.colour for method in METHODS.values()}) == len(METHODS)

    def test_a_glyph_draws_rays_across_the_gradient(self):
        _, axes = new_figure()
        features = np.zeros((2, 2, 4))
        features[1, 0, 0] = 1.0  # a gradient to the right is an upright stroke
        study_figures.draw_glyph(axes, features.ravel(), {"cells": 2, "bins": 4, "signed": True})
        ((start, end),) = axes.collections[0].get_segments()
        np.testing.assert_allclose([start, end], [[0, 0.52], [0, 1.48]], atol=1e-9)

    def test_paper_figures_belong_to_their_data_and_protocol(self):
        chinese = {"data": "chinese_mnist", "protocol": "conventional --folds 10"}
        assert tables.reported(chinese)["src"] == 96.28
        assert tables.reported({"data": "usps", "protocol": "standard"})["dpl"] == 96.68
        plain = {"data": "usps", "protocol": "standard", "recipe": {"refinement": None}}
        assert tables.reported(plain)["lpdpl"] == 97.17
        assert tables.reported({"data": "digits", "protocol": "standard"}) == {}
