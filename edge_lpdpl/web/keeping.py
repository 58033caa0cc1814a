"""Settings that were tried on the page become a file of the configuration, and can be taken back."""

import contextlib
import json
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.atomic import blaming, write_atomically
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.live.config.loading import LARGEST_FILE, PAGE_FILE, PAGE_SETTINGS, load_config

_HEAD = (
    f"# Written by the page (`edge-lpdpl web`, keep). Files of config.d with a name behind {PAGE_FILE} override it.\n"
)
_MOST_STEPS = 16

Settings = dict[str, dict[str, Any]]


class Keeping:
    """The file that the page writes.

    Args:
        path: of the file; its folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
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
        chosen = {section: {key: now[section][key] for key in keys} for section, keys in PAGE_SETTINGS.items()}
        load_config((), {**chosen, "frames": {"width": frame["width"], "height": frame["height"]}})
        lines = [_HEAD]
        for section, keys in chosen.items():
            lines += [f"[{section}]\n", *(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())]
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


def flat(settings: Settings) -> dict[str, Any]:
    """What the page changes, as the request `set` takes it.

    >>> flat({"page": {"ink": "dark"}, "publish": {"queue": 3}})
    {'page.ink': 'dark'}
    """
    keys = (
        (section, key) for section, known in PAGE_SETTINGS.items() for key in known if key in settings.get(section, {})
    )
    return {f"{section}.{key}": settings[section][key] for section, key in keys}
