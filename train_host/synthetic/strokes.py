"""How characters are written: reads the tables of strokes. `strokes.toml` has the numerals, and says how strokes are
described; `others.toml` has characters that are no numerals.

A glyph is one way to write a character. One that people write in several ways has several glyphs, the most common
first.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import Label

_OTHER_SHAPES = {"零": "〇"}
_OTHER_SHAPES_OF_CHEQUES = {"贰": "貳", "叁": "參", "陆": "陸", "万": "萬", "亿": "億"}
"""What half of the writers write for a class: 〇 in everyday numbers, traditional characters on cheques."""


@dataclass(frozen=True, eq=False)  # compared and hashed by identity, so that it can be a key of a cache
class Glyph:
    """One way to write a character: the control points of all its strokes in order.

    Attributes:
        points: float64 (n, 2), x and y in units of the square's side.
        smooth: bool (n,), whether the pen bends through the point instead of turning a corner; never at an end.
        stroke: intp (n,), the number of the stroke that a point belongs to, counted from 0.
    """

    points: NDArray[np.float64]
    smooth: NDArray[np.bool_]
    stroke: NDArray[np.intp]


def characters() -> tuple[str, ...]:
    """Every numeral that can be drawn.

    >>> "五" in characters() and "٥" in characters() and "5" in characters()
    True
    """
    return tuple(_texts("strokes"))


def others() -> tuple[str, ...]:
    """Every character that can be drawn and is no numeral.

    >>> "A" in others() and "人" in others() and "5" not in others()
    True
    """
    return tuple(_texts("others"))


def other_shapes(labels: Iterable[Label]) -> tuple[str, ...]:
    """What every second drawn writer writes for each of these classes; mostly their characters.

    >>> from edge_lpdpl.model.labels import CHEQUE, CHINESE
    >>> "".join(other_shapes(CHINESE)), "".join(other_shapes(CHEQUE))
    ('〇一二三四五六七八九十百千万亿', '零壹貳參肆伍陸柒捌玖拾佰仟萬億')
    """
    own = [label.character for label in labels]
    shapes = _OTHER_SHAPES if "一" in own else _OTHER_SHAPES_OF_CHEQUES
    return tuple(shapes.get(one, one) for one in own)


@cache
def glyphs_of(character: str) -> tuple[Glyph, ...]:
    """The ways to write a character, the most common first.

    Raises:
        DatasetError: there are no strokes for this character.

    >>> len(glyphs_of("三")[0].points), glyphs_of("三")[0].stroke.tolist()
    (6, [0, 0, 1, 1, 2, 2])
    """
    known = _texts("strokes") | _texts("others")
    if character not in known:
        raise DatasetError(f"no strokes are known for {character!r}; known are {''.join(known)}")
    return tuple(_parse(text) for text in known[character])


@cache
def _texts(table: str) -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name(f"{table}.toml").read_text(encoding="utf-8"))


def _parse(text: str) -> Glyph:
    strokes = [stroke.split() for stroke in text.split("/")]
    points = [[int(number) / 100 for number in point.lstrip("~").split(",")] for stroke in strokes for point in stroke]
    smooth = [point.startswith("~") for stroke in strokes for point in stroke]
    numbers = [number for number, stroke in enumerate(strokes) for _ in stroke]
    glyph = Glyph(np.array(points), np.array(smooth), np.array(numbers, np.intp))
    for array in (glyph.points, glyph.smooth, glyph.stroke):  # shared by every caller of glyphs_of
        array.setflags(write=False)
    return glyph
