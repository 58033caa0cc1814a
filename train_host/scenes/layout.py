"""Where characters stand on the page, before the camera's view distorts it: numerals in a row, or a number.

A number is as somebody writes it: characters of one hand, tight or apart, perhaps with points and signs, or in a form's
boxes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from edge_lpdpl.model.labels import DOTS
from edge_lpdpl.number.grammar import ALL_MARKS
from train_host.datasets.pictures import box_of
from train_host.scenes.inks import Inks
from train_host.scenes.number_texts import draw_mark, number_text, pen_of, put_marks
from train_host.scenes.options import SceneOptions
from train_host.synthetic.dice import Array, Dice

_INK = 0.3
"""Cover from which a pixel is part of a character's box."""
_LEAST_CELL = 0.5, 0.8
"""Height at least that a character takes in a column, in em: without more space than its ink nobody could read 一百."""
_DOTS_HEIGHT = 0.1
"""How far the heights of Arabic-Indic zeros differ, in heights of a digit."""


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


class Boxes(NamedTuple):
    """A row of entry boxes on the page, in pixels."""

    left: float
    top: float
    width: float
    """Of one box."""
    height: float
    boxes: int


class _Glyph(NamedTuple):
    """A character before it has its place."""

    character: str
    cover: Array
    picture: int
    """Index of its picture in the data set; -1 of a mark."""
    before: float
    """Free space before it, in pixels."""
    down: float
    """Where its middle is, in heights of a digit below that of the line."""
    ink: tuple[int, int, int, int]


def write_number(inks: Inks, options: SceneOptions, dice: Dice) -> tuple[str, list[Placed], Boxes | None]:
    """A number near the middle of the page, all characters by one writer where the data set has writers.

    Args:
        options: `fewest` and `most` characters, `gap` between them, and the shares `boxed` and `marked`.

    Returns:
        The number, its characters, points and signs from left to right, and the boxes that it is written into.
    """
    digits = _random_text(inks, options, dice)
    chosen = _same_hand(inks, digits, dice)
    gap, boxed = dice.between(*options.gap), dice.chance(options.boxed)
    # What is drawn without marks stays as it was before there were any.
    marked = options.marked > 0 and not boxed and dice.chance(options.marked)
    text = put_marks(digits, inks.dataset.labels, dice) if marked else digits
    narrow = 0.72 if all(character.isdecimal() for character in digits) else 1.0
    room = (1.3 if boxed else narrow + max(gap, 0.0)) * len(digits) + 0.45 * (len(text) - len(digits))
    largest = min(0.4 * options.height, 0.85 * options.width / room)
    em = dice.between(min(0.05 * max(options.width, options.height), largest), largest)
    boldness = dice.between(-0.8, 0.7)
    covers = [inks.draw(index, em * dice.around(1, 0.05), boldness) for index in chosen]
    heights = [bottom - top for _, top, _, bottom in map(_ink_of, covers)]
    tall = [one for one, digit in zip(heights, digits, strict=True) if digit not in DOTS]
    height = float(np.median(tall)) if narrow < 1 and tall else em
    glyphs = _glyphs(text, covers, chosen, [gap * height * dice.between(0.6, 1.4) for _ in text], height, dice)
    return text, *_place(glyphs, em, height, boxed, options, dice)


def _place(
    glyphs: Sequence[_Glyph], em: float, height: float, boxed: bool, options: SceneOptions, dice: Dice
) -> tuple[list[Placed], Boxes | None]:
    """Put the characters of a number beside each other, or into boxes of one width.

    Args:
        em: size of the characters, in pixels.
        height: of a digit as a rule, in pixels.
    """
    widths = [one.ink[2] - one.ink[0] for one in glyphs]
    highest = max(one.ink[3] - one.ink[1] for one in glyphs if one.picture >= 0)  # of the digits
    is_column = options.layout == "column"
    least = dice.between(*_LEAST_CELL) * em if is_column else 0.0
    cells = [max(width, least) for width in widths]
    pitch = max(*widths, highest * is_column) * dice.between(1.1, 1.4) if boxed else 0.0
    total = pitch * len(glyphs) if boxed else sum(cells) + sum(one.before for one in glyphs[1:])
    at = options.width / 2 - total / 2 + dice.between(-1, 1) * max(0.0, 0.44 * options.width - total / 2)
    middle = options.height / 2 + dice.between(-1, 1) * max(0.0, 0.38 * options.height - 0.6 * em - 0.1 * total)
    start, placed = at, list[Placed]()
    for number, (one, width, cell) in enumerate(zip(glyphs, widths, cells, strict=True)):
        aside = (pitch - width) / 2 + dice.around(0, 0.05) * pitch if boxed else (cell - width) / 2
        across = middle + one.down * height + 0.03 * em * float(dice.bell(1)[0])
        at += one.before if number and not boxed else 0.0
        left, top = round(at + aside - one.ink[0]), round(across - (one.ink[1] + one.ink[3]) / 2)
        placed.append(Placed(one.character, one.cover, left, top, one.picture))
        at += pitch if boxed else cell
    if not boxed:
        return placed, None
    box = pitch if is_column else highest * dice.between(1.1, 1.5)
    return placed, Boxes(start, middle - box / 2, pitch, box, len(glyphs))


def _glyphs(
    text: str, covers: list[Array], chosen: list[int], gaps: list[float], height: float, dice: Dice
) -> list[_Glyph]:
    pen = float(np.median([pen_of(cover) for cover in covers]))
    waiting = iter(zip(covers, chosen, strict=True))
    found = list[_Glyph]()
    for character, gap in zip(text, gaps, strict=True):
        if character in ALL_MARKS:
            cover, down = draw_mark(character, height, pen, dice)
            before = max(0.4 * pen, gap * dice.between(0.2, 1))
            found.append(_Glyph(character, cover, -1, before, down - 0.5, _ink_of(cover)))
            continue
        cover, picture = next(waiting)
        before = max(gap, 0.4 * pen) if found and found[-1].picture < 0 else gap
        # An Arabic-Indic zero is a dot: people put it at any height about the middle.
        down = dice.around(0.02, _DOTS_HEIGHT) if character in DOTS else 0.0
        found.append(_Glyph(character, cover, picture, before, down, _ink_of(cover)))
    return found


def print_boxes(sheet: Array, boxes: Boxes, rim_x: int, rim_y: int, dice: Dice) -> None:
    """Print a row of boxes into the sheet: thin or thick, grey or black, touching each other or not.

    Args:
        rim_x, rim_y: pixels by which the sheet reaches beyond the frame.
    """
    thickness, strength = dice.between(0.8, 2.2) * sheet.shape[1] / 960, dice.between(0.2, 0.8)
    apart = 0.05 * boxes.width if dice.chance(0.3) else 0.0
    y: Array = np.arange(sheet.shape[0], dtype=np.float64)[:, None] + 0.5
    x: Array = np.arange(sheet.shape[1], dtype=np.float64)[None] + 0.5
    top, bottom = boxes.top + rim_y, boxes.top + rim_y + boxes.height
    cover = np.zeros_like(sheet)
    for number in range(boxes.boxes):
        left = boxes.left + rim_x + number * boxes.width + apart
        right = left + boxes.width - 2 * apart
        lying, upright = _along(x, left, right, thickness), _along(y, top, bottom, thickness)
        for row in (top, bottom):
            np.maximum(cover, _across(y, row, thickness) * lying, out=cover)
        for column in (left, right):
            np.maximum(cover, _across(x, column, thickness) * upright, out=cover)
    sheet *= 1 - strength * cover


def print_underline(sheet: Array, placed: list[Placed], rim_x: int, rim_y: int, dice: Dice) -> None:
    """Print a line under a number, or through its feet: thin or thick, grey or black.

    Args:
        rim_x, rim_y: pixels by which the sheet reaches beyond the frame.
    """
    boxes = np.array([_ink_of(one.cover) for one in placed]) + [[one.left, one.top] * 2 for one in placed]
    left, right, bottom = boxes[:, 0].min() + rim_x, boxes[:, 2].max() + rim_x, np.median(boxes[:, 3]) + rim_y
    height = float(np.median(boxes[:, 3] - boxes[:, 1]))
    thickness, strength = dice.between(0.8, 2.2) * sheet.shape[1] / 960, dice.between(0.2, 0.8)
    beyond = [dice.between(0.05, 0.6) * height for _ in range(2)]
    y: Array = np.arange(sheet.shape[0], dtype=np.float64)[:, None] + 0.5
    x: Array = np.arange(sheet.shape[1], dtype=np.float64)[None] + 0.5
    line = _across(y, bottom + dice.between(-0.08, 0.35) * height, thickness)
    sheet *= 1 - strength * line * _along(x, left - beyond[0], right + beyond[1], thickness)


def _across(place: Array, line: float, thickness: float) -> Array:
    return np.clip(thickness / 2 + 0.5 - np.abs(place - line), 0, 1)


def _along(place: Array, start: float, end: float, thickness: float) -> Array:
    return np.clip(np.minimum(place - start, end - place) + 0.5 + thickness / 2, 0, 1)


def _random_text(inks: Inks, options: SceneOptions, dice: Dice) -> str:
    """A number of `fewest` to `most` characters; digits are equally likely, spoken numbers of every size."""
    labels = inks.dataset.labels
    if not any(label.value == 10 for label in labels):
        count = options.fewest + int(dice.between(0, options.most - options.fewest + 1))
        characters = {label.value: label.character for label in labels}
        return "".join(characters[int(dice.between(0, 10))] for _ in range(count))
    while True:
        text = number_text(int(10 ** dice.between(0, 9)), labels, dice)
        if options.fewest <= len(text) <= options.most:
            return text


def _same_hand(inks: Inks, text: str, dice: Dice) -> list[int]:
    """Index of a picture of each character, all by one writer who has written them."""
    dataset = inks.dataset
    labels = {label.character: target for target, label in enumerate(dataset.labels)}
    targets = [labels[character] for character in text]
    members = [np.flatnonzero(dataset.targets == target) for target in targets]
    if dataset.writers is not None:
        able = [set(dataset.writers[own].tolist()) for own in members]
        writers = sorted(set.intersection(*able))
        writer = writers[int(dice.between(0, len(writers)))]
        members = [own[dataset.writers[own] == writer] for own in members]
    return [int(own[int(dice.between(0, len(own)))]) for own in members]


def _ink_of(cover: Array) -> tuple[int, int, int, int]:
    """LEFT, TOP, RIGHT, BOTTOM of the ink."""
    return box_of(cover > _INK)
