"""From the path of the pen to pixels: the numeral's place in the frame, the line of the pen, and the paper."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from train_host.synthetic.dice import Array, Dice
from train_host.synthetic.trace import Trace
from train_host.synthetic.writers import Writer

_STEP = 0.5  # pixels between the discs that a line is made of


def fit_in_frame(trace: Trace, em: float, centre: tuple[float, float], size: int, margin: float) -> Trace:
    """Scale a path from em to pixels and put it into a frame; a path that would leave the frame is moved or shrunk.

    Args:
        trace: a path about the origin.
        em: pixels per em.
        centre: x and y of the path's origin, in pixels.
        size: side of the frame in pixels.
        margin: pixels to leave free on every side.
    """
    low, high = trace.points.min(axis=0), trace.points.max(axis=0)
    room = size - 2 * margin
    scale = min(em, room / max(float((high - low).max()), 1e-9))
    # The lower bound wins if rounding makes the bounds cross.
    start = np.maximum(np.minimum(centre + scale * low, size - margin - scale * (high - low)), margin)
    return trace._replace(points=start + scale * (trace.points - low))


def draw_line(trace: Trace, size: int, width: float) -> Array:
    """Share of each pixel that the pen covers, times its pressure, float64 (size, size) in 0 to 1.

    The line is a close sequence of discs, so that antialiasing needs no function but the square root.

    Args:
        width: of the pen in pixels.
    """
    points, pressure = _thicken(trace)
    reach = ceil(width / 2)  # the disc does not cover the middle of any pixel farther away
    offset = np.arange(-reach, reach + 1)
    corner = np.floor(points).astype(np.intp)
    columns = corner[:, 0, None] + offset
    rows = corner[:, 1, None] + offset
    away_x = columns + 0.5 - points[:, 0, None]
    away_y = rows + 0.5 - points[:, 1, None]
    distance = np.sqrt((away_x * away_x)[:, None, :] + (away_y * away_y)[:, :, None])
    cover = np.clip(width / 2 + 0.5 - distance, 0.0, 1.0) * pressure[:, None, None]
    padded = size + 2 * reach  # discs at the border reach beyond it
    place = (np.clip(rows, -reach, size + reach - 1) + reach)[:, :, None] * padded
    place = place + (np.clip(columns, -reach, size + reach - 1) + reach)[:, None, :]
    canvas = np.zeros(padded * padded)
    np.maximum.at(canvas, place.ravel(), cover.ravel())
    return canvas.reshape(padded, padded)[reach:-reach, reach:-reach]


def _thicken(trace: Trace) -> tuple[Array, Array]:
    """Points (n, 2) and pressures (n,) of the path, with points inserted so that neighbours are _STEP apart at most."""
    start, end = trace.points[:-1][trace.joined], trace.points[1:][trace.joined]
    parts = max(1, ceil(float(np.abs(end - start).max()) / _STEP))
    t = np.arange(parts + 1)[:, None, None] / parts
    points = start + t * (end - start)
    pressure = trace.pressure[:-1][trace.joined]
    pressure = pressure + t[:, :, 0] * (trace.pressure[1:][trace.joined] - pressure)
    return points.reshape(-1, 2), pressure.ravel()


def light_on_black(cover: Array, writer: Writer, dice: Dice) -> NDArray[np.uint8]:
    """The negative of a scanned form, uint8: light ink with grain, faint where the pen pressed lightly, and specks."""
    size = len(cover)
    grain = 1.0 - writer.grain * dice.unit(size, size)
    light = np.maximum(0.0, cover * grain * (1.0 + writer.faintness) - writer.faintness)
    light *= min(1.0, max(0.35, dice.around(writer.ink, 0.06)))
    light += 0.02 * (cover > 0) * dice.unit(size, size)
    specks = dice.unit(3, 3)
    for x, y, strength in specks[: int(4 * max(0.0, dice.between(-1.0, 1.0)))]:
        light[int(y * size), int(x * size)] += 0.1 + 0.3 * strength
    return _to_grey(255 * light)


def dark_on_paper(cover: Array, dice: Dice) -> NDArray[np.uint8]:
    """A camera picture, uint8: dark ink on grey paper, lit from one side, a little out of focus, with noise."""
    size = len(cover)
    ramp = (np.arange(size) + 0.5) / size - 0.5
    tilt_x, tilt_y, hollow = 14 * dice.bell(3)
    paper = dice.between(145, 205) + tilt_x * ramp + (tilt_y * ramp)[:, None]
    paper = paper + hollow * (ramp * ramp + (ramp * ramp)[:, None])
    ink = dice.between(25, 65)
    soft = np.minimum(1.0, 1.5 * cover)  # a thick pen leaves ink even with little pressure
    for _ in range(2):
        soft[1:-1] = 0.25 * (soft[2:] + soft[:-2]) + 0.5 * soft[1:-1]
        soft[:, 1:-1] = 0.25 * (soft[:, 2:] + soft[:, :-2]) + 0.5 * soft[:, 1:-1]
    return _to_grey(paper + soft * (ink - paper) + 2.5 * dice.bell(size, size))


def _to_grey(values: Array) -> NDArray[np.uint8]:
    return np.clip(values + 0.5, 0, 255).astype(np.uint8)
