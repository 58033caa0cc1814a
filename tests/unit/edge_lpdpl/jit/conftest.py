"""Folders that belong to one test."""

from pathlib import Path

import pytest

VARIABLES = ["NUMBA_CACHE_DIR", "CACHE_DIRECTORY", "XDG_CACHE_HOME", "HOME"]


@pytest.fixture
def folders(tmp_path, monkeypatch) -> dict[str, Path]:
    """A folder of its own for every variable that may name one; all are set."""
    made = {name: tmp_path / name.lower() for name in VARIABLES}
    for name, path in made.items():
        monkeypatch.setenv(name, str(path))
    return made
