"""Load the configuration of the live service: the packaged default, changed by the files of this machine."""

import contextlib
import json
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, get_args

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable
from edge_lpdpl.library.shipped import shipped_models
from edge_lpdpl.live.config.conflicts import Conflict, find_conflicts
from edge_lpdpl.live.config.schema import (
    DEFAULT_FILE,
    Mistake,
    Name,
    check_values,
    find_mistakes,
    repeated,
    schema,
    sound_part,
)
from edge_lpdpl.live.config.sections import Config

SYSTEM_FILE = Path("/etc/edge-lpdpl/config.toml")

DROP_INS = "config.d"

PAGE_FILE = "90-page.toml"
"""The drop-in that the page in the browser writes."""

PAGE_SETTINGS = {
    "page": ("region", "ink", "columns"),
    "trigger": ("kind", "sensitivity", "still_ms", "interval_ms"),
    "camera": ("exposure_us", "gain", "focus"),
    "form": ("align",),
    "field": ("name", "region", "model", "length"),
}
"""Sections and keys that the page changes; [[field]] may be repeated."""

KEPT_FILE = Path("/var/lib/edge-lpdpl-web") / PAGE_FILE
"""The same file of the system's page, whose user may write nothing else that the service reads."""

LARGEST_FILE = 64 << 10  # bytes

_MOST_FAULTS = 20  # that are told of one file: a hint for each of thousands would take minutes

_MOST_DOTS = 256  # in one line: more than in the longest name of a machine

_AT_START = {"frames", "publish", "mqtt", "metrics", "log", "collect", "action", "camera.number", "camera.rotate"}

_AT_ONCE = {"frames.max_age_ms"}

Changes = Mapping[str, Any]
"""Sections to keys to values; one that may be repeated to a list of them."""

_Layer = tuple[str, Changes]
"""What begins an error message, such as the name of a file, and what stands there."""


class Checked(NamedTuple):
    """What is wrong with configuration files, as far as one can tell."""

    faults: list[str]
    config: Config | None
    """What the sound part of the files makes; None where not all of it is known."""
    unknown: Set[Name] = frozenset()
    """Settings that have their defaults in `config` because what is given for them is wrong."""
    blame: Callable[[Conflict], str] = lambda one: f"{one.section}.{one.key} {one.fault}"
    """What is wrong in words, with the file."""


def config_files(path: str | os.PathLike[str] | None = None) -> list[Path]:
    """The configuration file and the drop-ins beside it; later ones override earlier ones.

    Args:
        path: default /etc/edge-lpdpl/config.toml, which may be missing; a named file must exist.

    Raises:
        ConfigError: the system does not tell whether they exist. A configuration that cannot be read must not count as
            an empty one.
    """
    first = SYSTEM_FILE if path is None else Path(path)
    drop_ins = first.parent / DROP_INS
    exists = path is not None or _look(os.lstat, first) is not None
    names = sorted(name for name in _look(os.listdir, drop_ins) or [] if name.endswith(".toml"))
    files = [first] * exists + [drop_ins / name for name in names]
    return [*files, KEPT_FILE] if path is None and _may_add(KEPT_FILE, files) else files


def _may_add(kept: Path, files: Sequence[Path]) -> bool:
    """Whether what the page kept is sound. The user of the page may be somebody else's by now: the file must not stop
    the service, nor change more than the page does."""
    if not kept.exists():
        return False
    try:
        layer = _read_toml(kept, "")
        load_config([*files, kept])
    except ConfigError:
        return False
    sections = ((name, keys if name in repeated() else [keys]) for name, keys in layer.items())
    given = [(name, keys) for name, all_keys in sections for keys in all_keys]
    if not all(section in PAGE_SETTINGS and {*keys} <= {*PAGE_SETTINGS[section]} for section, keys in given):
        return False
    return all(opens_no_file(keys.get("model", "")) for section, keys in given if section == "field")


def opens_no_file(model: str) -> bool:
    """Whether the model of a field is the usual one or a shipped one. Others are files, which not everybody may name.

    >>> opens_no_file("latin10"), opens_no_file("/tmp/mine.safetensors")
    (True, False)
    """
    return model in ("", *shipped_models())


def _look(how: Callable[[Path], Any], path: Path) -> Any:
    try:
        return how(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{printable(str(path))}: cannot be looked into ({error.strerror})") from error


def load_config(files: Iterable[str | os.PathLike[str]], changes: Changes | None = None) -> Config:
    """The default, changed by files and then by `changes`, all of them checked. Repeated sections of all files add up.

    Args:
        files: as from `config_files`; later ones override earlier ones.
        changes: such as a client asks for.

    Raises:
        ConfigError: a file cannot be read, or a value is wrong; names the file, the section and the key.

    >>> load_config((), {"trigger": {"kind": "interval"}}).trigger.kind
    'interval'
    """
    layers = [(place := _place(path), _read_toml(path, place)) for path in files]
    for place, layer in layers:
        check_values(layer, place)
    check_values(changes or {})
    config, blame = _merged([*layers, ("", changes or {})])
    for conflict in find_conflicts(config):
        raise ConfigError(blame(conflict))
    return config


def check_files(files: Iterable[str | os.PathLike[str]]) -> Checked:
    """Look for every mistake in configuration files. Values that contradict each other are named unless something that
    they depend on is wrong or cannot be read.

    >>> check_files(["none.toml"]).faults
    ['none.toml: cannot be opened (No such file or directory); check the path']
    """
    layers, faults, unknown, all_read = list[_Layer](), list[str](), set[Name](), True
    for path in files:
        place = _place(path)
        try:
            layer = _read_toml(path, place)
        except ConfigError as error:
            faults.append(str(error))
            all_read = False
            continue
        mistakes = list(islice(find_mistakes(layer), _MOST_FAULTS))
        faults += [place + mistake.text for mistake in mistakes]
        unknown.update(_unknown(mistakes, layers))
        layers.append((place, sound_part(layer)))
        all_read &= len(mistakes) < _MOST_FAULTS
    if not all_read:
        return Checked(faults, None)
    config, blame = _merged(layers)
    faults += [blame(conflict) for conflict in find_conflicts(config, unknown)]
    return Checked(faults, config, unknown, blame)


def _unknown(mistakes: Iterable[Mistake], before: Sequence[_Layer]) -> Iterator[Name]:
    """The settings that nobody knows because of mistakes in a layer that comes after others."""
    for mistake in mistakes:
        for section, key, place in mistake.unknown:
            already = sum(len(layer.get(section, ())) for _, layer in before)
            yield Name(section, key, None if place is None else place + already)


def merge_changes(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """Changes from `SECTION.KEY=VALUE` texts; a value is a TOML value, or a text without quotes. Later ones win.

    Raises:
        ConfigError: a text has another form, or the setting does not exist or cannot have the value.

    >>> merge_changes(["frames.rate=10", "trigger.kind=interval"])
    {'frames': {'rate': 10}, 'trigger': {'kind': 'interval'}}
    """
    merged: dict[str, dict[str, object]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        section, dot, key = name.strip().partition(".")
        if not (equals and dot):
            raise ConfigError(f"{printable(text)[:80]}: is not SECTION.KEY=VALUE, as in trigger.kind=interval")
        if section in repeated():
            raise ConfigError(f"[[{section}]] may be repeated: set it in a file")
        setting = schema().get(section, {}).get(key)
        parsed: object = value
        if setting is not None and not isinstance(setting.default, str):
            with contextlib.suppress(ValueError, RecursionError):  # a text, which the check refuses
                parsed = tomllib.loads(f"value = {value.strip()}")["value"]
        check_values({section: {key: parsed}})
        merged.setdefault(section, {})[key] = parsed
    return merged


def needs_restart(old: Config, new: Config) -> list[str]:
    """Settings that differ and take effect at the next start only, as `section.key`."""
    before, after = old.values(), new.values()
    return [
        *(
            f"{section}.{key}"
            for section in after
            if section not in repeated()
            for key, value in after[section].items()
            if value != before[section][key] and acts_at_start(section, key)
        ),
        *(f"[[{section}]]" for section in sorted(repeated() & _AT_START) if after[section] != before[section]),
    ]


def acts_at_start(section: str, key: str) -> bool:
    """Whether a setting takes effect at the start of the service only.

    >>> acts_at_start("camera", "rotate"), acts_at_start("camera", "gain")
    (True, False)
    """
    name = f"{section}.{key}"
    return bool({section, name} & _AT_START) and name not in _AT_ONCE


def as_toml(config: Config) -> str:
    """The configuration as `edge-lpdpl config show` prints it: TOML that can be loaded again."""
    sections = []
    for section, given in config.values().items():
        head, all_keys = (f"[[{section}]]", given) if section in repeated() else (f"[{section}]", [given])
        for keys in all_keys:
            lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items())
            sections.append("\n".join((head, *lines)))
    return "\n\n".join(sections)


def default_text() -> str:
    """The packaged default with its comments."""
    return DEFAULT_FILE.read_text("utf-8")


def _read_toml(path: str | os.PathLike[str], place: str) -> dict[str, Any]:
    masked = os.path.realpath(path) == os.devnull  # as systemd's files are masked
    data = b"" if masked else read_regular(path, LARGEST_FILE, ConfigError)
    try:
        if any(line.count(b".") > _MOST_DOTS for line in data.splitlines()):  # tomllib needs their square
            raise RecursionError
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"{place}line {line} is not UTF-8; save the file as UTF-8") from None
    except RecursionError:
        raise ConfigError(f"{place}is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{place}is not TOML: {error}") from None
    except ValueError:  # of int()
        raise ConfigError(f"{place}holds a number of thousands of digits") from None


def _place(path: str | os.PathLike[str]) -> str:
    return f"{printable(os.fsdecode(path))}: "


def _merged(layers: Sequence[_Layer]) -> tuple[Config, Callable[[Conflict], str]]:
    """What checked layers make together, and a function that says who is to blame for a conflict."""
    values: dict[str, Any] = {section: [] if section in repeated() else _defaults(section) for section in schema()}
    blamed: dict[str, list[str]] = {section: [] for section in repeated()}  # the place of each repeated section
    for place, layer in layers:
        for section, given in layer.items():
            if section in repeated():
                values[section] += [_defaults(section) | keys for keys in given]
                blamed[section] += [f"{place}[[{section}]] {number}: " for number in range(1, len(given) + 1)]
            else:
                values[section].update(given)

    def blame(conflict: Conflict) -> str:
        section, key, fault, number, _ = conflict
        if number is not None:
            return f"{blamed[section][number]}{key} {fault}"
        place = next((place for place, layer in reversed(layers) if key in layer.get(section, {})), "")
        return f"{place}{section}.{key} {fault}"

    return Config(**{name: _section(name, given) for name, given in values.items()}), blame


def _defaults(section: str) -> dict[str, Any]:
    return {key: setting.default for key, setting in schema()[section].items()}


def _section(name: str, values: Any) -> Any:
    if isinstance(values, list):
        return tuple(_typed(name, get_args(Config.__annotations__[name])[0], keys) for keys in values)
    return _typed(name, Config.__annotations__[name], values)


def _typed(name: str, kind: Any, values: Mapping[str, Any]) -> Any:
    casts: dict[type, Callable[[Any], Any]] = {float: float, list: tuple}
    return kind(**{key: casts.get(type(schema()[name][key].default), lambda same: same)(values[key]) for key in values})
