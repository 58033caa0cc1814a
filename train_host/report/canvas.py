"""The look of all figures: font size, the curves of the methods, PNG output."""

import io
from pathlib import Path
from typing import Any

import matplotlib
from PIL import Image

from edge_lpdpl.drawing.decision import png_of
from train_host.baselines.methods import METHODS
from train_host.compare import Record
from train_host.report.tables import title_in

matplotlib.use("Agg")

from matplotlib import pyplot

OWN = ("lpdpl", "lpdpl-plain")
"""The project's own methods."""
DPI = 130
"""Pixels per inch of a saved figure."""
STYLE = Path(__file__).with_name("figures.mplstyle")


def new_figure(rows: int = 1, columns: int = 1, width: float = 7.0, height: float = 4.0, **more: Any) -> Any:
    """A figure and its axes, as from matplotlib's `subplots`. Width and height are in inches."""
    with pyplot.style.context(STYLE):
        return pyplot.subplots(rows, columns, figsize=(width, height), layout="constrained", **more)


def as_png(figure: Any) -> bytes:
    """The figure as PNG bytes, which are the same for the same figure. Closes the figure."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    pyplot.close(figure)
    # 96 colours are enough and take a third of the bytes.
    return png_of(Image.open(buffer).convert("RGB").quantize(96, dither=Image.Dither.NONE))


def line_of(method: str, record: Record) -> dict[str, Any]:
    """Style of a method's curve in a figure of a record, as arguments of matplotlib's `plot`."""
    own = method in OWN
    return {
        "color": METHODS[method].colour,
        "label": title_in(record, method),
        "linewidth": 2.2 if own else 1.2,
        "marker": "o" if own else ".",
        "markersize": 4,
        "zorder": 3 if own else 2,
    }
