"""The packaged default configuration as a schema: which keys exist, the type of each, and which values it may have.

The comment behind a value in that file is its constraint: `LOW..HIGH`, or `this | that`.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from edge_lpdpl.errors import ConfigError

DEFAULT_FILE = Path(__file__).with_name("default.toml")

_LINE = re.compile(r'(\w+) = (?:"[^"]*"|[^#]*?) *(?:# *(?:([\d.]+?)\.\.([\d.]+)|(.*)))?')
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list of numbers"}
_LONGEST_TEXT = 4096  # characters: as long as a path may be


class Setting(NamedTuple):
    """One key of the schema."""

    default: Any
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value; None if nothing is.

        >>> Setting(30, 1, 120).fault(500)
        'is 500, not 1 to 120'
        """
        kind = type(self.default)
        if kind is list:
            if not isinstance(value, list) or len(value) not in (0, 4):
                return f"is {_shown(value)}, not a list of four numbers or none"
            one = self._replace(default=0)
            return next((f"has an item that {fault}" for fault in map(one.fault, value) if fault), None)
        wanted = int | float if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            return f"is {_shown(value)}, not {_KINDS[kind]}"
        if self.choices and value not in self.choices:
            return f"is {_shown(value)}, not one of {', '.join(self.choices)}"
        if isinstance(value, str) and (len(value) > _LONGEST_TEXT or not value.isprintable()):
            return "is too long or holds control characters"
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            return f"is {_shown(value)}, not {self.low:g} to {self.high:g}"
        return None


@cache
def schema() -> Mapping[str, Mapping[str, Setting]]:
    """Sections to keys to settings.

    >>> schema()["frames"]["width"]
    Setting(default=640, low=64.0, high=1920.0, choices=())
    """
    text, section = DEFAULT_FILE.read_text("utf-8"), ""
    sections: dict[str, dict[str, Any]] = tomllib.loads(text)
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif match := _LINE.fullmatch(line):
            key, low, high, choices = match.groups()
            setting = Setting(sections[section][key], choices=tuple(choices.split(" | ")) if choices else ())
            sections[section][key] = setting._replace(low=float(low), high=float(high)) if low else setting
    return sections


def check_values(sections: Mapping[str, Any], place: str = "") -> None:
    """Check every section, key and value against the schema.

    Args:
        place: the beginning of an error message, such as the name of the file.

    Raises:
        ConfigError: names the first section, key or value that is wrong.
    """
    for section, keys in sections.items():
        if section not in schema():
            raise ConfigError(f"{place}there is no section [{_name(section)}]; {_hint(section, schema())}")
        if not isinstance(keys, Mapping):
            raise ConfigError(f"{place}{section} is a section: write [{section}]")
        for key, value in keys.items():
            if key not in schema()[section]:
                raise ConfigError(f"{place}[{section}] has no {_name(key)}; {_hint(key, schema()[section])}")
            if fault := schema()[section][key].fault(value):
                raise ConfigError(f"{place}{section}.{key} {fault}")


def _hint(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def _name(text: str) -> str:
    return (text if text.isprintable() else ascii(text))[:60]


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a section"
    try:
        text = str(value).lower() if isinstance(value, bool) else repr(value)
    except ValueError:  # Python writes no number of more than 4300 digits, but TOML may have it in base 16
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
