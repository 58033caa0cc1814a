"""The named fields of a form, and what is wrong with them."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.form.sheet import PAPERS, QUIET, Area, mark_areas
from edge_lpdpl.model.labels import Label
from edge_lpdpl.number.constraints import Constraints, check_marks, digits_of_limits

MARGIN = 2.5
"""Millimetres around a field that are read with it, because a printed sheet is never quite flat."""
LEAST_SIDE, LEAST_PIXELS = 5.0, 16
"""Of a field: millimetres on a sheet, and pixels of a frame."""
LONGEST_NAME, MOST_FIELDS = 40, 32


class Field(NamedTuple):
    """One field of a form."""

    name: str
    """Key of its number in the answer; printed above it."""
    area: Area
    """Millimetres on the sheet, or pixels of the frame for a form without marks."""
    constraints: Constraints | None = None
    """What is known about its number."""
    boxes: int = 0
    """Entry boxes to print, one for each character; 0 for one long box."""
    model: str = ""
    """Name of a shipped model, or a file, that reads it; "" for the usual one."""


class Fault(NamedTuple):
    """What is wrong with a field."""

    field: int
    """Its place in the list."""
    key: str
    text: str
    other: int | None = None
    """The field that it is too near to, or whose name it has."""


def find_faults(fields: Sequence[Field], paper: str | None, frame: tuple[int, int] | None = None) -> Iterator[Fault]:
    """What is wrong with fields: too many, equal names, regions that lie outside, are too small or overlap.

    Args:
        paper: of the sheet, or None where regions are pixels of the frame.
        frame: (height, width) in pixels, for regions of the frame.

    >>> fields = [Field("age", Area(30, 40, 30, 12)), Field("score", Area(55, 40, 30, 12))]
    >>> next(find_faults(fields, "A4")).text
    'is less than 2.5 mm away from that of age'
    """
    names = [field.name for field in fields]
    yield from faults_of_names(names)
    yield from faults_of_areas([field.area for field in fields[:MOST_FIELDS]], names, paper, frame)


def faults_of_names(names: Sequence[str]) -> Iterator[Fault]:
    """What is wrong with the names of fields.

    >>> [fault.text for fault in faults_of_names(["age", "", "age"])]
    ["is '', not a text of 1 to 40 characters", "is 'age', as that of another field"]
    """
    for place, name in enumerate(names[:MOST_FIELDS]):
        if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            yield Fault(place, "name", f"is {name[:60]!r}, not a text of 1 to {LONGEST_NAME} characters")
        elif name in names[:place]:
            yield Fault(place, "name", f"is {name!r}, as that of another field", names.index(name))
    if len(names) > MOST_FIELDS:
        text = f"is that of field {MOST_FIELDS + 1}: a form has at most {MOST_FIELDS}"
        yield Fault(MOST_FIELDS, "name", text)


def faults_of_areas(
    areas: Sequence[Area | None], names: Sequence[str], paper: str | None, frame: tuple[int, int] | None = None
) -> Iterator[Fault]:
    """What is wrong with the regions of fields, as `find_faults`; None where one is not known."""
    margin, unit = (MARGIN, f"less than {MARGIN} mm away from") if paper else (0.0, "not apart from")
    for place, area in enumerate(areas):
        if area is None:
            continue
        if text := _fault_of_area(area, paper, frame):
            yield Fault(place, "region", text)
        for other, its_area in enumerate(areas[:place]):
            if its_area is not None and area.grown(margin).overlaps(its_area):
                yield Fault(place, "region", f"is {unit} that of {names[other]}", other)


def _fault_of_area(area: Area, paper: str | None, frame: tuple[int, int] | None) -> str | None:
    if paper is None:
        height, width = frame or (0, 0)
        if frame and (min(area[:2]) < 0 or area.right > width or area.bottom > height):
            return f"is not inside of the {width}x{height} frame"
        return f"has a side below {LEAST_PIXELS} pixels" if min(area[2:]) < LEAST_PIXELS else None
    if min(area[2:]) < LEAST_SIDE:
        return f"has a side below {LEAST_SIDE:g} mm"
    across, down = PAPERS[paper]
    if min(area[:2]) < MARGIN or area.right > across - MARGIN or area.bottom > down - MARGIN:
        return f"is not inside of the paper {paper}, {across:g} x {down:g} mm with a margin of {MARGIN} mm"
    if any(area.overlaps(mark.grown(QUIET)) for mark in mark_areas(paper)):
        return f"is less than {QUIET:g} mm away from a mark in a corner"
    return None


def find_unreadable(constraints: Constraints | None, boxes: int, labels: Sequence[Label], model: str) -> Iterator[str]:
    """Why a model cannot read the number of a field: it lacks a character that the number may need, or a point, or
    there are too few boxes. A text begins with a key.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> next(find_unreadable(Constraints(minimum=100), 0, CHINESE[:11], "small"))
    'model is small, which lacks a character of value 100'
    """
    known, limits = {label.value for label in labels}, constraints or Constraints()
    try:
        check_marks(limits, {model: labels})
    except ConfigError as error:
        yield str(error)
    needed = set(range(10))
    if limits.maximum is not None and 0 <= limits.maximum < 10 and (limits.minimum or 0) >= 0:
        needed = set(range(limits.minimum or 0, limits.maximum + 1))
    if 10 in known:  # a spoken number: each place up to its greatest value has a word
        least = max(limits.minimum or 0, 10 ** ((limits.length or 1) - 1))
        needed |= {place for place in (10, 100, 1000, 10**4, 10**8) if place <= max(least, limits.maximum or 0)}
    if lacking := sorted(needed - known):
        yield f"model is {model}, which lacks a character of value {lacking[0]}"
    digits, why = _least_digits(limits)
    if 10 not in known and 0 < boxes < digits:
        yield f"boxes is {boxes}, too few for {why}"


def _least_digits(limits: Constraints) -> tuple[int, str]:
    """How many digits the number of a field has at least, and what says so. A point may stand between two boxes.

    >>> _least_digits(Constraints(minimum=100, decimals=1))
    (4, 'the minimum 100 with decimals = 1')
    """
    decimals = limits.decimals or 0
    behind = f" with decimals = {decimals}" if decimals else ""
    reasons = [(limits.length or 0, f"the length {limits.length}"), (1 + decimals, f"decimals = {decimals}")]
    for key, limit, digits in digits_of_limits(limits.minimum, limits.maximum, decimals):
        reasons.append((digits, f"the {key} {limit}{behind}"))
    return max(reasons, key=itemgetter(0))
