"""A folder of scenes: PNG files, and `truth.jsonl` with one line per scene."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.drawing.decision import png_of
from edge_lpdpl.errors import DatasetError
from edge_lpdpl.files.atomic import write_atomically, write_result
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.page.boxes import Box
from train_host.progress import bar
from train_host.scenes.compose import Scene, make_scene
from train_host.scenes.inks import Inks
from train_host.scenes.options import SceneOptions

TRUTH = "truth.jsonl"
_LONGEST_LINE = 1 << 20
_FARTHEST = 1 << 16
"""Largest distance of a box from the corner of its frame, in pixels."""


class KnownScene(NamedTuple):
    """A scene that is read from a folder: its frame (height, width) and the boxes and values of its numerals."""

    file: str
    picture: NDArray[np.uint8]
    boxes: list[Box]
    values: list[int]
    kind: str
    text: str | None = None
    """The number that all of them are, where the scene shows one; a character alone is one."""
    marks: Sequence[Box] = ()
    """Of the points and signs in the text."""


def write_scenes(folder: Path, inks: Inks, options: SceneOptions, count: int) -> dict[str, Any]:
    """Make scenes 0 to count - 1 and write them, the truth last. If this fails or is interrupted, nothing is left.

    Returns:
        folder, number of scenes and of numerals, name of the source.

    Raises:
        DatasetError: the folder cannot be made, or is not empty.
    """
    lines, numerals = [], 0
    with _whole_folder(folder):
        for number in bar("scenes", range(count)):
            scene = make_scene(inks, options, number)
            file = f"{number:05d}.png"
            write_result(folder / file, png_of(Image.fromarray(scene.picture), is_drawing=False))
            lines.append(json.dumps(_truth(file, scene, inks, options), ensure_ascii=False))
            numerals += len(scene.numerals)
        write_atomically(folder / TRUTH, ("\n".join(lines) + "\n").encode())
    return {"folder": str(folder), "scenes": count, "numerals": numerals, "source": inks.dataset.name}


@contextmanager
def _whole_folder(folder: Path) -> Iterator[None]:
    """A new or empty folder, restored to that state if the block fails or is interrupted."""
    is_new = not os.path.exists(folder)  # also where its name cannot be looked up
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be made ({error.strerror}); name another folder") from error
    if not is_empty:
        raise DatasetError(f"{folder}: is not empty; name a new folder")
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for path in folder.iterdir():
                path.unlink()
            if is_new:
                folder.rmdir()
        raise


def read_scenes(folder: Path) -> Iterator[KnownScene]:
    """Yield the scenes of a folder one by one.

    Raises:
        DatasetError: the truth is missing, lists no scene, or has a line that `write_scenes` does not write.
        ImageError: a picture cannot be read.
    """
    try:
        text = (folder / TRUTH).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(
            f"{folder / TRUTH}: cannot be read; give a folder that `lpdpl-train scenes` wrote"
        ) from error
    if not text:
        raise DatasetError(f"{folder / TRUTH}: lists no scene; make the scenes again")
    for place, line in enumerate(text.splitlines(), 1):
        try:
            truth: Any = json.loads(line) if len(line) <= _LONGEST_LINE else None
            file, kind = str(truth["file"]), str(truth["kind"])
            boxes = [_box(numeral["box"]) for numeral in truth["numerals"]]
            values = [int(numeral["value"]) for numeral in truth["numerals"]]
            number: Any = truth.get("text") or (truth["numerals"][0]["label"] if len(values) == 1 else None)
            marks = [_box(mark["box"]) for mark in truth.get("marks", ())]
            if number is not None and (not isinstance(number, str) or len(number) != len(values) + len(marks)):
                raise ValueError("the text is not that of the numerals")
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise DatasetError(f"{folder / TRUTH}: line {place} is not a scene; make the scenes again") from error
        if Path(file).name != file:
            raise DatasetError(f"{folder / TRUTH}: line {place} names {file[:40]!r}, which is not in the folder")
        yield KnownScene(file, read_picture(folder / file), boxes, values, kind, number, marks)


def _box(edges: Any) -> Box:
    box = Box(*map(int, edges))
    if max(map(abs, box)) > _FARTHEST:
        raise ValueError("the box lies outside of any frame")
    return box


def _truth(file: str, scene: Scene, inks: Inks, options: SceneOptions) -> dict[str, Any]:
    numerals = [
        {"label": one.label, "value": one.value, "box": list(one.box), "picture": one.source} for one in scene.numerals
    ]
    asked = asdict(options)
    return {
        "file": file,
        "kind": scene.kind,
        "text": scene.text,
        "numerals": numerals,
        "marks": [{"label": mark.label, "box": list(mark.box)} for mark in scene.marks],
        "seed": asked.pop("seed"),
        "number": scene.number,
        "source": inks.dataset.name,
        "settings": asked,
    }
