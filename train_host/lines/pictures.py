"""Labelled pictures of numbers: scenes of `lpdpl-train scenes --kind numbers`, or a folder with `numbers.csv`."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.files.text import printable
from edge_lpdpl.number.grammar import ALL_MARKS
from edge_lpdpl.number.pictures.columns import on_its_side
from edge_lpdpl.page.boxes import Box, turned
from train_host.scenes.folder import TRUTH, read_scenes

LABELS = "numbers.csv"
"""Beside the pictures: a line each, `FILE,NUMBER`, and nothing else."""


class Labelled(NamedTuple):
    """A picture that shows one number."""

    file: str
    picture: NDArray[np.uint8]
    """(height, width), grey."""
    text: str
    """The number as it is written; nothing where there is none."""
    boxes: list[Box]
    """Of its characters, where they are known."""


def read_labelled(folder: Path, columns: bool = False) -> Iterator[Labelled]:
    """The pictures of a folder.

    Args:
        columns: turn them by a quarter against the clock, so that columns of characters are rows.

    Raises:
        DatasetError: the folder has neither scenes nor `numbers.csv`, or one of them is damaged.
    """
    for one in _as_they_are(folder):
        yield _on_its_side(one) if columns else one


def _as_they_are(folder: Path) -> Iterator[Labelled]:
    if os.path.exists(folder / TRUTH):  # a folder without rights, or of too long a name, is told of below
        for scene in read_scenes(folder):
            text, numerals, marks = scene.text or "", iter(scene.boxes), iter(scene.marks)
            boxes = [next(marks if character in ALL_MARKS else numerals) for character in text]
            yield Labelled(scene.file, scene.picture, text, boxes)
        return
    for name, number in _read_labels(folder):
        yield Labelled(name, read_picture(folder / name.strip()), number, [])


def _on_its_side(one: Labelled) -> Labelled:
    boxes = [turned(box, one.picture.shape[1]) for box in one.boxes]
    return one._replace(picture=on_its_side(one.picture), boxes=boxes)


def _read_labels(folder: Path) -> list[tuple[str, str]]:
    """The pictures and numbers that `numbers.csv` lists, each picture once."""
    try:
        with open(folder / LABELS, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, ValueError, csv.Error) as error:
        remedy = "write a line FILE,NUMBER for each picture"
        raise DatasetError(
            f"{folder / LABELS}: cannot be read ({getattr(error, 'strerror', None) or error}); {remedy}"
        ) from error
    lines = dict[str, int]()
    for number, row in enumerate(rows, 1):
        if len(row) != 2 or not row[1].strip():
            raise DatasetError(f"{folder / LABELS}: line {number} is not FILE,NUMBER; write a line for each picture")
        path, named = os.path.normpath(folder / row[0].strip()), f"line {number} names {printable(row[0])}"
        if not os.path.lexists(path):
            remedy = "a line is FILE,NUMBER, and there is no header"
            raise DatasetError(f"{folder / LABELS}: {named}, which is not there; {remedy}")
        if path in lines:
            raise DatasetError(f"{folder / LABELS}: {named}, as line {lines[path]} does; leave one of them out")
        lines[path] = number
    return [(name, text.strip()) for name, text in rows]
