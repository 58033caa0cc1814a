"""The line models that come with the package, one a script."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from edge_lpdpl.model.labels import Label
from edge_lpdpl.number.weights import CharacterWeights, LineModel, NeighbourWeights, NoiseWeights, Shape

_FOLDER = Path(__file__).parent / "shipped_lines"


def line_model(labels: Sequence[Label]) -> LineModel:
    """The line model for the script of these labels, in their order.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> len(line_model(CHINESE).shapes)
    15
    """
    characters = [label.character for label in labels]
    digits = all(character.isdecimal() for character in characters)
    table = _read("digits" if digits else "chinese")
    shapes = {text: Shape(tuple(mean), tuple(precision)) for text, (mean, precision) in table["shapes"].items()}
    usual = shapes[table["usual"]]
    return LineModel(
        CharacterWeights(**table["character"]),
        NeighbourWeights(**table["neighbour"]),
        NoiseWeights(**table["noise"]),
        tuple(shapes.get(_known(character), usual) for character in characters),
        table["widest"],
        tuple(table["sure"]),
    )


def _known(character: str) -> str:
    """The digit whose shape is used for one of another script."""
    return str(int(character)) if character.isdecimal() else character


@cache
def _read(name: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return table
