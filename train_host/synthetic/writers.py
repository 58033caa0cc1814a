"""Synthetic writers: a random but constant style, habits for each numeral, and small differences between samples.

Lengths are in em, the side of the square in which a numeral is described, unless stated otherwise.
"""

from dataclasses import dataclass, field, fields
from typing import Any

from train_host.synthetic.dice import Array, Dice
from train_host.synthetic.strokes import Glyph, glyphs_of


def _between(low: float, high: float) -> Any:
    """A field of `Writer`, uniform between two bounds."""
    return field(metadata={"draw": lambda dice: dice.between(low, high)})


def _around(mean: float, deviation: float) -> Any:
    """A field of `Writer`, bell-shaped about a mean."""
    return field(metadata={"draw": lambda dice: dice.around(mean, deviation)})


@dataclass(frozen=True)
class Writer:
    """The style of one person, in the range that is seen on paper."""

    em: float = _between(0.28, 0.68)
    """Side of the numeral's square, as a share of the frame's side."""
    centre_x: float = _around(0.5, 0.03)
    """Average place of the square's centre in the frame, as a share of the frame's side."""
    centre_y: float = _around(0.5, 0.06)
    width: float = _around(1.0, 0.13)
    """Width of the square as a share of its height."""
    slant: float = _around(0.06, 0.09)
    """How far the top leans to the right over the height."""
    rise: float = _around(0.10, 0.09)
    """How far horizontal strokes rise over the width."""
    pen: float = _between(0.9, 1.5)
    """Width of the pen in pixels of a 64-pixel frame."""
    ink: float = _between(0.5, 0.9)
    """Grey level of a firm stroke, 0 to 1."""
    faintness: float = _between(0.0, 0.3)
    """How much of the ink is lost where the pen presses lightly, 0 to 1."""
    fade: float = _between(0.0, 0.6)
    """How much the pressure falls towards the end of a stroke, 0 to 1."""
    grain: float = _between(0.1, 0.5)
    """Roughness of ink and paper, 0 to 1."""
    roundness: float = _between(0.0, 1.0)
    """How much corners are rounded, 0 to 1."""
    tremor: float = _between(0.0, 0.007)
    """Standard deviation of the shaking of the hand."""
    bow: float = _around(0.02, 0.03)
    """How far straight strokes bend to their left-hand side, as a share of their length."""
    ticks: float = _between(0.0, 0.5)
    """Probability that a stroke begins or ends with a small hook."""
    joining: float = _between(-0.3, 0.2)
    """Probability that the pen is not fully lifted between neighbouring strokes; below 0 it never is."""
    unsteadiness: float = _between(0.7, 1.3)
    """How much one sample differs from the next; 1 is the average."""
    constancy: float = _between(0.6, 1.0)
    """Probability of writing a numeral in the usual way."""


def random_writer(dice: Dice) -> Writer:
    """A random style; the same dice give the same writer."""
    return Writer(**{one.name: one.metadata["draw"](dice) for one in fields(Writer)})


@dataclass(frozen=True)
class Habit:
    """How one writer forms one numeral: a glyph, and its control points (n, 2) float64 as this writer places them."""

    glyph: Glyph
    points: Array


def form_habit(character: str, dice: Dice) -> Habit:
    """How a writer forms one numeral, at random.

    Raises:
        DatasetError: there are no strokes for this character.
    """
    glyphs = glyphs_of(character)
    # The first glyph is the most common: of two random numbers the lower counts.
    lower = min(dice.between(0, 1), dice.between(0, 1))
    glyph = glyphs[int(lower * len(glyphs))]
    return Habit(glyph, _vary(glyph.points, glyph, dice, 1.0))


def place_points(writer: Writer, habit: Habit, dice: Dice) -> Array:
    """Control points of one sample about the origin, float64 (n, 2): the habit with random changes and the slant."""
    points = _vary(habit.points, habit.glyph, dice, 0.5 * writer.unsteadiness) - 0.5
    width = writer.width * dice.around(1.0, 0.06 * writer.unsteadiness)
    slant = writer.slant + dice.around(0.0, 0.04 * writer.unsteadiness)
    rise = writer.rise + dice.around(0.0, 0.04 * writer.unsteadiness)
    # Shears, not a rotation: slanted writing keeps its bars horizontal, and rising writing its verticals vertical.
    x = width * points[:, 0] - slant * points[:, 1]
    points[:, 1] -= rise * x
    points[:, 0] = x
    return points


def _vary(points: Array, glyph: Glyph, dice: Dice, amount: float) -> Array:
    """Bend the square, then move, stretch and rotate each stroke, then move each control point."""
    x, y = (points - 0.5).T
    bend = 0.16 * amount * dice.bell(2, 3)
    points = points + (bend[:, 0, None] * x * x + bend[:, 1, None] * x * y + bend[:, 2, None] * y * y).T
    strokes = int(glyph.stroke[-1]) + 1
    shift = 0.022 * amount * dice.bell(strokes, 2)[glyph.stroke]
    stretch = 1.0 + 0.08 * amount * dice.bell(strokes, 1)[glyph.stroke]
    turn = 0.06 * amount * dice.bell(strokes, 1)[glyph.stroke]
    first = glyph.stroke.searchsorted(range(strokes))
    last = glyph.stroke.searchsorted(range(strokes), side="right") - 1
    pivot = (0.5 * (points[first] + points[last]))[glyph.stroke]
    arm = points - pivot
    across = arm[:, ::-1] * (1.0, -1.0)
    return pivot + shift + stretch * arm + turn * across + 0.015 * amount * dice.bell(len(points), 2)
