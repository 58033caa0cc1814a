"""The JSON text of a model file: the model's name, its classes, how pictures become features, how it was trained.

The reader accepts only what `Metadata` writes: no key more or less, every number in its range, every text printable (it
ends up on terminals). Only `training`, `accuracy` and `calibration` may hold further keys.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from edge_lpdpl.errors import ModelError
from edge_lpdpl.model import settings
from edge_lpdpl.model.json_text import canonical_json, read_json, texts
from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.shapes import LIMITS

FIRST_SCHEMA, NOVELTY_SCHEMA, SHARE_SCHEMA, PICTURES_SCHEMA, SCHEMA = 1, 2, 3, 4, 5
"""Versions of the format. A new one is made when an older reader would misread a file. The second adds the arrays that
detect non-numerals, the third `unsure_share`, the fourth all settings (`settings.NEW_IN_SCHEMA_4`) and a self-test of
pictures, the fifth a score for non-numerals. A model read from an older file is written as that version again, with the
same digest."""

FORM = "factored"
_MAX_TEXT = 1000
_MAX_VALUE = 10**12
_NAME = re.compile(r"[a-z0-9-]{1,64}")

_COUNT = (int, 0, 2**63 - 1)
_REPORTS: dict[str, dict[str, Any]] = {
    "calibration": {"expected_calibration_error": ()},
    "training": {"data": str, "digest": str, "images": _COUNT, "seed": _COUNT, "settings": dict},
    "accuracy": {"value": (), "protocol": str, "std": ()},
}
"""What each report of the trainer holds at least: a type, or the range of a number (`checked_number`)."""

_FOLDING = ("rank", "dimensions", "constant", "atoms")
_KEYS = ("schema", "name", "profile", "labels", "preprocessing", "hog", "folding", "rejection", *_REPORTS, "digest")

Share = Annotated[float, 0, 1]
Lead = Annotated[float, -(10**6), 10**6]


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """Everything about a model but its arrays; checked when made.

    Raises:
        ModelError: a field is of the wrong type or out of its range.
    """

    name: str
    """Lower-case letters, digits and hyphens."""
    profile: str
    """Name of the settings, for people; the settings themselves count."""
    labels: tuple[Label, ...]
    """One a class, in the order of the arrays' last axis."""
    preprocessing: settings.Preprocessing
    hog: settings.HogSettings
    dimensions: Annotated[int, *LIMITS["dimensions"]]
    """Numbers after the projection; those of the histogram where there is none."""
    rank: Annotated[int, *LIMITS["rank"]]
    atoms: Annotated[int, *LIMITS["atoms"]]
    """Columns of each dictionary that was trained."""
    constant: Annotated[float, 0, 10**6]
    """Appended after the projection; 0 is nothing."""
    threshold: Share
    """Decisions of less confidence are rejected."""
    false_rejects: Share
    """Share of right decisions that were rejected in training."""
    unsure_share: Share = 1.0
    """Distance from its class that a reading without a margin may have, where the surest may have 1. 1 in files before
    schema 3."""
    usual_lead: Lead = 0.0
    """Score of the non-numerals less that of the class that is read: that of every second right reading is greater."""
    least_lead: Lead = 0.0
    """The same of the worst reading that is accepted; as much as `usual_lead` where non-numerals have no score, as in
    files before schema 5."""
    calibration: dict[str, Any]
    """`expected_calibration_error` (0..1) and what else the trainer measured."""
    training: dict[str, Any]
    """`data`, `digest`, `images`, `seed`, `settings`."""
    accuracy: dict[str, Any] | None = None
    """`value` (0..1), `protocol`, `std` (0..1 or None)."""

    def __post_init__(self) -> None:
        for what, name in (("name", self.name), ("profile", self.profile)):
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise ModelError(f"{what} {str(name)[:20]!r} is not 1 to 64 of a-z, 0-9 and -")
        adopt(
            self,
            labels=_checked_labels(self.labels),
            preprocessing=settings.parse_settings(settings.Preprocessing, self.preprocessing._asdict()),
            hog=settings.parse_settings(settings.HogSettings, self.hog._asdict()),
            **settings.checked_numbers(Metadata, vars(self)),
            **{name: _checked_report(name, getattr(self, name)) for name in _REPORTS},
        )

    @property
    def schema(self) -> int:
        """Version of the format."""
        return FIRST_SCHEMA

    def to_json(self) -> dict[str, Any]:
        """The table that a file holds, but for the digest."""
        added = settings.NEW_IN_SCHEMA_4 if self.schema < PICTURES_SCHEMA else {}
        kept = {name: getattr(self, name)._asdict().items() for name in ("preprocessing", "hog")}
        return {
            "schema": self.schema,
            "name": self.name,
            "profile": self.profile,
            "labels": [list(label) for label in self.labels],
            **{name: {key: value for key, value in items if key not in added} for name, items in kept.items()},
            "folding": {"form": FORM} | {name: getattr(self, name) for name in _FOLDING},
            "rejection": {name: getattr(self, name) for name in _rejection_keys(self.schema)},
            **{name: getattr(self, name) for name in _REPORTS},
        }


def fields_from_json(table: object) -> dict[str, Any]:
    """Keyword arguments for `Metadata`, the `schema` and the `digest`, from the table that a file holds.

    Only the layout is checked here; `Metadata` checks the values.

    Raises:
        ModelError: a key is missing or unknown, or a table is something else.
    """
    fields = _exactly(table, "metadata", *_KEYS)
    schema, labels = fields["schema"], fields["labels"]
    if type(schema) is not int or not FIRST_SCHEMA <= schema <= SCHEMA:
        raise ModelError(f"its schema is {str(schema)[:20]!r}, not {FIRST_SCHEMA} to {SCHEMA}")
    if not isinstance(labels, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in labels):
        raise ModelError("the labels are not a list of pairs")
    folding = _exactly(fields.pop("folding"), "folding", "form", *_FOLDING)
    rejection = _exactly(fields.pop("rejection"), "rejection", *_rejection_keys(schema))
    if folding.pop("form") != FORM:
        raise ModelError(f"its folding has a form other than {FORM!r}")
    added = settings.NEW_IN_SCHEMA_4 if schema < PICTURES_SCHEMA else {}
    return {
        **fields,
        **folding,
        **rejection,
        "labels": tuple(Label(*pair) for pair in labels),
        "preprocessing": settings.parse_settings(settings.Preprocessing, fields["preprocessing"], added),
        "hog": settings.parse_settings(settings.HogSettings, fields["hog"], added),
    }


def _rejection_keys(schema: int) -> tuple[str, ...]:
    added = ((SHARE_SCHEMA, "unsure_share"), (SCHEMA, "usual_lead"), (SCHEMA, "least_lead"))
    return ("threshold", "false_rejects", *(key for since, key in added if schema >= since))


def check_not_newer(table: object) -> None:
    """Raise a ModelError for a file of a later version, whose other keys are unknown here."""
    schema = table.get("schema") if isinstance(table, dict) else None
    if type(schema) is int and schema > SCHEMA:
        raise ModelError(f"its schema is {schema}, newer than the {SCHEMA} known here")


def adopt(record: object, **values: object) -> None:
    """Set fields of a frozen record while it is being made."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def _exactly(table: object, what: str, *keys: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ModelError(f"the {what} is not a table")
    if table.keys() != set(keys):
        unknown = [key[:40] for key in sorted(table.keys() - set(keys))[:5]]
        raise ModelError(f"the {what} has unknown keys {unknown}, lacks {sorted(set(keys) - table.keys())}")
    return dict(table)


def _checked_report(name: str, table: object) -> dict[str, Any] | None:
    """A copy of a report as reading it from a file would give it."""
    if table is None and name == "accuracy":
        return None
    if not isinstance(table, Mapping):
        raise ModelError(f"{name} is not a table")
    copy: dict[str, Any] = read_json(canonical_json(dict(table), name), name)
    for text in texts(copy):
        if len(text) > _MAX_TEXT or not text.isprintable():
            raise ModelError(f"{name} holds unprintable or overlong text {text[:20]!r}")
    for key, wanted in _REPORTS[name].items():
        value = copy.get(key)
        if isinstance(wanted, type):
            if not isinstance(value, wanted):
                raise ModelError(f"{name}: {key} is not a {'text' if wanted is str else 'table'}")
        elif (key, value) != ("std", None):
            settings.checked_number(f"{name}: {key}", value, *wanted)
    return copy


def _checked_labels(labels: Sequence[Label]) -> tuple[Label, ...]:
    settings.checked_number("number of labels", len(labels), int, *LIMITS["classes"])
    for character, value in labels:
        if not isinstance(character, str) or not 1 <= len(character) <= 8:
            raise ModelError(f"label {str(character)[:20]!r} is not a text of 1 to 8 characters")
        if not character.isprintable() or character != character.strip():  # also stops bidirectional overrides
            raise ModelError(f"label {character!r} is unprintable")
        settings.checked_number(f"value of label {character!r}", value, int, 0, _MAX_VALUE)
    for kind, members in zip(("character", "value"), zip(*labels, strict=True), strict=True):
        if len(set(members)) != len(labels):
            raise ModelError(f"two labels have the same {kind}")
    return tuple(Label(*label) for label in labels)
