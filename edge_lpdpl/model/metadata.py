"""What the JSON text of a model file says: who it is, what its classes are called, how pictures become features.

The reader takes nothing that `Metadata` would not write: no key more or less, every number in its range, every text
printable (it ends up on terminals). Only `training`, `accuracy` and `calibration` may say more than is asked for.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model.json_text import canonical_json, read_json, texts
from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.settings import HogSettings, Preprocessing, parse_settings
from edge_lpdpl.model.shapes import LIMITS

FIRST_SCHEMA, NOVELTY_SCHEMA, SCHEMA = 1, 2, 3
"""Versions of the format that are read. One is raised when an older reader would misread a file; a file is of the first
that can say it all. The second adds the arrays that tell what is no numeral, the third how much nearer to its class a
reading has to be that is unsure."""

FORM = "factored"
_MAX_TEXT = 1000
_MAX_VALUE = 10**12
_NAME = re.compile(r"[a-z0-9-]{1,64}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Metadata:
    """Everything about a model but its arrays; checked when made.

    Raises:
        ModelError: a field is of the wrong type or out of its range.
        EdgeError: as `settings.parse_settings`.
    """

    name: str
    """Lower-case letters, digits and hyphens."""
    profile: str
    """Name of the settings, for people; the settings themselves count."""
    labels: tuple[Label, ...]
    """One a class, in the order of the arrays' last axis."""
    preprocessing: Preprocessing
    hog: HogSettings
    dimensions: int
    """Numbers after the projection; those of the histogram where there is none."""
    rank: int
    atoms: int
    """Columns of each dictionary that was trained."""
    constant: float
    """What is appended after the projection; 0 is nothing."""
    threshold: float
    """Decisions of less confidence are rejected."""
    false_rejects: float
    """Share of right decisions that were rejected in training."""
    unsure_share: float = 1.0
    """Distance from its class that a reading without a margin may have, where the surest may have 1. 1 in files before
    schema 3."""
    calibration: dict[str, Any]
    """`expected_calibration_error` (0..1) and what else the trainer measured."""
    training: dict[str, Any]
    """`data`, `digest`, `images`, `seed`, `settings`."""
    accuracy: dict[str, Any] | None = None
    """`value` (0..1), `protocol`, `std` (0..1 or None)."""

    def __post_init__(self) -> None:
        _check_name(self.name, "name")
        _check_name(self.profile, "profile")
        adopt(
            self,
            labels=_checked_labels(self.labels),
            preprocessing=parse_settings(Preprocessing, self.preprocessing._asdict()),
            hog=parse_settings(HogSettings, self.hog._asdict()),
            constant=_number(self.constant, "constant", 1e6),
            threshold=_number(self.threshold, "threshold"),
            false_rejects=_number(self.false_rejects, "false_rejects"),
            unsure_share=_number(self.unsure_share, "unsure_share"),
            calibration=_checked_calibration(_plain(self.calibration, "calibration")),
            training=_checked_training(_plain(self.training, "training")),
            accuracy=None if self.accuracy is None else _checked_accuracy(_plain(self.accuracy, "accuracy")),
        )
        for axis in ("dimensions", "rank", "atoms"):
            _check_whole(getattr(self, axis), axis, *LIMITS[axis])

    @property
    def schema(self) -> int:
        """Version of the format."""
        return FIRST_SCHEMA

    def to_json(self) -> dict[str, Any]:
        """The table that a file holds, but for the digest."""
        return {
            "schema": self.schema,
            "name": self.name,
            "profile": self.profile,
            "labels": [list(label) for label in self.labels],
            "preprocessing": self.preprocessing._asdict(),
            "hog": self.hog._asdict(),
            "folding": {
                "form": FORM,
                "rank": self.rank,
                "dimensions": self.dimensions,
                "constant": self.constant,
                "atoms": self.atoms,
            },
            "rejection": {name: getattr(self, name) for name in _rejection_keys(self.schema)},
            "calibration": self.calibration,
            "training": self.training,
            "accuracy": self.accuracy,
        }


def fields_from_json(table: object) -> dict[str, Any]:
    """Keyword arguments for `Metadata`, the `schema` and the `digest`, from the table that a file holds.

    Only the layout is checked here; the values check themselves when the `Metadata` is made.

    Raises:
        EdgeError: a key is missing or unknown, or a table is something else.
    """
    top = _exactly(
        table,
        "metadata",
        "schema name profile labels preprocessing hog folding rejection calibration training accuracy digest",
    )
    if type(top["schema"]) is not int or not FIRST_SCHEMA <= top["schema"] <= SCHEMA:
        raise ModelError(f"its schema is {str(top['schema'])[:20]!r}, not {FIRST_SCHEMA} to {SCHEMA}")
    folding = _exactly(top["folding"], "folding", "form rank dimensions constant atoms")
    if folding.pop("form") != FORM:
        raise ModelError(f"its folding has a form other than {FORM!r}")
    return {
        "schema": top["schema"],
        "name": top["name"],
        "profile": top["profile"],
        "labels": _labels_from_json(top["labels"]),
        "preprocessing": parse_settings(Preprocessing, top["preprocessing"]),
        "hog": parse_settings(HogSettings, top["hog"]),
        **folding,
        **_exactly(top["rejection"], "rejection", " ".join(_rejection_keys(top["schema"]))),
        "calibration": top["calibration"],
        "training": top["training"],
        "accuracy": top["accuracy"],
        "digest": top["digest"],
    }


def _rejection_keys(schema: int) -> tuple[str, ...]:
    return ("threshold", "false_rejects") + (("unsure_share",) if schema >= SCHEMA else ())


def check_not_newer(table: object) -> None:
    """Raise a ModelError for a file of a later version, whose other keys say nothing to this one."""
    schema = table.get("schema") if isinstance(table, dict) else None
    if type(schema) is int and schema > SCHEMA:
        raise ModelError(f"its schema is {schema}, newer than the {SCHEMA} known here")


def adopt(record: object, **values: object) -> None:
    """Set fields of a frozen record while it is being made."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def _exactly(table: object, what: str, keys: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ModelError(f"the {what} is not a table")
    wanted = set(keys.split())
    if table.keys() != wanted:
        unknown = [key[:40] for key in sorted(table.keys() - wanted)[:5]]
        raise ModelError(f"the {what} has unknown keys {unknown}, lacks {sorted(wanted - table.keys())}")
    return dict(table)


def _plain(table: object, what: str) -> dict[str, Any]:
    """A copy of a table as reading it from a file would give it."""
    if not isinstance(table, Mapping):
        raise ModelError(f"{what} is not a table")
    copy: dict[str, Any] = read_json(canonical_json(dict(table), what), what)
    for text in texts(copy):
        if len(text) > _MAX_TEXT or not text.isprintable():
            raise ModelError(f"{what} holds unprintable or overlong text {text[:20]!r}")
    return copy


def _labels_from_json(pairs: object) -> tuple[Label, ...]:
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ModelError("the labels are not a list of pairs")
    return tuple(Label(*pair) for pair in pairs)


def _checked_labels(labels: Sequence[Label]) -> tuple[Label, ...]:
    low, high = LIMITS["classes"]
    if not low <= len(labels) <= high:
        raise ModelError(f"{len(labels)} labels are outside {low}..{high}")
    for character, value in labels:
        if not isinstance(character, str) or not 1 <= len(character) <= 8:
            raise ModelError(f"label {str(character)[:20]!r} is not a text of 1 to 8 characters")
        if not character.isprintable() or character != character.strip():  # also stops bidirectional overrides
            raise ModelError(f"label {character!r} is unprintable")
        _check_whole(value, f"value of label {character!r}", 0, _MAX_VALUE)
    for kind, members in (("character", {label[0] for label in labels}), ("value", {label[1] for label in labels})):
        if len(members) != len(labels):
            raise ModelError(f"two labels have the same {kind}")
    return tuple(Label(*label) for label in labels)


def _checked_calibration(table: dict[str, Any]) -> dict[str, Any]:
    _number(table.get("expected_calibration_error"), "calibration: expected_calibration_error")
    return table


def _checked_training(table: dict[str, Any]) -> dict[str, Any]:
    for key in ("data", "digest"):
        if not isinstance(table.get(key), str):
            raise ModelError(f"training: {key} is not a text")
    for key in ("images", "seed"):
        _check_whole(table.get(key), f"training: {key}", 0, 2**63 - 1)
    if not isinstance(table.get("settings"), dict):
        raise ModelError("training: settings is not a table")
    return table


def _checked_accuracy(table: dict[str, Any]) -> dict[str, Any]:
    _number(table.get("value"), "accuracy: value")
    if not isinstance(table.get("protocol"), str):
        raise ModelError("accuracy: protocol is not a text")
    if table.get("std") is not None:
        _number(table["std"], "accuracy: std")
    return table


def _check_name(value: object, what: str) -> None:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ModelError(f"{what} {str(value)[:20]!r} is not 1 to 64 of a-z, 0-9 and -")


def _number(value: object, what: str, high: float = 1) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"{what} is not a number")
    if not (math.isfinite(value) and 0 <= value <= high):
        raise ModelError(f"{what} = {value:g} is outside 0..{high:g}")
    return float(value)


def _check_whole(value: object, what: str, low: int, high: int) -> None:
    if type(value) is not int:
        raise ModelError(f"{what} is not a whole number")
    if not low <= value <= high:
        raise ModelError(f"{what} = {value} is outside {low}..{high}")
