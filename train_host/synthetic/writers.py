"""Synthetic writers: a random but constant style, habits for each numeral, and small differences between samples.

Lengths are in em, the side of the square in which a numeral is described, unless stated otherwise.
"""

from dataclasses import dataclass

from train_host.synthetic.dice import Array, Dice
from train_host.synthetic.strokes import Glyph, glyphs_of


@dataclass(frozen=True)
class Writer:
    """The style of one person.

    Attributes:
        em: side of the numeral's square, as a share of the frame's side.
        centre_x, centre_y: average place of the square's centre in the frame, as a share of the frame's side.
        width: width of the square as a share of its height.
        slant: how far the top leans to the right over the height.
        rise: how far horizontal strokes rise over the width.
        pen: width of the pen in pixels of a 64-pixel frame.
        ink: grey level of a firm stroke, 0 to 1.
        faintness: how much of the ink is lost where the pen presses lightly, 0 to 1.
        fade: how much the pressure falls towards the end of a stroke, 0 to 1.
        grain: roughness of ink and paper, 0 to 1.
        roundness: how much corners are rounded, 0 to 1.
        tremor: standard deviation of the shaking of the hand.
        bow: how far straight strokes bend to their left-hand side, as a share of their length.
        ticks: probability that a stroke begins or ends with a small hook.
        joining: probability that the pen is not fully lifted between neighbouring strokes.
        unsteadiness: how much one sample differs from the next; 1 is the average.
        constancy: probability of writing a numeral in the usual way.
    """

    em: float
    centre_x: float
    centre_y: float
    width: float
    slant: float
    rise: float
    pen: float
    ink: float
    faintness: float
    fade: float
    grain: float
    roundness: float
    tremor: float
    bow: float
    ticks: float
    joining: float
    unsteadiness: float
    constancy: float


def random_writer(dice: Dice) -> Writer:
    """A random style in the range that is seen on paper; the same dice give the same writer."""
    return Writer(
        em=dice.between(0.28, 0.68),
        centre_x=dice.around(0.5, 0.03),
        centre_y=dice.around(0.5, 0.06),
        width=dice.around(1.0, 0.13),
        slant=dice.around(0.06, 0.09),
        rise=dice.around(0.10, 0.09),
        pen=dice.between(0.9, 1.5),
        ink=dice.between(0.5, 0.9),
        faintness=dice.between(0.0, 0.3),
        fade=dice.between(0.0, 0.6),
        grain=dice.between(0.1, 0.5),
        roundness=dice.between(0.0, 1.0),
        tremor=dice.between(0.0, 0.007),
        bow=dice.around(0.02, 0.03),
        ticks=dice.between(0.0, 0.5),
        joining=max(0.0, dice.between(-0.3, 0.2)),
        unsteadiness=dice.between(0.7, 1.3),
        constancy=dice.between(0.6, 1.0),
    )


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
