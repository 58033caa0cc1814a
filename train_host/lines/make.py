"""Labelled scenes to what is known about lines: lattices, their right paths, weights, and least confidences."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.number.grammar import marks_for
from edge_lpdpl.number.lattice import LatticeBuilder
from edge_lpdpl.number.reader import PageReader, settings_for
from edge_lpdpl.number.weights import LineModel, line_model
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.page.locator import Locator
from train_host.lines.fit import Line, fit_lines, uncounted
from train_host.lines.pictures import Labelled
from train_host.lines.score import calibrate, read_all
from train_host.samples.true_path import true_line

FEWEST = 40
"""Lines that the weights are fitted to, at least."""
FOLDS = 5
"""Parts of the pictures that are read with weights of the other parts."""


def make_lines(
    recogniser: Recogniser, pictures: Sequence[Labelled], widest: float, joined: float, turned: bool = False
) -> tuple[LineModel, int]:
    """What is known about lines, and the number of lines that it was learned from.

    Each fifth of the pictures is read with weights of the others, for the confidences.

    Args:
        pictures: scenes whose characters the recogniser has not seen.
        widest, joined: as of `LineModel`.
        turned: as of `PageReader`.

    Raises:
        DatasetError: too few of them have a right path, or it is not known where the characters of one are.
    """
    unknown = [one.file for one in pictures if not one.boxes]
    if unknown:
        remedy = "give scenes that lpdpl-train scenes drew, or --confidences"
        raise DatasetError(f"{unknown[0]}: it is not known where its characters are; {remedy}")
    classes = len(recogniser.model.labels) + len(marks_for(recogniser.model.labels))
    lines = [line_of(recogniser, one, widest, joined, turned) for one in pictures]
    known = [line for line in lines if line]
    if len(known) < FEWEST:
        raise DatasetError(f"only {len(known)} lines can be learned from; give scenes of at least {FEWEST}")
    outcomes = []
    for fold in range(FOLDS):
        others = [line for place, line in enumerate(lines) if line and place % FOLDS != fold]
        weights = fit_lines(others, classes, widest, joined)
        outcomes += read_all(pictures[fold::FOLDS], partial(PageReader, recogniser, lines=weights, turned=turned))
    found = calibrate(outcomes)
    return fit_lines(known, classes, widest, joined)._replace(**found._asdict()), len(known)


def count_anew(
    recogniser: Recogniser, pictures: Sequence[Labelled], widest: float, joined: float, turned: bool = False
) -> LineModel:
    """The shipped line model of this script, with confidences calibrated on these pictures.

    Args:
        pictures, widest, joined, turned: as of `make_lines`.

    Raises:
        DatasetError: all of their numbers are right, or all wrong.
    """
    known = line_model(recogniser.model.labels, turned)._replace(widest=widest, joined=joined)
    outcomes = read_all(pictures, partial(PageReader, recogniser, lines=uncounted(known), turned=turned))
    return known._replace(**calibrate(outcomes)._asdict())


def line_of(recogniser: Recogniser, scene: Labelled, widest: float, joined: float, turned: bool = False) -> Line | None:
    """The lattice of a scene with its right path; None where no path is right."""
    labels = recogniser.model.labels
    height, width = scene.picture.shape
    locator = Locator(height, width, settings_for(labels), backend=recogniser.backend)
    marks = marks_for(labels)
    builder = LatticeBuilder(locator, recogniser, widest, joined, bool(marks), turned)
    found = true_line(locator, builder, scene.picture, scene.boxes)
    if found is None:
        return None
    characters = [*(label.character for label in labels), *marks]
    return Line(*found, [characters.index(character) for character in scene.text])


def as_table(model: LineModel, characters: Sequence[str], usual: str) -> dict[str, Any]:
    """What `edge_lpdpl.number.weights` reads, ready for JSON.

    Args:
        usual: the character whose shape stands for those that are not listed.
    """

    def short(value: float) -> float:
        return float(f"{value:.5g}")

    def named(weights: Any) -> dict[str, float]:
        return {name: short(value) for name, value in weights._asdict().items()}

    shapes = {
        character: [[short(value) for value in values] for values in shape]
        for character, shape in zip(characters, model.shapes, strict=True)
    }
    return {
        "character": named(model.character),
        "neighbour": named(model.neighbour),
        "noise": named(model.noise),
        "widest": model.widest,
        "joined": model.joined,
        "calibration": named(model.calibration),
        "sure": [short(value) for value in model.sure],
        "usual": usual,
        "shapes": shapes,
    }
