"""The figure of accuracy and cost: every method in its place, every name readable."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from train_host.baselines.methods import METHODS
from train_host.report.cost_figure import cost_figure, error_logarithm, percent_right

CROWDED = (
    *(99.85, 99.71, 99.67, 99.66, 99.86, 99.74, 99.54, 99.42),
    *(99.76, 99.72, 99.85, 99.57, 99.78, 94.85, 98.93, 99.75),
)
"""Accuracies of all methods in `conventional` at some time: most are within a third of a percent."""


def drawn(right, microseconds=None):
    """The figure of methods with these accuracies on 12,000 pictures."""
    methods = [name for name, method in METHODS.items() if not method.on_request][: len(right)]
    times = microseconds or np.geomspace(7, 5000, len(right)).tolist()
    rows = [
        {"method": method, "accuracy": percent / 100, "bytes": 250_000 * time}
        for method, percent, time in zip(methods, right, times, strict=True)
    ]
    points = [{"method": method, "whole_us": time} for method, time in zip(methods, times, strict=True)]
    return cost_figure({"rows": rows, "truth": [0] * 12_000}, {"points": points})


@pytest.fixture(scope="module")
def crowded():
    figure = drawn(CROWDED)
    figure.canvas.draw()
    return figure


def test_every_method_stands_where_it_belongs(crowded):
    left, right = crowded.axes
    for axis, factor in ((left, 1), (right, 250)):
        places = np.array([mark.get_offsets()[0] for mark in axis.collections])
        np.testing.assert_allclose(places[:, 0], factor * np.geomspace(7, 5000, 16))
        np.testing.assert_allclose(places[:, 1], CROWDED)


def test_no_name_hides_another_or_leaves_the_figure(crowded):
    for axis in crowded.axes:
        names = {text.get_text(): text.get_window_extent() for text in axis.texts}
        assert len(names) == len(CROWDED)
        for (first, box), (second, other) in combinations(names.items(), 2):
            assert not box.overlaps(other), (first, second)
        for name, box in names.items():
            assert axis.bbox.x0 - 1 <= box.x0 < box.x1 <= axis.bbox.x1 + 1, name


def test_no_name_hides_a_mark(crowded):
    for axis in crowded.axes:
        marks = axis.transData.transform([mark.get_offsets()[0] for mark in axis.collections])
        for text in axis.texts:
            box = text.get_window_extent()
            assert not any(box.contains(*mark) for mark in marks), text.get_text()


def test_where_nothing_is_read_wrong_half_an_error_is_drawn():
    axis = drawn([100.0, 99.0]).axes[0]
    perfect, other = (mark.get_offsets()[0] for mark in axis.collections)
    assert perfect[1] == pytest.approx(100 - 100 * 0.5 / 12_000)
    low, high = axis.get_ylim()
    assert low < other[1] < perfect[1] < high < 100


def test_methods_of_equal_cost_have_an_axis_too():
    low, high = drawn([99.0, 99.5, 99.7], [7.38, 7.39, 7.41]).axes[0].get_xlim()
    assert high / low > 10


@given(st.floats(0, 99.999))
def test_the_scale_has_its_inverse(right):
    place = error_logarithm(np.array([right]))
    assert percent_right(place)[0] == pytest.approx(right, abs=1e-9)
