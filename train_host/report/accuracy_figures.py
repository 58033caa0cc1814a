"""Figures for the record of a table: confusion matrix, objective, rejection, reliability and mistakes."""

import base64
import io

import numpy as np
from PIL import Image
from sklearn.metrics import confusion_matrix

from train_host.compare import Record
from train_host.compare.significance import bootstrap_interval
from train_host.datasets.class_folders import value_of
from train_host.rejection.calibration import BINS, cross_fitted
from train_host.report.canvas import as_png, line_of, new_figure

MOST_MISTAKES = 60
"""Most misread pictures in the figure."""
SHARES = np.linspace(0, 0.1, 41)
"""Rejected shares at which the rejection curve is computed."""


def names_of(record: Record) -> list[str]:
    """Names of the classes as numbers, because every font has digits.

    >>> names_of({"labels": ["五", "万", "亿"]})
    ['5', '10⁴', '10⁸']
    """
    short = {10_000: "10⁴", 100_000_000: "10⁸"}
    return [short.get(value_of(label), str(value_of(label))) for label in record["labels"]]


def confusion(record: Record, method: str = "lpdpl") -> bytes:
    """Confusion matrix, in percent of the true class, as PNG bytes. Decisions on empty pictures are left out."""
    names = names_of(record)
    truth, classes = record["truth"], range(len(names))
    counts = confusion_matrix(truth, record["pictures"][method]["decisions"], labels=classes)
    shares = 100 * counts / np.maximum(1, np.bincount(truth, minlength=len(names)))[:, None]
    figure, axes = new_figure(width=6.4, height=5.6)
    axes.grid(False)
    axes.imshow(np.sqrt(shares), cmap="Reds")
    for row, column in zip(*np.nonzero(shares), strict=True):
        colour = "white" if shares[row, column] > 40 else "black"
        axes.text(column, row, f"{shares[row, column]:.3g}", ha="center", va="center", fontsize=6, color=colour)
    axes.set_xticks(classes, names)
    axes.set_yticks(classes, names)
    axes.set(xlabel="read as", ylabel="true")
    return as_png(figure)


def objective(record: Record) -> bytes | None:
    """Objective against iterations, relative to its first value, as PNG bytes; None where no method has one."""
    histories = {method: values for method, values in record.get("objective", {}).items() if values}
    if not histories:
        return None
    figure, axes = new_figure()
    for method, values in histories.items():
        axes.plot(np.arange(len(values)), np.array(values) / values[0], **line_of(method, record))
    axes.set(xlabel="iteration", ylabel="objective, share of the first", yscale="log")
    axes.legend()
    return as_png(figure)


def rejection(record: Record) -> bytes:
    """Accuracy of accepted decisions against the rejected share, as PNG bytes.

    The band is the 95 % interval of the first method.
    """
    truth = np.array(record["truth"])
    writers = np.arange(len(truth)) if record.get("writers") is None else np.array(record["writers"])
    figure, axes = new_figure()
    for number, (method, found) in enumerate(record["pictures"].items()):
        order = np.argsort(found["margins"], kind="stable")
        correct = (np.array(found["decisions"]) == truth)[order]
        starts = [round(share * len(correct)) for share in SHARES]
        line = line_of(method, record) | {"marker": ""}
        axes.plot(100 * SHARES, [100 * correct[start:].mean() for start in starts], **line)
        if number == 0:
            ends = [bootstrap_interval(correct[start:], writers[order][start:]) for start in starts]
            low, high = 100 * np.array(ends).T
            axes.fill_between(100 * SHARES, low, high, color=line["color"], alpha=0.13, linewidth=0)
    axes.set(xlabel="rejected, %", ylabel="accuracy of the others, %")
    axes.legend(ncols=2, fontsize=7)
    return as_png(figure)


def reliability(record: Record, method: str = "lpdpl") -> bytes | None:
    """Accuracy against confidence, as PNG bytes; None where there are too few correct decisions.

    Each half of the pictures is calibrated on the other half.
    """
    found = record["pictures"][method]
    correct = np.array(found["decisions"]) == np.array(record["truth"])
    margins = np.array(found["margins"])
    half = np.random.default_rng(0).permutation(len(margins)) % 2 == 0
    if min(correct[half].sum(), correct[~half].sum()) < 2:
        return None
    confidence = cross_fitted(margins, correct, half)
    parts = np.array_split(np.argsort(confidence, kind="stable"), BINS)
    across = [100 * confidence[part].mean() for part in parts]
    up = [100 * correct[part].mean() for part in parts]
    least = min(*across, *up) - 0.5  # nearly all confidences are close to 100 %: zoom in on them
    figure, axes = new_figure(width=4.6, height=4.2)
    axes.plot([least, 100], [least, 100], color="#999", linewidth=1)
    axes.plot(across, up, **line_of(method, record) | {"linestyle": ""})
    axes.set(xlabel="confidence, %", ylabel="accuracy, %")
    return as_png(figure)


def mistakes(record: Record) -> bytes | None:
    """Misread pictures with their true class and the decision, as PNG bytes; None where there are none."""
    wrong = record.get("mistakes", [])[:MOST_MISTAKES]
    if not wrong:
        return None
    names = names_of(record)
    columns = 12
    rows = -(-len(wrong) // columns)
    figure, axes = new_figure(rows, columns, width=9, height=1.05 * rows + 0.1, squeeze=False)
    for axis in axes.ravel():
        axis.axis("off")
    for axis, mistake in zip(axes.ravel(), wrong, strict=False):
        picture = Image.open(io.BytesIO(base64.b64decode(mistake["png"])))
        axis.imshow(255 - np.asarray(picture), cmap="gray", vmin=0, vmax=255)
        decided = names[mistake["decided"]] if mistake["decided"] >= 0 else "nothing"
        axis.set_title(f"{names[mistake['truth']]} → {decided}", fontsize=8)
    return as_png(figure)
