"""What the evidence for a path is worth: the weights of a log-linear model, learned from drawn lines.

The evidence for a path is the sum of that of its characters and of its neighbours; `edge_lpdpl.number.evidence`
measures it. A weight is positive where more of what the field names speaks for a path.
"""

import json
from collections.abc import Sequence
from functools import cache
from math import exp, log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.model.labels import Label
from edge_lpdpl.number.grammar import marks_for

_FOLDER = Path(__file__).parent / "shipped_lines"
STRICTNESS = (1, 2, 3, 4, 5, 6, 8, 10, 20, 50)
"""Of a thousand accepted numbers, how many may be wrong."""
USUAL_STRICTNESS = 6
FAINT_SHARE = 1e-4
"""Shares and confidences nearer to 0 or 1 say no more."""
CUT_OFF = -60.0
"""What it is worth to leave out a piece that a seam has cut off: so little that only a line without any other path has
such noise. Ink that is no character is apart from those that are."""
MOST_NOVELTY = 6.0
"""A larger one says no more."""


class CharacterWeights(NamedTuple):
    """What speaks for reading a candidate as a class."""

    score: float
    """Minus the distance of the class's score from the best one."""
    clarity: float
    """Minus the logarithm of the number of classes that are about as good."""
    shape: float
    """Logarithm of how usual its size and place in the line are for the class."""
    character: float
    """Each character."""
    likeness: float
    """Minus the novelty, at most MOST_NOVELTY."""
    known: float
    """Minus the square root of the novelty above 1."""
    nearness: float
    """Minus the distance from the class, at most MOST_DISTANCE."""
    gap: float
    """Minus the widest free space inside, in sizes of a character."""
    cuts_inside: float
    """Minus the number of seams that it does not use."""
    cut: float
    """Minus the number of its sides that are cut."""
    crossed: float
    """Minus the ink that these cuts cross, in sizes of a character."""
    mark: float
    """Each point or sign. No recogniser reads it; beside its shape, only gap and cuts count."""
    mark_shape: float
    """Logarithm of how usual its size and place in the line are for the point or sign."""
    stray: float
    """Minus one for each that is read as a class though it would be no numeral if it stood alone."""


class NeighbourWeights(NamedTuple):
    """What speaks for two candidates as neighbours."""

    apart: float
    """Minus the free space between them, in sizes of a character."""
    overlap: float
    """Minus the width by which they overlap."""
    far: float
    """Minus the square of the free space."""
    level: float
    """Minus the square of how far one is above the other, off the slope of the line, times the longer side of the
    smaller one: a point is below the middle."""


class NoiseWeights(NamedTuple):
    """What speaks for leaving a piece out."""

    piece: float
    """Each piece."""
    size: float
    """Minus its longer side, in sizes of a character."""


class Shape(NamedTuple):
    """How large the characters of a class are: a normal distribution of logarithms of width and height and of the
    height of the middle above that of the line, all in sizes of a character."""

    mean: tuple[float, float, float]
    precision: tuple[float, float, float, float, float, float]
    """Inverse of the covariance: (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)."""


class Grounds(NamedTuple):
    """What the confidence of a number is computed from. Of a single numeral only the share counts; the recogniser
    judges the rest."""

    share: float
    """Of the number among all readings of its line."""
    novelty: float = 0.0
    """Largest of its numerals."""
    numeral: float = 1.0
    """Confidence of its least sure numeral."""

    @property
    def evidence(self) -> tuple[float, ...]:
        """In the order of `Calibration`: what each of its weights is multiplied by, but for the last one.

        >>> Grounds(0.5, 4.0, 0.5).evidence
        (0.0, -2.0, 0.0)
        """
        return _log_odds(self.share), -sqrt(min(MOST_NOVELTY, self.novelty)), _log_odds(self.numeral)


class Calibration(NamedTuple):
    """How often a number is right: a logistic regression (Platt, 1999) on its grounds."""

    odds: float
    """Logarithm of share / (1 - share)."""
    unlike: float
    """Minus the square root of the largest novelty, which is a distance."""
    numeral: float
    """Logarithm of the odds of the least sure numeral."""
    number: float
    """The constant term."""

    def confidence(self, grounds: Grounds) -> float:
        """How often a number with these grounds is right."""
        weighed = sum(weight * one for weight, one in zip(self, grounds.evidence, strict=False))
        return 1 / (1 + exp(-weighed - self.number))


class LineModel(NamedTuple):
    """Everything that was learned about lines."""

    character: CharacterWeights
    neighbour: NeighbourWeights
    noise: NoiseWeights
    shapes: tuple[Shape, ...]
    """One a class, then one for each point or sign of the grammar."""
    widest: float
    """Width of a part that is not cut over the size of the characters."""
    joined: float
    """Width of the widest candidate of several pieces over that size."""
    calibration: Calibration
    sure: tuple[float, ...]
    """For each of STRICTNESS, the least confidence of an accepted number."""


def line_model(labels: Sequence[Label], turned: bool = False) -> LineModel:
    """The line model for the script of these labels, in their order, and the points and signs of their grammar.
    Arabic-Indic ones have Latin shapes: ٫ is a comma at the foot, ٬ one at the top, and the zero a point at middle
    height.

    Args:
        turned: whether the lines are columns of a page that was turned by a quarter against the clock.

    Raises:
        ConfigError: they are columns of digits.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> len(line_model(CHINESE).shapes)
    15
    """
    characters = [label.character for label in labels]
    digits = all(character.isdecimal() for character in characters)
    if turned and digits:
        raise ConfigError("digits are not read in columns; give a model of Chinese characters, or leave out columns")
    table = _read("digits" if digits else "chinese_columns" if turned else "chinese")
    shapes = {text: Shape(tuple(mean), tuple(precision)) for text, (mean, precision) in table["shapes"].items()}
    usual = shapes[table["usual"]]
    if "," in shapes:
        dot = Shape((*shapes["."].mean[:2], 0.0), shapes["."].precision)
        shapes |= {"٠": dot, "٫": shapes[","], "٬": _raised(shapes[","])}
    return LineModel(
        CharacterWeights(**table["character"]),
        NeighbourWeights(**table["neighbour"]),
        NoiseWeights(**table["noise"]),
        tuple(shapes.get(one, shapes.get(_known(one), usual)) for one in [*characters, *marks_for(labels)]),
        table["widest"],
        table["joined"],
        Calibration(**table["calibration"]),
        tuple(table["sure"]),
    )


def _log_odds(share: float) -> float:
    return log(max(share, FAINT_SHARE) / max(1 - share, FAINT_SHARE))


def _known(character: str) -> str:
    """The digit whose shape is used for one of another script."""
    return str(int(character)) if character.isdecimal() else character


def _raised(shape: Shape) -> Shape:
    """The shape of what is as far above the middle of the line as another is below it."""
    (width, height, down), (ww, wh, wd, hh, hd, dd) = shape.mean, shape.precision
    return Shape((width, height, -down), (ww, wh, -wd, hh, -hd, dd))


@cache
def _read(name: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return table
