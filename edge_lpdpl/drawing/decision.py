"""A picture of one decision: grey, ink, square, histogram and scores, side by side with the time that each took."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin

from edge_lpdpl.drawing import panels
from edge_lpdpl.files.atomic import DRAWN, check_drawing, write_result
from edge_lpdpl.files.pictures import PathLike
from edge_lpdpl.measure.bench import BUDGET_US, stage_times
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.numeral.steps import Steps, copy_steps

_CHART = 440
_MARGIN, _GAP, _HEAD, _TITLE, _CAPTION = 36, 28, 112, 36, 34
_ABOVE, _BELOW = _HEAD + _TITLE, _HEAD + _TITLE + panels.PANEL + 10
_WIDTH, _HEIGHT = 2 * _MARGIN + 4 * (panels.PANEL + _GAP) + _CHART, _BELOW + _CAPTION + _MARGIN - 10
_GLYPH = 72


def draw_pipeline(recogniser: Recogniser, grey: NDArray[np.uint8], polarity: str = "auto") -> Image.Image:
    """Read `grey` and draw how: the picture, its ink, the square, the histogram, the scores.

    Args:
        grey: (height, width) uint8, each side 8..4096 pixels.
        polarity: as for `Recogniser.recognise`.

    Returns:
        RGB, 1904 x 538 pixels.

    Raises:
        ImageError: the array is not such a picture.

    >>> from edge_lpdpl import Recogniser, shipped_model
    >>> recogniser = Recogniser.load(shipped_model("chinese15"))
    >>> draw_pipeline(recogniser, np.zeros((64, 64), np.uint8)).mode
    'RGB'
    """
    result = recogniser.recognise(grey, polarity)
    times = stage_times(recogniser, grey, polarity)
    steps = None if result.label is None else copy_steps(recogniser)
    glyphs = panels.Glyphs(recogniser)  # from here on the buffers hold other pictures
    sheet = Image.new("RGB", (_WIDTH, _HEIGHT), panels.GROUND)
    _draw_head(sheet, recogniser, result, steps, times["total"])
    parts = _parts(recogniser, grey, steps, result, glyphs)
    for place, (part, title, caption, stage) in enumerate(parts):
        left = _MARGIN + place * (panels.PANEL + _GAP)
        sheet.paste(part, (left, _ABOVE))
        panels.write(sheet, (left, _HEAD + 4), title, 22)
        panels.write(sheet, (left, _BELOW), caption, 18, panels.FAINT)
        if stage in times:
            panels.write(sheet, (left + part.width, _HEAD + 4), f"{times[stage]:.1f} us", 22, panels.BEST, anchor="ra")
    return sheet


def save_png(image: Image.Image, path: PathLike) -> None:
    """Write a drawing as PNG, whole or not at all.

    Raises:
        EdgeError: the name does not end in .png, the file cannot be written, or is there and no drawing.
    """
    check_drawing(path)
    write_result(path, png_of(image))


def png_of(image: Image.Image, is_drawing: bool = True) -> bytes:
    """A picture as the bytes of a PNG file. A drawing is marked as one: the next may replace it."""
    mark, file = PngImagePlugin.PngInfo(), io.BytesIO()
    if is_drawing:
        mark.add_text("Software", DRAWN.decode())
    image.save(file, "PNG", optimize=True, pnginfo=mark)
    return file.getvalue()


def _parts(
    recogniser: Recogniser, grey: NDArray[np.uint8], steps: Steps | None, result: Recognition, glyphs: panels.Glyphs
) -> list[tuple[Image.Image, str, str, str]]:
    """Every part of the row with its title, what stands below it, and the stage whose time belongs to it."""
    size = f"{grey.shape[1]} x {grey.shape[0]} pixels"
    if steps is None:
        titles = ("ink", "square", "histogram", "scores")
        stages = ("binarise", "normalise", "hog", "classify")
        widths = (panels.PANEL, panels.PANEL, _CHART)
        empty = [panels.draw_nothing(panels.PANEL), *(panels.frame(width, panels.PANEL) for width in widths)]
        rest = [(part, title, "", stage) for part, title, stage in zip(empty, titles, stages, strict=True)]
        return [(panels.draw_picture(grey), "grey", size, ""), *rest]
    side, (rows, _, bins) = len(steps.square), steps.histogram.shape
    ink = steps.ink * np.float32(255 / steps.ink.max())  # pencil on grey paper would hardly be seen
    signed = recogniser.model.hog.signed
    cells = f"{rows} x {rows} cells of {bins} {'directions' if signed else 'orientations'}"
    histogram = panels.draw_histogram(steps.histogram, steps.directions, signed)
    bars = panels.draw_bars(_CHART, recogniser.model.labels, result.scores, glyphs)
    return [
        (panels.draw_picture(grey), "grey", size, ""),
        (panels.draw_picture(ink, steps.box), "ink", "above Otsu's threshold, and grown", "binarise"),
        (panels.draw_picture(steps.square * 255), "square", f"{side} x {side}, centred and scaled", "normalise"),
        (histogram, "histogram", cells, "hog"),
        (bars, "scores", "longer is closer (eq. 12); best: orange, next: blue", "classify"),
    ]


def _draw_head(
    sheet: Image.Image, recogniser: Recogniser, result: Recognition, steps: Steps | None, total: float
) -> None:
    """The ink as it was read, the value, how sure, and how long it took."""
    top, left = 24, _MARGIN
    if steps is None or result.value is None:
        panels.write(sheet, (left, top + 14), "nothing here", 40)
    else:
        square = panels.grey_image(steps.square * 255).resize((_GLYPH, _GLYPH), Image.Resampling.LANCZOS)
        sheet.paste(square, (left, top))
        left += _GLYPH + 24
        left = panels.write_value(sheet, (left, top + _GLYPH // 2), result.value, 52) + 36
        sure = f"confidence {result.confidence:.1%}"
        sure += f", rejected: {panels.spaced(result.reason)}" if result.reason else ""
        panels.write(sheet, (left, top + 8), sure, 24)
        model = recogniser.model
        least = f"the model rejects what is below {model.threshold:.1%}"
        limit = f"novelty {result.novelty:.2f}; above 1 the model rejects it" if model.novelty is not None else least
        panels.write(sheet, (left, top + 40), limit, 18, panels.FAINT)
    right = _WIDTH - _MARGIN
    panels.write(sheet, (right, top + 2), f"{total:.0f} us", 34, panels.BEST, anchor="ra")
    about = f"the whole call; {BUDGET_US} us are allowed; model {recogniser.model.name}, {recogniser.backend}"
    panels.write(sheet, (right, top + 44), about, 18, panels.FAINT, anchor="ra")
