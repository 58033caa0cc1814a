"""The packaged default configuration as a schema: which keys exist, the type of each, and which values it may have.

The comment behind a value in that file is its constraint: `LOW..HIGH`, or `this | that`. A section in double brackets
may be repeated. There is none by default, so the file has a pattern of it: lines that begin with a `#` without a space.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from edge_lpdpl.errors import ConfigError

DEFAULT_FILE = Path(__file__).with_name("default.toml")

_LINE = re.compile(r'(\w+) = (?:"[^"]*"|[^#]*?) *(?:# *(?:(-?[\d._]+?)\.\.([\d._]+)|(.*)))?')
_OF_PATTERNS = re.compile(r"^#(?=\S)", re.MULTILINE)
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_LONGEST_TEXT = 4096  # characters: as long as a path may be
_MOST_TEXTS = 64
_MOST_REPEATED = 32  # sections of one name in one file: each may have a thread


class Setting(NamedTuple):
    """One key of the schema. A list with bounds is one of four numbers or none, a list without bounds one of texts."""

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
            return self._fault_of_list(value)
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

    def _fault_of_list(self, value: Any) -> str | None:
        of_texts = self.low is None
        item = self._replace(default="" if of_texts else 0)
        if not isinstance(value, list) or not (len(value) <= _MOST_TEXTS if of_texts else len(value) in (0, 4)):
            return f"is {_shown(value)}, not a list of {'texts' if of_texts else 'four numbers or none'}"
        return next((f"has an item that {fault}" for fault in map(item.fault, value) if fault), None)


class Name(NamedTuple):
    """A setting of a configuration."""

    section: str
    key: str
    place: int | None = None
    """Which one of a section that is repeated, from 0."""


class Mistake(NamedTuple):
    """What is wrong with a section, a key or a value."""

    text: str
    unknown: Set[Name] = frozenset()
    """Settings whose values nobody knows because of it."""


@cache
def schema() -> Mapping[str, Mapping[str, Setting]]:
    """Sections to keys to settings.

    >>> schema()["frames"]["width"]
    Setting(default=640, low=64.0, high=1920.0, choices=())
    """
    return {name: keys[0] if isinstance(keys, list) else keys for name, keys in _sections().items()}


@cache
def repeated() -> frozenset[str]:
    """Names of the sections that may be repeated.

    >>> sorted(repeated())
    ['action', 'field']
    """
    return frozenset(name for name, keys in _sections().items() if isinstance(keys, list))


@cache
def _sections() -> Mapping[str, Any]:
    text, keys = _OF_PATTERNS.sub("", DEFAULT_FILE.read_text("utf-8")), dict[str, Any]()
    sections: dict[str, Any] = tomllib.loads(text)
    for line in text.splitlines():
        if line.startswith("["):
            section = sections[line.strip("[]")]
            keys = section[0] if isinstance(section, list) else section
        elif match := _LINE.fullmatch(line):
            key, low, high, choices = match.groups()
            setting = Setting(keys[key], choices=tuple(choices.split(" | ")) if choices else ())
            keys[key] = setting._replace(low=float(low), high=float(high)) if low else setting
    return sections


def check_values(sections: Mapping[str, Any], place: str = "") -> None:
    """Check every section, key and value against the schema.

    Args:
        place: the beginning of an error message, such as the name of the file.

    Raises:
        ConfigError: names the first section, key or value that is wrong.
    """
    for mistake in find_mistakes(sections):
        raise ConfigError(place + mistake.text)


def find_mistakes(sections: Mapping[str, Any]) -> Iterator[Mistake]:
    """What is wrong with sections, keys and values, one after the other.

    >>> [mistake.text for mistake in find_mistakes({"frames": {"rate": 500, "wdith": 2}})]
    ['frames.rate is 500, not 1 to 120', '[frames] has no wdith; did you mean width?']
    """
    for section, given in sections.items():
        if fault := _fault_of_section(section, given):
            yield Mistake(fault, {Name(section, key) for key in schema().get(section, ())})
        elif section in repeated():
            for place, keys in enumerate(given):
                yield from _mistakes_of_keys(section, keys, place)
        else:
            yield from _mistakes_of_keys(section, given)


def sound_part(sections: Mapping[str, Any]) -> dict[str, Any]:
    """Sections without everything that is wrong with them.

    >>> sound_part({"frames": {"rate": 500, "width": 320}, "farmes": {}})
    {'frames': {'width': 320}}
    """
    sound = dict[str, Any]()
    for section, given in sections.items():
        if not _fault_of_section(section, given):
            several = section in repeated()
            sound[section] = [_sound_keys(section, keys) for keys in given] if several else _sound_keys(section, given)
    return sound


def _fault_of_section(section: str, given: Any) -> str | None:
    if section not in schema():
        return f"there is no section [{_name(section)}]; {_hint(section, schema())}"
    if section not in repeated():
        return None if isinstance(given, Mapping) else f"{section} is a section: write [{section}]"
    if not isinstance(given, list) or not all(isinstance(keys, Mapping) for keys in given):
        return f"{section} is a section that may be repeated: write [[{section}]]"
    if len(given) > _MOST_REPEATED:
        return f"[[{section}]] is there {len(given)} times; {_MOST_REPEATED} are allowed"
    return None


def _mistakes_of_keys(section: str, keys: Mapping[str, Any], place: int | None = None) -> Iterator[Mistake]:
    name = f"[{section}]" if place is None else f"[[{section}]] {place + 1}"
    before = f"{section}." if place is None else f"{name}: "
    for key, value in keys.items():
        if key not in schema()[section]:  # which one is meant? One that is not given
            meant = {Name(section, other, place) for other in schema()[section].keys() - keys.keys()}
            yield Mistake(f"{name} has no {_name(key)}; {_hint(key, schema()[section])}", meant)
        elif fault := schema()[section][key].fault(value):
            yield Mistake(f"{before}{key} {fault}", {Name(section, key, place)})


def _sound_keys(section: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    known = schema()[section]
    return {key: value for key, value in keys.items() if key in known and not known[key].fault(value)}


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
