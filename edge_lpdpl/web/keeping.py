"""Settings that were tried on the page become a file of the configuration, and can be taken back."""

import contextlib
import json
from collections.abc import Callable, Sequence
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

    def keep(self, before: Settings, now: Settings, frame: dict[str, int]) -> None:
        """Write the settings that are in force.

        Args:
            before: to go back to with `undo`.
            frame: width and height of the frames, by which the region is checked.

        Raises:
            ConfigError: they contradict each other, or the file cannot be written; nothing is changed then.
        """
        others = [path for path in self._files() if path != self.path]
        chosen = chosen_of(now)
        chosen["field"] = _without(chosen.get("field", []), load_config(others).values()["field"])
        load_config(others, {**chosen, "frames": {"width": frame["width"], "height": frame["height"]}})
        lines = [_HEAD]
        for section, given in chosen.items():
            head = f"\n[[{section}]]\n" if isinstance(given, list) else f"\n[{section}]\n"
            for keys in given if isinstance(given, list) else [given]:
                lines += [head, *(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in keys.items())]
        old = self._read()
        with blaming(self.path, ConfigError):
            self.path.parent.mkdir(exist_ok=True)
            write_atomically(self.path, "".join(lines).encode())
        self._steps = [*self._steps[-_MOST_STEPS:], (old, flat(before))]

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


def chosen_of(settings: Settings) -> dict[str, Any]:
    """What the page changes of settings; of fields, all keys that are not as by default.

    >>> chosen_of({"page": {"ink": "dark"}, "publish": {"queue": 3}})
    {'page': {'ink': 'dark'}}
    """
    chosen: dict[str, Any] = {}
    for section, keys in PAGE_SETTINGS.items():
        if section == "field":
            chosen[section] = [short(field) for field in settings.get(section, ())]
        else:
            chosen[section] = {key: settings[section][key] for key in keys if key in settings.get(section, {})}
    return {section: given for section, given in chosen.items() if section in settings}


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
