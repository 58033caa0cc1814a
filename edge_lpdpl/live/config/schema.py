"""The packaged default configuration as a schema: which keys there are, of which type, and what they may be.

What stands behind a value in that file is its constraint: `LOW..HIGH`, or `this | that`.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

DEFAULT_FILE = Path(__file__).with_name("default.toml")

_LINE = re.compile(r"(?P<key>\w+) = (?:\"[^\"]*\"|[^#]*?) *(?:# *(?P<constraint>.*))?")
_RANGE = re.compile(r"(?P<low>[\d.]+?)\.\.(?P<high>[\d.]+)")
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list of numbers"}
_LONGEST_TEXT = 4096  # characters: as long as a path may be


class Setting(NamedTuple):
    """One key of the schema."""

    default: Any
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def fault(self, value: object) -> str | None:
        """What is wrong with a value, None where nothing is.

        >>> Setting(30, 1, 120).fault(500)
        'is 500, not 1 to 120'
        """
        kind = type(self.default)
        if kind is list:
            return self._list_fault(value)
        wanted = (int, float) if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            return f"is {_shown(value)}, not {_KINDS[kind]}"
        if isinstance(value, str):
            return self._text_fault(value)
        if isinstance(value, int | float) and self.low is not None and self.high is not None:
            return None if self.low <= value <= self.high else f"is {_shown(value)}, not {self.low:g} to {self.high:g}"
        return None

    def _text_fault(self, value: str) -> str | None:
        if self.choices and value not in self.choices:
            return f"is {_shown(value)}, not one of {', '.join(self.choices)}"
        if len(value) > _LONGEST_TEXT or not value.isprintable():
            return "is too long or holds control characters"
        return None

    def _list_fault(self, value: object) -> str | None:
        if not isinstance(value, list) or len(value) not in (0, 4):
            return f"is {_shown(value)}, not a list of four numbers or none"
        one = Setting(0, self.low, self.high)
        return next((f"holds what {fault}" for fault in map(one.fault, value) if fault), None)


@cache
def schema() -> Mapping[str, Mapping[str, Setting]]:
    """Sections to keys to settings.

    >>> schema()["frames"]["width"]
    Setting(default=640, low=64.0, high=1920.0, choices=())
    """
    text = DEFAULT_FILE.read_text("utf-8")
    sections: dict[str, dict[str, Setting]] = {}
    constraints = _constraints(text)
    for section, values in tomllib.loads(text).items():
        sections[section] = {key: _setting(value, constraints[section, key]) for key, value in values.items()}
    return sections


def unknown(path: tuple[str, ...]) -> str:
    """What to say of a section or a key that there is not, with the nearest that there is.

    >>> unknown(("frames", "widht"))
    '[frames] has no widht; did you mean width?'
    """
    known: list[str] = list(schema() if len(path) == 1 else schema()[path[0]])
    near = difflib.get_close_matches(path[-1], known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
    name = path[-1] if path[-1].isprintable() else ascii(path[-1])
    return f"there is no section [{name[:60]}]; {hint}" if len(path) == 1 else f"[{path[0]}] has no {name[:60]}; {hint}"


def _constraints(text: str) -> dict[tuple[str, str], str]:
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif match := _LINE.fullmatch(line):
            found[section, match["key"]] = match["constraint"] or ""
    return found


def _setting(default: object, constraint: str) -> Setting:
    if match := _RANGE.fullmatch(constraint):
        return Setting(default, float(match["low"]), float(match["high"]))
    return Setting(default, choices=tuple(constraint.split(" | ")) if constraint else ())


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a section"
    try:
        text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    except ValueError:  # Python writes no number of more than 4300 digits, but TOML may have it in base 16
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
