"""Starts with a model that nobody saw the end of: a model that kills the process is not tried for ever.

A start is noted before the model is parsed, and struck out once the service reads with it or ends with an error of its
own. What is left is a crash, or a start that took too long. The notes are in the service's own folder in memory, which
systemd keeps over restarts and removes when the service is stopped: so a person who starts it again, and the next boot,
try again.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from edge_lpdpl.errors import EdgeError, ModelError
from edge_lpdpl.files.atomic import write_atomically
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable

MOST_CRASHES = 3
"""With a model, until another one stands in for it."""
_FILE = "starts"
_LONGEST = 4096  # bytes
_MOST_MODELS = 8


class Trials:
    """Notes of starts that have not ended well.

    Args:
        file: where they are kept; None for nowhere, so that no model is given up.

    A context manager: an exception ends the start in order, because no model raises one out of the service.

    >>> with Trials(None) as trials:
    ...     trials.begin(Path("mine.safetensors"), b"")
    ...     trials.passed()
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._running: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None and issubclass(kind, Exception):
            self.passed()

    def begin(self, path: Path, data: bytes) -> None:
        """Note a start with the model in `data`.

        Args:
            path: of the model, for errors.

        Raises:
            ModelError: the process ended too often with this model.
        """
        starts, model = self._read(), hashlib.sha256(data).hexdigest()
        if starts.get(model, 0) >= MOST_CRASHES:
            fault = f"{MOST_CRASHES} starts with it ended before a frame was read; see the journal, and install another"
            raise ModelError(f"{printable(str(path))}: {fault}")
        self._running = model
        self._write({**starts, model: starts.get(model, 0) + 1})

    def passed(self) -> None:
        """Strike out the starts with this model: it reads, or what ended is not its fault. May be called again."""
        if self._running is not None:
            starts = self._read()
            starts.pop(self._running, None)
            self._running = None
            self._write(starts)

    def _read(self) -> dict[str, int]:
        """Models to numbers of starts; none where the file is damaged."""
        if self._file is None:
            return {}
        try:
            found = json.loads(read_regular(self._file, _LONGEST, EdgeError, os.O_NOFOLLOW))
        except (EdgeError, ValueError, RecursionError):
            return {}
        entries = found.items() if isinstance(found, dict) else ()
        return {model: count for model, count in entries if type(count) is int and count > 0}

    def _write(self, starts: dict[str, int]) -> None:
        if self._file is None:
            return
        kept = dict(list(starts.items())[-_MOST_MODELS:])
        with contextlib.suppress(OSError):  # without a note, a start is one more
            write_atomically(self._file, json.dumps(kept).encode())


def trials_file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where the service keeps its notes; None outside of a unit.

    >>> trials_file({"RUNTIME_DIRECTORY": "/run/edge-lpdpl"})
    PosixPath('/run/edge-lpdpl/starts')
    """
    folder = environment.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(folder, _FILE) if folder else None
