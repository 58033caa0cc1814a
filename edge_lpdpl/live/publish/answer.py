"""The answer for programs: one object a picture or frame, as the command prints it and the service publishes it."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.line_reader import Number, Numeral
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import NO_INK

ALTERNATIVES = 2
"""How many other characters are named for a numeral, in order of score."""


def make_answer(reading: Reading, labels: Sequence[Label], file: str | None = None) -> dict[str, Any]:
    """What was read, ready for JSON; `edge_lpdpl/live/publish/message.schema.json` describes it.

    Where there is no ink at all, it has one key more, `reason`; that of a form has `fields`. Where several models read,
    each number has `model`.

    Args:
        labels: of the model, where one model reads.
        file: the picture; None for a frame of another source.

    >>> make_answer(Reading([], [], (), 100.0), (), "blank.png")
    {'file': 'blank.png', 'numbers': [], 'numerals': [], 'unread': [], 'elapsed_us': 100.0, 'reason': 'no_ink'}
    """
    known = {place: model.labels for one, model in _models(reading) for place in one.numerals}
    numerals = [_numeral(numeral, known.get(place, labels)) for place, numeral in enumerate(reading.numerals)]
    numbers = [_number(one) for one in reading.numbers]
    for shown, (_, model) in zip(numbers, _models(reading), strict=False):
        shown["model"] = model.name
    answer: dict[str, Any] = {
        "file": file,
        "numbers": numbers,
        "numerals": numerals,
        "unread": [{"box": list(map(int, one.box)), "reason": one.reason} for one in reading.unread],
        "elapsed_us": round(reading.locate_us + reading.recognise_us, 1),
    }
    if reading.fields is not None:
        places = reading.fields.items()
        answer["fields"] = {name: None if place is None else numbers[place] for name, place in places}
    return answer if numerals or reading.unread else {**answer, "reason": NO_INK}


def _models(reading: Reading) -> Iterable[tuple[Number, Model]]:
    return zip(reading.numbers, reading.models, strict=False)


def _numeral(numeral: Numeral, labels: Sequence[Label]) -> dict[str, Any]:
    read = numeral.recognition
    likeliest = [labels[index] for index in np.argsort(read.scores, kind="stable").tolist()]
    others = [label for label in likeliest if label.character != read.label][:ALTERNATIVES]
    return {
        "label": read.label,
        "value": read.value,
        "confidence": round(read.confidence, 6),
        "novelty": round(read.novelty, 6) if isfinite(read.novelty) else None,
        "rejected": bool(read.rejected),
        "reason": read.reason,
        "taught": read.taught,
        "box": list(map(int, numeral.box)),
        "alternatives": [{"label": other.character, "value": other.value} for other in others],
    }


def _number(number: Number) -> dict[str, Any]:
    return {
        "text": number.text,
        "value": number.value,
        "confidence": round(number.confidence, 6),
        "rejected": number.rejected,
        "reason": number.reason,
        "box": list(map(int, number.box)),
        "numerals": list(number.numerals),
    }
