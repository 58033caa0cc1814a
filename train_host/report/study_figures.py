"""Figures of the studies: curves and maps of accuracy, and atoms as glyphs. Every figure is PNG bytes.

A function has the name of its study, one of `train_host.compare.STUDIES`.
"""

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection

from train_host.compare import Record
from train_host.compare.distortions import DISTORTIONS
from train_host.report.accuracy_figures import names_of
from train_host.report.canvas import as_png, line_of, new_figure

FAINTEST = 0.12
"""Smallest weight for which a ray is drawn, as a share of the largest weight."""
SYMBOLS = {"lambda1": "λ₁", "lambda2": "λ₂", "lambda3": "λ₃", "gamma": "γ"}


def atoms(record: Record) -> bytes:
    """Accuracy against the number of atoms of a class."""
    return _curves(record, "atoms of a class (m)")


def samples(record: Record) -> bytes:
    """Accuracy against the number of training pictures of a class."""
    return _curves(record, "training pictures of a class")


def _curves(record: Record, across: str) -> bytes:
    figure, axes = new_figure()
    for method, points in _by(record["points"], "method"):
        draw_with_intervals(axes, points, line_of(method, record))
    axes.set(xlabel=across, ylabel="accuracy, %", xscale="log")
    ticks = sorted({point["x"] for point in record["points"]})
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.legend()
    return as_png(figure)


def draw_with_intervals(axes: Any, points: list[dict[str, Any]], line: dict[str, Any]) -> None:
    """A curve of accuracy, with the 95 % interval of every point as a band."""
    across = [point["x"] for point in points]
    axes.plot(across, [100 * point["accuracy"] for point in points], **line)
    low, high = (np.array([point["interval"][end] for point in points]) for end in (0, 1))
    axes.fill_between(across, 100 * low, 100 * high, color=line["color"], alpha=0.13, linewidth=0)


def sensitivity(record: Record) -> bytes:
    """Accuracy against each penalty."""
    figure, axes = new_figure(1, 4, width=9, height=2.6, sharey=True)
    for axis, (name, points) in zip(axes, _by(record["points"], "penalty"), strict=True):
        draw_with_intervals(axis, points, {"marker": "o", "markersize": 4, "color": "#c1121f"})
        axis.set(xlabel=SYMBOLS[name], xscale="log")
    axes[0].set_ylabel("accuracy, %")
    return as_png(figure)


def pairs(record: Record) -> bytes:
    """Accuracy against every pair of penalties, as six maps."""
    figure, axes = new_figure(2, 3, width=9, height=5.6)
    worst = min(point["accuracy"] for point in record["points"])
    best = max(point["accuracy"] for point in record["points"])
    for axis, (pair, points) in zip(axes.ravel(), _by(record["points"], "pair"), strict=True):
        across = sorted({point["x"] for point in points})
        up = sorted({point["y"] for point in points})
        grid = np.empty((len(up), len(across)))
        for point in points:
            grid[up.index(point["y"]), across.index(point["x"])] = 100 * point["accuracy"]
        drawn = axis.imshow(grid, origin="lower", cmap="viridis", vmin=max(80.0, 100 * worst), vmax=100 * best)
        axis.grid(False)
        axis.set_xticks(range(len(across)), [f"{np.log10(x):.0f}" for x in across])
        axis.set_yticks(range(len(up)), [f"{np.log10(y):.0f}" for y in up])
        axis.set(xlabel=f"log₁₀ {SYMBOLS[pair[0]]}", ylabel=f"log₁₀ {SYMBOLS[pair[1]]}")
    figure.colorbar(drawn, ax=axes, label="accuracy, %", shrink=0.7)
    return as_png(figure)


def robustness(record: Record) -> bytes:
    """Accuracy against the strength of each distortion."""
    figure, axes = new_figure(2, 3, width=9, height=5, sharey=True)
    for axis, (name, points) in zip(axes.ravel(), _by(record["points"], "distortion"), strict=True):
        for method, own in _by(points, "method"):
            draw_with_intervals(axis, own, line_of(method, record))
        axis.set(title=name, xlabel=DISTORTIONS[name][2])
    for row in axes:
        row[0].set_ylabel("accuracy, %")
    axes[0, 0].legend(fontsize=7)
    return as_png(figure)


def glyphs(record: Record) -> bytes:
    """The most used atoms, one column per class; below, the features of a picture as two classes reconstruct them."""
    names, layout = names_of(record), record["layout"]
    shown = record["atoms"]
    rows, columns = len(shown[0]) + 1, max(len(shown), 4)
    figure, axes = new_figure(rows, columns, width=1.1 * columns, height=1.25 * rows)
    for axis in axes.ravel():
        axis.axis("off")
    for column, name, of_class in zip(axes.T, names, shown, strict=False):
        for axis, atom in zip(column, of_class, strict=False):
            draw_glyph(axis, np.array(atom), layout)
        column[0].set_title(name, fontsize=9)
    example = record["example"]
    for axis, (title, features) in zip(axes[-1], example["views"], strict=False):
        draw_glyph(axis, np.array(features), layout)
        axis.set_title(title, fontsize=7)
    return as_png(figure)


def draw_glyph(axes: Any, features: np.ndarray, layout: dict[str, Any]) -> None:
    """A star in every cell. The length of a ray is the weight of its direction; negative weights are blue.

    Args:
        features: (cells * cells * bins,), cell by cell, row by row.
        layout: `cells` per side, `bins`, and whether directions are `signed`.
    """
    cells, bins = layout["cells"], layout["bins"]
    weights = features.reshape(cells, cells, bins)
    largest = np.abs(weights).max() or 1.0
    rows, columns, directions = np.nonzero(np.abs(weights) >= FAINTEST * largest)
    lengths = weights[rows, columns, directions] / largest
    # A stroke is perpendicular to its gradient.
    angles = (2 if layout["signed"] else 1) * np.pi * directions / bins + np.pi / 2
    reach = 0.48 * np.abs(lengths)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    middles = np.stack([columns, rows], axis=1)
    colours = np.where(lengths > 0, "#c1121f", "#2a6fdb")
    rays = np.stack([middles - reach, middles + reach], axis=1)
    axes.add_collection(LineCollection(list(rays), colors=list(colours), linewidths=0.8, alpha=0.8))
    axes.set(xlim=(-0.6, cells - 0.4), ylim=(cells - 0.4, -0.6), aspect="equal")


def _by(points: list[dict[str, Any]], key: str) -> list[tuple[Any, list[dict[str, Any]]]]:
    """Points grouped by a key. Groups are in the order of their first point."""
    order: list[Any] = []
    for point in points:
        if point[key] not in order:
            order.append(point[key])
    return [(value, [point for point in points if point[key] == value]) for value in order]
