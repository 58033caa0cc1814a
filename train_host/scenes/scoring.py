"""How well a model reads scenes: which numerals it finds and reads, in which order, and its false decisions.

`draw_failures` is a picture of the scenes that were not read correctly.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from edge_lpdpl.drawing.panels import BEST, FAINT, GROUND, SECOND, TEXT, write
from edge_lpdpl.errors import DatasetError
from edge_lpdpl.number.line_reader import Numeral
from edge_lpdpl.number.pictures.confirming import ConfirmingReader
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import Recogniser, Recognition
from edge_lpdpl.page.boxes import Box
from train_host.progress import bar
from train_host.scenes.folder import KnownScene

LEAST_OVERLAP = 0.5
"""Least overlap of two boxes of the same numeral: the shared area as a share of the area of their union."""
_TILE, _GAP, _CAPTION = 400, 12, 24
_COLUMNS, MOST = 4, 24
_TRUE, _FALSE = "#38b264", "#ff5a52"
_COLOURS = {"rejected": SECOND, "right": BEST, "wrong": _FALSE, "false": _FALSE}


class Outcome(NamedTuple):
    """How one scene was read."""

    scene: KnownScene
    numerals: list[Numeral]
    truth_of: list[int | None]
    """Index of the scene's numeral that each reading matches; None where no numeral stands."""

    @property
    def verdicts(self) -> list[str]:
        """What each reading is: `rejected`, `right`, `wrong`, or `false` where no numeral stands."""
        read = [numeral.recognition for numeral in self.numerals]
        return [self._verdict(one, truth) for one, truth in zip(read, self.truth_of, strict=True)]

    def _verdict(self, read: Recognition, truth: int | None) -> str:
        if read.rejected or truth is None:
            return "rejected" if read.rejected else "false"
        return "right" if read.value == self.scene.values[truth] else "wrong"

    @property
    def right(self) -> list[int]:
        """Indices of the scene's numerals that were read correctly, in the order of the readings."""
        pairs = zip(self.truth_of, self.verdicts, strict=True)
        return [truth for truth, verdict in pairs if truth is not None and verdict == "right"]

    @property
    def is_whole(self) -> bool:
        """Whether every numeral was read correctly, in the right order, and nothing else was accepted."""
        return self.right == list(range(len(self.scene.values))) and not {"false", "wrong"}.intersection(self.verdicts)


def score_scenes(
    model: str | os.PathLike[str],
    scenes: Iterable[KnownScene],
    *,
    backend: str = "auto",
    watch: Callable[[Outcome], object] = lambda outcome: None,
) -> dict[str, Any]:
    """Read every scene with a model, as the service does, and count.

    Args:
        watch: called with every outcome.

    Returns:
        scenes, numerals; found (numerals with a box at their place), read (accepted with the right value),
        read_in_order (the most of these that are in the right order), wrong (accepted with a wrong value),
        order_errors (scenes with a numeral out of order), false_decisions (accepted where no numeral stands),
        false_by_kind (the same for each kind of scene), whole_scenes (everything correct and nothing else accepted).
        A numeral is accepted where its number is.

    Raises:
        ModelError: the model file is not valid.
        DatasetError: the scenes cannot be read, or one has a numeral that the model does not know.
    """
    recogniser = Recogniser.load(model, backend)
    known = {label.value for label in recogniser.model.labels}
    reader_of = cache(partial(ConfirmingReader, recogniser))
    counts: Counter[str] = Counter()
    by_kind: Counter[str] = Counter()
    for scene in bar("scenes", scenes):
        if unknown := sorted(set(scene.values) - known):
            values = " ".join(map(str, unknown))
            raise DatasetError(f"{scene.file}: the model does not know {values}; use scenes of its classes")
        outcome = compare(scene, as_decided(reader_of(*scene.picture.shape).read(scene.picture)))
        in_order, verdicts = longest_rise(outcome.right), Counter(outcome.verdicts)
        counts.update(
            scenes=1,
            numerals=len(scene.values),
            found=sum(truth is not None for truth in outcome.truth_of),
            read=verdicts["right"],
            read_in_order=in_order,
            wrong=verdicts["wrong"],
            order_errors=in_order < verdicts["right"],
            false_decisions=verdicts["false"],
            whole_scenes=outcome.is_whole,
        )
        by_kind[scene.kind] += verdicts["false"]
        watch(outcome)
    if not counts["scenes"]:
        raise DatasetError("there are no scenes to read")
    return {**counts, "false_by_kind": dict(by_kind)}


def as_decided(reading: Reading) -> list[Numeral]:
    """The numerals of a reading, each rejected where its number is. The recogniser may say something else of it: a
    letter may look like a digit, but no number is made of it, and neighbours speak for an unusual digit."""
    accepted = {place for number in reading.numbers if not number.rejected for place in number.numerals}
    return [
        one._replace(recognition=one.recognition._replace(rejected=place not in accepted))
        for place, one in enumerate(reading.numerals)
    ]


def compare(scene: KnownScene, numerals: Sequence[Numeral]) -> Outcome:
    """Match the readings with the scene's numerals by their boxes, the largest overlaps first."""
    pairs = sorted(
        (-overlap(numeral.box, box), place, truth)
        for place, numeral in enumerate(numerals)
        for truth, box in enumerate(scene.boxes)
    )
    truth_of: list[int | None] = [None] * len(numerals)
    for worth, place, truth in pairs:
        if -worth >= LEAST_OVERLAP and truth_of[place] is None and truth not in truth_of:
            truth_of[place] = truth
    return Outcome(scene, list(numerals), truth_of)


def overlap(one: Box, other: Box) -> float:
    """Intersection over union of two boxes.

    Both are widened on every side by a tenth of the longest side, or 4 pixels if that is more. Otherwise one pixel
    more or less would change half of the area of a thin stroke.

    >>> overlap(Box(0, 0, 100, 8), Box(0, 0, 100, 8)), overlap(Box(0, 0, 10, 10), Box(50, 50, 10, 10))
    (1.0, 0.0)
    """
    margin = max(4, max(*one[2:], *other[2:]) // 10)
    width = min(one.right, other.right) - max(one.x, other.x) + 2 * margin
    height = min(one.bottom, other.bottom) - max(one.y, other.y) + 2 * margin
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box.width + 2 * margin) * (box.height + 2 * margin) for box in (one, other)]
    return width * height / (sum(areas) - width * height)


def longest_rise(places: Sequence[int]) -> int:
    """Length of the longest increasing subsequence.

    >>> longest_rise([0, 2, 1, 3])
    3
    """
    best: list[int] = []
    for at, place in enumerate(places):
        best.append(1 + max((best[before] for before in range(at) if places[before] < place), default=0))
    return max(best, default=0)


def draw_failures(outcomes: Sequence[Outcome]) -> Image.Image:
    """A sheet of at most MOST scenes.

    Boxes are green for the true numerals, orange for correct readings, blue for rejected ones, and red for wrong or
    false ones.
    """
    outcomes = outcomes[:MOST]
    columns = max(1, min(_COLUMNS, len(outcomes)))
    tiles = [_tile(outcome) for outcome in outcomes]
    height = max((tile.height for tile in tiles), default=_TILE) + _CAPTION + _GAP
    rows = max(1, -(-len(tiles) // columns))
    sheet = Image.new("RGB", (_GAP + columns * (_TILE + _GAP), _GAP + rows * height), GROUND)
    if not tiles:
        write(sheet, (2 * _GAP, 2 * _GAP), "every scene was read correctly", 20)
    for place, (tile, outcome) in enumerate(zip(tiles, outcomes, strict=True)):
        left, top = _GAP + place % columns * (_TILE + _GAP), _GAP + place // columns * height
        sheet.paste(tile, (left, top))
        write(
            sheet, (left, top + tile.height + 2), _caption(outcome), 15, TEXT if "false" in outcome.verdicts else FAINT
        )
    return sheet


def _tile(outcome: Outcome) -> Image.Image:
    picture = Image.fromarray(outcome.scene.picture).convert("RGB")
    scale = _TILE / picture.width
    picture = picture.resize((_TILE, max(1, round(picture.height * scale))), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(picture)

    def frame(box: tuple[int, int, int, int], colour: str, room: int) -> None:
        x, y, width, height = (edge * scale for edge in box)
        draw.rectangle((x - room, y - room, x + width + room, y + height + room), outline=colour)

    for box in outcome.scene.boxes:
        frame(box, _TRUE, 1)
    for numeral, verdict in zip(outcome.numerals, outcome.verdicts, strict=True):
        frame(numeral.box, _COLOURS[verdict], 3)
        if numeral.recognition.value is not None:
            corner = round(numeral.box.x * scale), round(numeral.box.bottom * scale) + 5
            write(picture, corner, str(numeral.recognition.value), 13, _COLOURS[verdict])
    return picture


def _caption(outcome: Outcome) -> str:
    """The file, the true values and the accepted readings."""
    truth = " ".join(map(str, outcome.scene.values)) or "nothing"
    accepted = [numeral.recognition.value for numeral in outcome.numerals if not numeral.recognition.rejected]
    return f"{outcome.scene.file}: {truth}; read {' '.join(map(str, accepted)) or 'nothing'}"[:60]
