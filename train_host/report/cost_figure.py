"""The cost figure: accuracy of every method against its microseconds and its bytes.

Good methods differ by few errors and bad ones by many, so the accuracy axis is logarithmic in the errors. Many methods
are close together, so each name is placed where it hides no other name.
"""

from typing import Any

import numpy as np
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from train_host.baselines.methods import METHODS
from train_host.compare import Record
from train_host.report.canvas import DPI, OWN, as_png, new_figure
from train_host.report.tables import title_in

TICKS = (0, 50, 80, 90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.98, 99.99)
"""Ticks of the accuracy axis in percent."""
PLACES = [
    (round(distance * right), round(distance * up))
    for distance in (9, 18, 28, 40)
    for right, up in ((1, 0), (-1, 0), (0.7, 1), (0.7, -1), (-0.7, 1), (-0.7, -1))
]
"""Possible places of a name, in points from its mark, nearest first."""
MARK = 8
"""Approximate width of a mark in points."""
APART = 3
"""Least distance between two names in pixels."""
NEAR = 10
"""Distance from its mark, in points, up to which a name needs no line."""


def cost(table: Record, latency: Record) -> bytes:
    """Accuracy against microseconds and against bytes, for every method in both records, as PNG bytes."""
    return as_png(cost_figure(table, latency))


def cost_figure(table: Record, latency: Record) -> Any:
    """The same as a matplotlib figure, with the names placed."""
    rows = {row["method"]: row for row in table["rows"]}
    times = {point["method"]: point["whole_us"] for point in latency["points"]}
    methods = [method for method in rows if method in times]
    most = 100 - 50 / len(table["truth"])  # no error is drawn as half an error: the logarithm of zero is undefined
    right = np.minimum(most, [100 * rows[method]["accuracy"] for method in methods])
    figure, axes = new_figure(1, 2, width=10, height=5.2, sharey=True)
    axes[0].set_yscale("function", functions=(error_logarithm, percent_right))
    axes[0].set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes[0].set(xlabel="microseconds per picture, all steps", ylabel="accuracy, % (errors on a logarithmic scale)")
    axes[1].set(xlabel="kilobytes of numbers that a decision needs")
    places = error_logarithm(right)
    room = 0.12 * max(0.3, np.ptp(places))
    axes[0].set_ylim(*percent_right(np.array([places.min() - room, places.max() + room])))
    for axis, across in zip(
        axes, ([times[method] for method in methods], [rows[method]["bytes"] / 1000 for method in methods]), strict=True
    ):
        axis.set_xscale("log")
        axis.set_xlim(min(across) / 4, max(across) * 6)
        for method, x, y in zip(methods, across, right, strict=True):
            own = method in OWN
            axis.scatter(x, y, marker="*" if own else "o", color=METHODS[method].colour, s=90 if own else 36, zorder=3)
    figure.set_dpi(DPI)  # the resolution of the saved file: text widths depend on it
    figure.canvas.draw()  # computes the layout: pixel positions are known only then
    for axis in axes:
        _name(axis, methods, [title_in(table, method).split(",")[0] for method in methods])
    return figure


def error_logarithm(right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Accuracies in percent to a scale on which a tenth of the errors is a step of 1.

    >>> error_logarithm(np.array([90.0, 99.0, 99.9])).round(9).tolist()
    [-1.0, -0.0, 1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-np.log10(100 - np.asarray(right, np.float64)))


def percent_right(place: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of `error_logarithm`.

    >>> percent_right(np.array([-1.0, 1.0])).tolist()
    [90.0, 99.9]
    """
    return np.asarray(100 - 10.0 ** -np.asarray(place, np.float64))


def _name(axis: Any, methods: list[str], names: list[str]) -> None:
    """Write each method's name beside its mark, at the first free place. The project's own names come first."""
    marks = [mark.get_offsets()[0] for mark in axis.collections]
    half = MARK / 2 * axis.figure.dpi / 72
    taken = [Bbox([place - half, place + half]) for place in axis.transData.transform(marks)]
    for number in sorted(range(len(methods)), key=lambda number: methods[number] not in OWN):
        tried = []
        for place in PLACES:
            text = _write(axis, names[number], marks[number], place)
            box = text.get_window_extent()
            text.remove()
            inside = _shared(box, axis.bbox) > 0.999 * box.width * box.height
            hidden = sum(_shared(box, other) for other in taken) + (0 if inside else box.width * box.height)
            tried.append((hidden, place, box))
            if hidden == 0:
                break
        _, place, box = min(tried, key=lambda one: one[0])
        _write(axis, names[number], marks[number], place, line=max(map(abs, place)) > NEAR)
        taken.append(box.padded(APART))


def _write(axis: Any, name: str, mark: Any, place: tuple[int, int], line: bool = False) -> Any:
    straight = {"arrowstyle": "-", "color": "#999", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
    return axis.annotate(
        name,
        mark,
        xytext=place,
        textcoords="offset points",
        ha="left" if place[0] > 0 else "right",
        va="center",
        fontsize=7.5,
        arrowprops=straight if line else None,
    )


def _shared(box: Bbox, other: Bbox) -> float:
    """Area of the intersection of two boxes in square pixels."""
    both = Bbox.intersection(box, other)
    return 0.0 if both is None else float(both.width * both.height)
