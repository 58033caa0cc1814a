"""Cache folders of one test."""

from pathlib import Path

import pytest

VARIABLES = ["NUMBA_CACHE_DIR", "CACHE_DIRECTORY", "XDG_CACHE_HOME", "HOME"]


@pytest.fixture
def folders(tmp_path, monkeypatch) -> dict[str, Path]:
    """Sets every variable that may name a cache folder, each to its own folder."""
    made = {name: tmp_path / name.lower() for name in VARIABLES}
    for name, path in made.items():
        monkeypatch.setenv(name, str(path))
    return made
