"""Settings that were tried on the page become a file of the configuration, and can be taken back."""

import contextlib
import json
import tomllib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.atomic import blaming, write_atomically
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.live.config.loading import LARGEST_FILE, PAGE_FILE, PAGE_SETTINGS, load_config
from edge_lpdpl.live.config.schema import schema

_HEAD = (
    f"# Written by the page (`edge-lpdpl web`, keep). Files of config.d with a name behind {PAGE_FILE} override it.\n"
)
_MOST_STEPS = 16

Settings = dict[str, Any]


class Keeping:
    """The file that the page writes.

    Args:
        path: of the file; its folder must exist.
        files: the other files of the configuration, with which it must agree; called for each `keep`.
    """

    def __init__(self, path: Path, files: Callable[[], Sequence[Path]] = lambda: ()) -> None:
        self.path, self._files = path, files
        self._steps: list[tuple[bytes | None, dict[str, Any]]] = []

    @property
    def can_undo(self) -> bool:
        return bool(self._steps)

    def keep(self, before: dict[str, Any], now: Settings, frame: dict[str, int]) -> None:
        """Write the settings that the page has changed, and those that it kept before.

        Args:
            before: the ones that it has changed, as `set` takes them: to go back to with `undo`.
            now: all that are in force.
            frame: width and height of the frames, by which the region is checked.

        Raises:
            ConfigError: they contradict each other, none was changed, or the file cannot be written; nothing is
                changed then.
        """
        old = self._read()
        wanted = {*before, *self._names_in(old)}
        if not wanted:
            raise ConfigError("nothing was changed on this page that could be kept")
        others = [path for path in self._files() if path != self.path]
        chosen = chosen_of(now, wanted)
        if "field" in chosen:
            chosen["field"] = _without(chosen["field"], load_config(others).values()["field"])
        load_config(others, {**chosen, "frames": {"width": frame["width"], "height": frame["height"]}})
        lines = [_HEAD]
        for section, given in chosen.items():
            head = f"\n[[{section}]]\n" if isinstance(given, list) else f"\n[{section}]\n"
            for keys in given if isinstance(given, list) else [given]:
                lines += [head, *(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in keys.items())]
        folder = self.path.parent.parent
        if not folder.is_dir():
            raise ConfigError(f"no folder {folder}; start with --config FILE, and this is kept beside it")
        with blaming(self.path, ConfigError):
            self.path.parent.mkdir(exist_ok=True)
            write_atomically(self.path, "".join(lines).encode())
        self._steps = [*self._steps[-_MOST_STEPS:], (old, before)]

    def undo(self) -> dict[str, Any]:
        """Put the file back to what it was before the last `keep`; returns the settings of then, as `set` takes them.

        Raises:
            ConfigError: nothing was kept, or the file cannot be written.
        """
        if not self._steps:
            raise ConfigError("nothing was kept since the page was started")
        old, settings = self._steps[-1]
        with blaming(self.path, ConfigError):
            if old is None:
                with contextlib.suppress(FileNotFoundError):
                    self.path.unlink()
            else:
                write_atomically(self.path, old)
        self._steps.pop()
        return settings

    def _read(self) -> bytes | None:
        return read_regular(self.path, LARGEST_FILE, ConfigError) if self.path.exists() else None

    def _names_in(self, kept: bytes | None) -> Collection[str]:
        """The settings in a file that the page wrote, as `set` calls them."""
        try:
            layer = tomllib.loads((kept or b"").decode())
        except ValueError as error:
            raise ConfigError(f"{self.path}: is not TOML ({error}); correct or remove it") from error
        return flat(layer)


def chosen_of(settings: Settings, wanted: Collection[str] | None = None) -> dict[str, Any]:
    """What the page changes of settings; of fields, all keys that are not as by default.

    Args:
        wanted: leave out the others, such as `page.ink` and `field`; None takes all.

    >>> chosen_of({"page": {"ink": "dark"}, "publish": {"queue": 3}})
    {'page': {'ink': 'dark'}}
    """
    chosen: dict[str, Any] = {}
    for section, keys in PAGE_SETTINGS.items():
        given = settings.get(section, {})
        if section == "field":
            if section in settings and (wanted is None or section in wanted):
                chosen[section] = [short(field) for field in given]
        elif some := [key for key in keys if key in given and (wanted is None or f"{section}.{key}" in wanted)]:
            chosen[section] = {key: given[key] for key in some}
    return chosen


def flat(settings: Settings) -> dict[str, Any]:
    """The same as the request `set` takes it.

    >>> flat({"page": {"ink": "dark"}, "field": [{"name": "age", "length": 0}]})
    {'page.ink': 'dark', 'field': [{'name': 'age'}]}
    """
    chosen: dict[str, Any] = {}
    for section, given in chosen_of(settings).items():
        chosen |= {section: given} if isinstance(given, list) else {f"{section}.{key}": given[key] for key in given}
    return chosen


def short(field: dict[str, Any]) -> dict[str, Any]:
    """A field without what is as by default: requests are short."""
    return {key: value for key, value in field.items() if value != schema()["field"][key].default}


def _without(fields: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Fields that other files do not have already.

    Raises:
        ConfigError: one of theirs is missing or changed.
    """
    theirs = [short(field) for field in others]
    if missing := next((field for field in theirs if field not in fields), None):
        raise ConfigError(f"the field {missing.get('name', '')} stands in another file; change it there")
    return [field for field in fields if field not in theirs]
