"""One scene: a page with writing or clutter, as the camera sees it, and its ground truth."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page.boxes import Box, upright
from train_host.scenes.camera import MARGIN, expose, look, project, shine, view
from train_host.scenes.clutter import add_edge, add_fingers, add_letters, add_shapes
from train_host.scenes.inks import Inks
from train_host.scenes.layout import Placed, lay_out, print_boxes, print_underline, write_number
from train_host.scenes.options import SceneOptions
from train_host.scenes.paper import blank_sheet, cloud, crease, rule, show_through
from train_host.synthetic.dice import Array, Dice

_CLUTTER = {"shapes": add_shapes, "letters": add_letters, "edges": add_edge, "fingers": add_fingers}
_SCENE, _UNDERLINE = 20_000, 21_000  # keep these random streams apart from those of the writers


class TruthNumeral(NamedTuple):
    """One numeral of a scene."""

    label: str
    value: int
    box: Box
    """Bounding box of its ink, in pixels of the frame."""
    source: int
    """Index of its picture in the data set."""


class TruthMark(NamedTuple):
    """A point or a sign of a scene's number."""

    label: str
    box: Box


class Scene(NamedTuple):
    """A frame and its ground truth."""

    picture: NDArray[np.uint8]
    """Frame (height, width)."""
    numerals: list[TruthNumeral]
    """In reading order."""
    number: int
    kind: str
    text: str | None = None
    """The number, where the kind is `numbers`."""
    marks: Sequence[TruthMark] = ()
    """Its points and signs, from left to right."""


def make_scene(inks: Inks, options: SceneOptions, number: int) -> Scene:
    """Scene `number` of those that the options describe; it does not depend on the other scenes.

    >>> from train_host.datasets.bundled import synthesise_dataset
    >>> inks = Inks(synthesise_dataset("writers=1,samples=1,script=latin"))
    >>> scene = make_scene(inks, SceneOptions(fewest=2, most=2), 7)
    >>> scene.picture.shape, len(scene.numerals)
    ((480, 640), 2)
    """
    if options.kind != "numbers" or options.layout == "row":
        return _make_scene(inks, options, number)
    # A number in a column is one in a row of a page that lies on its side, with characters that lie, too.
    lying = replace(options, width=options.height, height=options.width)
    scene, width = _make_scene(inks.turned, lying, number), options.width
    numerals = [one._replace(box=upright(one.box, width)) for one in scene.numerals]
    return scene._replace(picture=np.ascontiguousarray(np.rot90(scene.picture, -1)), numerals=numerals)


def _make_scene(inks: Inks, options: SceneOptions, number: int) -> Scene:
    dice = Dice(options.seed, _SCENE, number)
    kind = options.kind_of(number)
    height, width = options.height, options.width
    rim_y, rim_x = round(MARGIN * height), round(MARGIN * width)
    sheet = blank_sheet(height + 2 * rim_y, width + 2 * rim_x, dice)
    if kind == "lines" or dice.chance(0.35):
        rule(sheet, dice, 0.8 if kind == "lines" else 0.35)
    if dice.chance(0.4):
        show_through(sheet, inks, dice)
    homography = view(height, width, dice)
    placed, text = lay_out(inks, options, dice) if kind == "numerals" else [], None
    if kind == "numbers":
        text, placed, boxes = write_number(inks, options, dice)
        if boxes:
            print_boxes(sheet, boxes, rim_x, rim_y, dice)
        # With dice of its own: the same number is written with and without.
        lines = Dice(options.seed, _UNDERLINE, number)
        if lines.chance(options.underlined):
            print_underline(sheet, [one for one in placed if one.picture >= 0], rim_x, rim_y, lines)
    numerals, marks = [one for one in placed if one.picture >= 0], [one for one in placed if one.picture < 0]
    if placed:
        write(sheet, [*numerals, *marks], rim_x, rim_y, dice)
    if kind in _CLUTTER:
        _CLUTTER[kind](sheet, dice)
    light = shine(height, width, dice)
    for _ in range(int(dice.between(0, 4))):
        crease(light, dice)
    picture = expose(light * look(sheet, homography, height, width), dice)
    truth = [_truth(inks, one, homography) for one in numerals]
    signs = [TruthMark(one.character, _box(one, homography)) for one in marks]
    return Scene(picture, truth, number, kind, text, signs)


def write(sheet: Array, placed: Sequence[Placed], rim_x: int, rim_y: int, dice: Dice) -> None:
    """Put the writing on the sheet in place, all of it with one pen: from a soft pencil to a marker.

    Args:
        rim_x, rim_y: pixels by which the sheet reaches beyond the frame.
    """
    ink = dice.between(0.05, 0.3)
    rough = dice.between(0, 0.12) * cloud(sheet.shape[0], sheet.shape[1], 1.0, dice)
    for one in placed:
        top, left = one.top + rim_y, one.left + rim_x
        part = slice(top, top + one.cover.shape[0]), slice(left, left + one.cover.shape[1])
        sheet[part] += one.cover * np.clip(1 - np.abs(rough[part]), 0, 1) * (ink - sheet[part])


def _truth(inks: Inks, one: Placed, homography: Array) -> TruthNumeral:
    label = inks.label(one.picture)
    return TruthNumeral(label.character, label.value, _box(one, homography), one.picture)


def _box(one: Placed, homography: Array) -> Box:
    rows, columns = np.nonzero(one.cover > 0.5)
    points = project(np.column_stack([columns + one.left, rows + one.top]).astype(np.float64), homography)
    low, high = np.floor(points.min(axis=0)).astype(int), np.ceil(points.max(axis=0)).astype(int) + 1
    return Box(int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
