"""The configuration of the live service: the packaged default, then what the machine's files change."""

import contextlib
import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.schema import DEFAULT_FILE, schema, unknown
from edge_lpdpl.live.config.sections import Config

SYSTEM_FILE = Path("/etc/edge-lpdpl/config.toml")

DROP_INS = "config.d"

LARGEST_FILE = 64 << 10  # bytes

_LONGEST_HOST = 253  # characters, as the DNS has it

_AT_START = {"frames", "publish", "mqtt", "metrics"}

_AT_ONCE = {("frames", "max_age_ms")}

_CAMERA_AT_START = {"number", "rotate"}


class ConfigFile:
    """One TOML file, bounded and read; every complaint names the file and the line.

    Raises:
        ConfigError: it cannot be opened, or is no TOML.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = printable(os.fsdecode(path))
        try:
            with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
                data = file.read(LARGEST_FILE + 1) or b""
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.name}: cannot be opened ({getattr(error, 'strerror', None) or error})") from error
        if len(data) > LARGEST_FILE:
            raise ConfigError(f"{self.name}: is larger than {LARGEST_FILE >> 10} KiB; is it a configuration?")
        try:
            self.text = data.decode("utf-8-sig")
            self.values: dict[str, Any] = tomllib.loads(self.text)
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise ConfigError(f"{self.name}:{line}: is not UTF-8; save it as that") from None
        except RecursionError:
            raise ConfigError(f"{self.name}: is nested too deeply") from None
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(self._syntax_fault(str(error))) from None

    def check(self) -> None:
        """Hold every key and value against the schema.

        Raises:
            ConfigError: `FILE:LINE: what is wrong`.
        """
        for section, values in self.values.items():
            if section not in schema():
                raise self.error((section,), unknown((section,)))
            if not isinstance(values, dict):
                raise self.error((section,), f"{section} is a section: write [{section}]")
            for key, value in values.items():
                if key not in schema()[section]:
                    raise self.error((section, key), unknown((section, key)))
                if fault := schema()[section][key].fault(value):
                    raise self.error((section, key), f"{key} {fault}")

    def error(self, path: tuple[str, ...], fault: str) -> ConfigError:
        """An error about what this file says of a key."""
        return ConfigError(f"{self.name}:{line_of(self.text, path)}: {fault}")

    def _syntax_fault(self, message: str) -> str:
        fault, _, place = message.rpartition(" (at ")
        words = place.rstrip(")").replace(",", "").split()
        line = words[1] if words[:1] == ["line"] else str(self.text.rstrip("\n").count("\n") + 1)
        return f"{self.name}:{line}: is no TOML: {fault or message}"


class Origins:
    """Which of several files set a key last, for complaints about values that do not fit each other."""

    def __init__(self, files: Sequence[ConfigFile]) -> None:
        self.files = files

    def error(self, section: str, key: str, fault: str) -> ConfigError:
        """An error that names the file and the line where the key was set, if in a file."""
        for file in reversed(self.files):
            if key in file.values.get(section, {}):
                return file.error((section, key), f"{key} {fault}")
        return ConfigError(f"{section}.{key} {fault}")


def config_files(path: str | os.PathLike[str] | None = None) -> list[Path]:
    """The file and the drop-ins beside it, in the order in which they count.

    Args:
        path: left out, it is /etc/edge-lpdpl/config.toml, which may be missing; a file that is named may not.

    Raises:
        ConfigError: the system does not tell whether they are there; a configuration that may not be read is not an
            empty one.
    """
    first = SYSTEM_FILE if path is None else Path(path)
    return ([first] if path is not None or _is_there(first) else []) + _drop_ins(first.parent / DROP_INS)


def _is_there(file: Path) -> bool:
    try:
        file.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _closed(file, error) from error
    return True


def _drop_ins(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(folder / entry.name for entry in entries if entry.name.endswith(".toml"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _closed(folder, error) from error


def _closed(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{printable(str(path))}: cannot be looked into ({error.strerror})")


def load_config(
    files: Iterable[str | os.PathLike[str]], changes: Mapping[str, Mapping[str, object]] | None = None
) -> Config:
    """The default, changed by files and then by `changes`, all checked.

    Args:
        files: those of `config_files`; later ones win.
        changes: sections to keys to values, such as a client asks for.

    Raises:
        ConfigError: a file cannot be read, or a key or value is wrong; names file and line.

    >>> load_config((), {"trigger": {"kind": "interval"}}).trigger.kind
    'interval'
    """
    read = [ConfigFile(path) for path in files]
    for file in read:
        file.check()
    values = {section: {key: one.default for key, one in keys.items()} for section, keys in schema().items()}
    for layer in (*(file.values for file in read), checked_changes(changes or {})):
        for section, keys in layer.items():
            values[section].update(keys)
    config = Config(**{name: _section(name, keys) for name, keys in values.items()})
    _check_together(config, Origins(read))
    return config


def checked_changes(changes: Mapping[str, Mapping[str, object]]) -> Mapping[str, Mapping[str, object]]:
    """`changes`, if all of them are settings with values that they may have.

    Raises:
        ConfigError: names the first that is wrong.
    """
    for section, keys in changes.items():
        if section not in schema() or not isinstance(keys, Mapping):
            raise ConfigError(unknown((section,)) if section not in schema() else f"{section} is a section")
        for key, value in keys.items():
            if key not in schema()[section]:
                raise ConfigError(unknown((section, key)))
            if fault := schema()[section][key].fault(value):
                raise ConfigError(f"{section}.{key} {fault}")
    return changes


def parse_change(text: str) -> dict[str, dict[str, object]]:
    """`SECTION.KEY=VALUE` as a command line has it; the value is a TOML value, or a text without its quotes.

    Raises:
        ConfigError: it is not of that form, or the setting cannot be that.

    >>> parse_change("trigger.kind=interval")
    {'trigger': {'kind': 'interval'}}
    """
    name, equals, value = text.partition("=")
    section, dot, key = name.strip().partition(".")
    if not (equals and dot):
        raise ConfigError(f"{printable(text)[:80]}: is not SECTION.KEY=VALUE, as in trigger.kind=interval")
    setting = schema().get(section, {}).get(key)
    change: dict[str, dict[str, object]] = {section: {key: value}}
    if setting is not None and not isinstance(setting.default, str):
        with contextlib.suppress(tomllib.TOMLDecodeError):  # a text, which the check refuses with the type it wants
            change[section][key] = tomllib.loads(f"value = {value.strip()}")["value"]
    checked_changes(change)
    return change


def merge_changes(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """Several `SECTION.KEY=VALUE`; later ones win.

    Raises:
        ConfigError: one of them is wrong.

    >>> merge_changes(["frames.rate=10", "frames.repeat=true"])
    {'frames': {'rate': 10, 'repeat': True}}
    """
    merged: dict[str, dict[str, object]] = {}
    for text in texts:
        for section, keys in parse_change(text).items():
            merged.setdefault(section, {}).update(keys)
    return merged


def needs_restart(old: Config, new: Config) -> list[str]:
    """Settings that differ and are taken over at the next start only, as `section.key`."""
    before, after = old.values(), new.values()
    return [
        f"{section}.{key}"
        for section, keys in after.items()
        for key, value in keys.items()
        if value != before[section][key] and acts_at_start(section, key)
    ]


def acts_at_start(section: str, key: str) -> bool:
    """Whether a setting is taken over at the start of the service only.

    >>> acts_at_start("camera", "rotate"), acts_at_start("camera", "gain")
    (True, False)
    """
    if section == "camera":
        return key in _CAMERA_AT_START
    return section in _AT_START and (section, key) not in _AT_ONCE


def as_toml(config: Config) -> str:
    """A configuration as `edge-lpdpl config show` prints it, which can be read again."""
    lines = []
    for section, keys in config.values().items():
        lines += [f"[{section}]", *(f"{key} = {_toml_value(value)}" for key, value in keys.items()), ""]
    return "\n".join(lines).rstrip()


def default_text() -> str:
    """The packaged default with its comments."""
    return DEFAULT_FILE.read_text("utf-8")


def _section(name: str, values: Mapping[str, Any]) -> Any:
    kinds = {key: type(one.default) for key, one in schema()[name].items()}
    casts: dict[type, Callable[[Any], Any]] = {float: float, list: tuple}
    typed = {key: casts.get(kinds[key], kinds[key])(value) for key, value in values.items()}
    return Config.__annotations__[name](**typed)


def _check_together(config: Config, origins: Origins) -> None:
    """What no value alone shows."""
    frames = config.frames
    for key, size in (("width", frames.width), ("height", frames.height)):
        if size % 2:
            raise origins.error("frames", key, f"is {size}, not even")
    if config.page.region:
        x, y, width, height = config.page.region
        if x + width > frames.width or y + height > frames.height or min(width, height) < 16:
            inside = f"{frames.width}x{frames.height}"
            raise origins.error("page", "region", f"is not a part of the {inside} frame of at least 16x16 pixels")
    if config.trigger.kind == "interval" and config.trigger.interval_ms * frames.rate < 1000:
        fault = f"is shorter than a frame, {1000 / frames.rate:.0f} ms at {frames.rate} a second"
        raise origins.error("trigger", "interval_ms", fault)
    exposure_ms = min(config.camera.exposure_us / 1000, 1000 / frames.rate)  # it is no longer than a frame lasts
    if exposure_ms >= frames.max_age_ms:
        fault = f"lets every frame be {exposure_ms:.0f} ms old; frames.max_age_ms is {frames.max_age_ms}: none is read"
        raise origins.error("camera", "exposure_us", fault)
    _check_places(config, origins)


def _check_places(config: Config, origins: Origins) -> None:
    """Topics and hosts that the libraries would refuse in threads of their own, or with a traceback."""
    for key, topic in (("topic", config.mqtt.topic), ("discovery", config.mqtt.discovery)):
        if any(character in topic for character in "#+\0"):
            raise origins.error("mqtt", key, "holds # or +")
    if not config.mqtt.topic.strip("/"):
        raise origins.error("mqtt", "topic", "is empty")
    for section, key, host in (("mqtt", "host", config.mqtt.host), ("metrics", "address", config.metrics.address)):
        if not _may_be_host(host):
            raise origins.error(section, key, f"is {host[:60]!r}, no name or address of a machine")


def _may_be_host(text: str) -> bool:
    """Whether a name may be looked up at all.

    >>> _may_be_host("broker.lan"), _may_be_host("::1"), _may_be_host("broker..lan")
    (True, True, False)
    """
    try:
        return len(text) <= _LONGEST_HOST and text.encode("idna") is not None
    except UnicodeError:
        return False


def _toml_value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_MOST_TRIES = 64


def line_of(text: str, path: tuple[str, ...]) -> int:
    """First line (from 1) of the statement that brings the key `path` into the document.

    A document that is cut off between two statements is a document, and one that is cut off within a statement is none;
    so the statement is found by reading beginnings of the text, with the same parser that read the whole.

    That takes a parser's run for each beginning. It is tried where a statement can begin, and so often at most that a
    file made to cost time costs a second or two; then the line may be that of a statement before it.

    Args:
        text: a document that can be read and holds `path`.

    >>> line_of("[frames]\\nwidth = 640\\n\\nheight = [\\n1]\\n", ("frames", "height"))
    4
    """
    lines = text.split("\n")
    cuts = [number for number, line in enumerate(lines) if "=" in line or line.lstrip().startswith("[")]
    cuts.append(len(lines))
    without, within = 0, len(cuts) - 1  # what is above these cuts is a document without the key, and one with it
    tries = count()
    while True:
        middle = (without + within) // 2
        ends = chain(range(middle, within), range(middle - 1, without, -1))
        found = ((end, _read(lines, cuts[end])) for end in ends if next(tries) < _MOST_TRIES)
        end, document = next(((end, read) for end, read in found if read is not None), (without, None))
        if end == without:
            return cuts[without] + 1
        if _holds(document, path):
            within = end
        else:
            without = end


def _read(lines: list[str], number: int) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines[:number]) + "\n")
    except tomllib.TOMLDecodeError:
        return None


def _holds(document: object, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
