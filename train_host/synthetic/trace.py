"""The path of the pen: from the control points of a sample to a dense line with the pressure along it.

Only single additions, multiplications, divisions and square roots are used. There are no sums whose order, and no
functions whose last bit, depends on the machine or on the release of Python or NumPy.
"""

from functools import cache
from itertools import accumulate
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from train_host.synthetic.dice import Array, Dice
from train_host.synthetic.strokes import Glyph
from train_host.synthetic.writers import Writer

_SPACING = 0.025  # of path points, in em
_ROUNDING_PASSES = 10  # round corners over about 0.05 em
_TICK = 0.09  # length of the hook at a stroke's end, in em
_FARTHEST_JOIN = 0.3  # longest gap over which the pen is dragged, in em


class Trace(NamedTuple):
    """The path of the pen.

    Attributes:
        points: float64 (n, 2), x and y.
        pressure: float64 (n,), 0 to 1.
        joined: bool (n - 1,), whether the pen draws between a point and the next one.
    """

    points: Array
    pressure: Array
    joined: NDArray[np.bool_]


class _Plan(NamedTuple):
    """What all samples of a glyph share: n path points, each a weighted sum of four control points."""

    control: NDArray[np.intp]  # (n, 4)
    weight: Array  # (n, 4)
    stroke: NDArray[np.intp]  # (n,)
    segment: NDArray[np.intp]  # (n,), numbered through all strokes
    along: Array  # (n,), 0 to 1 within a straight segment, 0 on curves
    since: Array  # (n,), em since the stroke's start
    until: Array  # (n,), em to the stroke's end


def trace_strokes(glyph: Glyph, control: Array, writer: Writer, dice: Dice) -> Trace:
    """The path of a glyph's strokes through the given control points, float64 (n, 2), in the style of a writer."""
    plan = _plan(glyph)
    points = _mix(plan, control)
    _bow(points, plan, control, writer, dice)
    _round_corners(points, plan, writer.roundness)
    points += writer.tremor * _slow_noise(dice, len(points), 2, passes=3)
    _add_ticks(points, plan, writer, dice)
    pressure = 1.0 - 0.12 * np.abs(_slow_noise(dice, len(points), 1, passes=6)[:, 0])
    pressure -= writer.fade * np.maximum(0.0, 1.0 - plan.until / 0.25) * dice.unit(plan.stroke[-1] + 1)[plan.stroke]
    joined = plan.stroke[1:] == plan.stroke[:-1]
    return _join(Trace(points, np.clip(pressure, 0.1, 1.0), joined), writer, dice)


@cache
def _plan(glyph: Glyph) -> _Plan:
    rows: list[_Plan] = []
    segments = 0
    for number in range(int(glyph.stroke[-1]) + 1):
        here = np.flatnonzero(glyph.stroke == number)
        part = _plan_stroke(glyph.points[here], glyph.smooth[here])
        rows.append(
            part._replace(control=part.control + here[0], stroke=part.stroke + number, segment=part.segment + segments)
        )
        segments += len(here) - 1
    return _Plan(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def _plan_stroke(points: Array, smooth: NDArray[np.bool_]) -> _Plan:
    """A cubic Hermite spline in every segment; the tangents at a corner keep segments between corners straight."""
    last = len(points) - 1
    lengths = [sqrt(x * x + y * y) for x, y in (points[1:] - points[:-1]).tolist()]
    starts = list(accumulate(lengths, initial=0.0))
    rows = []
    for i in range(last):
        count = max(2, ceil(lengths[i] / _SPACING))
        steps = np.arange(count + (i == last - 1)) / count
        reach = np.arange(i - 1, i + 3)
        leave, arrive = _tangents(i, lengths, smooth)
        t = steps[:, None]
        weights = (1 + 2 * t) * (1 - t) ** 2 * (reach == i) + t * t * (3 - 2 * t) * (reach == i + 1)
        weights = weights + t * (1 - t) ** 2 * leave - t * t * (1 - t) * arrive
        control = np.tile(np.clip(reach, 0, last), (len(steps), 1))
        along = steps if not smooth[i] and not smooth[i + 1] else 0 * steps
        rows.append((control, weights, np.full(len(steps), i), along, starts[i] + lengths[i] * steps))
    control, weight, segment, along, since = (np.concatenate(column) for column in zip(*rows, strict=True))
    return _Plan(control, weight, np.zeros(len(since), np.intp), segment, along, since, since[-1] - since)


def _tangents(i: int, lengths: list[float], smooth: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Tangents (4,) at both ends of segment i, as weights of the control points i - 1 to i + 2."""
    chord = np.array([0.0, -1.0, 1.0, 0.0])
    leave = arrive = chord
    if smooth[i]:
        ratio = lengths[i] / lengths[i - 1]
        before = np.array([-1.0, 1.0, 0.0, 0.0])
        leave = (ratio * ratio * before + chord) / (1 + ratio)
    if smooth[i + 1]:
        ratio = lengths[i] / lengths[i + 1]
        after = np.array([0.0, 0.0, -1.0, 1.0])
        arrive = (ratio * ratio * after + chord) / (1 + ratio)
    # Between a smooth point and a corner the curve is a parabola, which needs no tangent at the corner.
    if smooth[i] and not smooth[i + 1]:
        arrive = 2 * chord - leave
    elif smooth[i + 1] and not smooth[i]:
        leave = 2 * chord - arrive
    return leave, arrive


def _mix(plan: _Plan, control: Array) -> Array:
    near = control[plan.control]
    w = plan.weight[:, :, None]
    return near[:, 0] * w[:, 0] + near[:, 1] * w[:, 1] + near[:, 2] * w[:, 2] + near[:, 3] * w[:, 3]


def _bow(points: Array, plan: _Plan, control: Array, writer: Writer, dice: Dice) -> None:
    """Bend straight segments into an arc or a slight S, in place."""
    count = int(plan.segment[-1]) + 1
    arc = (writer.bow + 0.025 * dice.bell(count))[plan.segment]
    wave = (0.03 * dice.bell(count))[plan.segment]
    chord = control[plan.control[:, 2]] - control[plan.control[:, 1]]
    t = plan.along
    height = 4 * t * (1 - t) * (arc + wave * (1 - 2 * t))
    points[:, 0] += height * chord[:, 1]
    points[:, 1] -= height * chord[:, 0]


def _round_corners(points: Array, plan: _Plan, roundness: float) -> None:
    inner = (plan.stroke[2:] == plan.stroke[:-2])[:, None]
    soft = points.copy()
    for _ in range(_ROUNDING_PASSES):
        soft[1:-1] += np.where(inner, 0.25 * (soft[2:] + soft[:-2]) - 0.5 * soft[1:-1], 0.0)
    points += roundness * (soft - points)


def _slow_noise(dice: Dice, count: int, columns: int, passes: int) -> Array:
    """Bell-shaped noise (count, columns), blurred along the path and rescaled to a deviation of about 1."""
    noise = dice.bell(count, columns)
    for _ in range(passes):
        noise[1:-1] = 0.25 * (noise[2:] + noise[:-2]) + 0.5 * noise[1:-1]
    return noise * (1.9 if passes < 5 else 2.2)


def _add_ticks(points: Array, plan: _Plan, writer: Writer, dice: Dice) -> None:
    """Add hooks in place: the pen lands above the start of a stroke and leaves below its end, with a small corner."""
    strokes = int(plan.stroke[-1]) + 1
    room = np.minimum(1.0, (plan.since + plan.until) / (4 * _TICK))  # a dot has no room for a hook
    for arc, direction in ((plan.since, -1.0), (plan.until, 1.0)):
        has_tick = dice.unit(strokes, 1) < writer.ticks
        tick = np.where(has_tick, direction * 0.05 * (0.6 + 0.5 * dice.bell(strokes, 2)) * (0.4, 1.0), 0.0)
        points += tick[plan.stroke] * (room * np.maximum(0.0, 1.0 - arc / _TICK))[:, None]


def _join(trace: Trace, writer: Writer, dice: Dice) -> Trace:
    """Let the pen drag lightly from the end of some strokes to the start of the next."""
    points, pressure, joined = trace
    lifts = np.flatnonzero(~joined)
    dragged = lifts[dice.unit(len(lifts)) < writer.joining]
    for lift in dragged[::-1]:
        gap = points[lift + 1] - points[lift]
        if np.abs(gap).max() > _FARTHEST_JOIN:
            continue
        count = max(1, ceil(float(np.abs(gap).max()) / _SPACING) - 1)
        steps = np.arange(1, count + 1)[:, None] / (count + 1)
        points = np.insert(points, lift + 1, points[lift] + steps * gap, axis=0)
        pressure = np.insert(pressure, lift + 1, np.full(count, 0.35))
        joined = np.insert(joined, lift, np.ones(count, np.bool_))
        joined[lift + count] = True
    return Trace(points, pressure, joined)
