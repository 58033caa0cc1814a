"""Where numerals stand on the page, before the camera's view distorts it."""

from typing import NamedTuple

from train_host.scenes.inks import Inks
from train_host.scenes.options import SceneOptions
from train_host.synthetic.dice import Array, Dice


class Placed(NamedTuple):
    """A character and its place on the page."""

    character: str
    cover: Array
    """Ink on each pixel, float64 (height, width) in 0 to 1."""
    left: int
    top: int
    picture: int = -1
    """Index of its picture in the data set; -1 of a point or a sign, which no data set has."""


def lay_out(inks: Inks, options: SceneOptions, dice: Dice) -> list[Placed]:
    """Numerals in a row or a column, in reading order, centred near the middle of the page.

    The gap between two numerals is 0.25 to 0.6 em in a row and 0.9 to 1.4 em in a column. Columns need larger gaps,
    because one character may have strokes above each other that are as far apart as two characters in a row.
    """
    count = options.fewest + int(dice.between(0, options.most - options.fewest + 1))
    down = options.layout == "column" or (options.layout == "any" and dice.chance(0.5))
    long, short = (options.height, options.width) if down else (options.width, options.height)
    gap = dice.between(0.9, 1.4) if down else dice.between(0.25, 0.6)
    largest = min(0.5 * short, 0.8 * long / (count + gap * (count - 1)))
    smallest = min(max(0.07 * options.width, 28), largest)
    em = dice.between(smallest, largest)
    boldness = dice.between(-1, 0.7)
    chosen = [inks.throw(dice) for _ in range(count)]
    covers = [inks.draw(index, em * dice.around(1, 0.05), boldness) for index in chosen]
    lengths = [cover.shape[0] if down else cover.shape[1] for cover in covers]
    total = sum(lengths) + gap * em * (count - 1)
    at = long / 2 - total / 2 + dice.between(-1, 1) * max(0.0, 0.42 * long - total / 2)
    middle = short / 2 + dice.between(-1, 1) * max(0.0, 0.40 * short - 0.6 * em - 0.18 * total / 2)
    placed = []
    for index, cover, length in zip(chosen, covers, lengths, strict=True):
        across = middle + 0.04 * em * float(dice.bell(1)[0])
        left, top = (across - cover.shape[1] / 2, at) if down else (at, across - cover.shape[0] / 2)
        placed.append(Placed(inks.label(index).character, cover, round(left), round(top), index))
        at += length + gap * em * dice.between(0.85, 1.15)
    return placed
