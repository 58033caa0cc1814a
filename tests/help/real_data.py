"""Where tests find real handwriting, which the project never commits."""

import os
from pathlib import Path

import pytest
from project import PROJECT

_BESIDE_THE_REPOSITORY = PROJECT.parent / "shared" / "data"


def real_data(name: str) -> Path:
    """Path of a real data set. Skips the test if it is missing."""
    path = Path(os.environ.get("EDGE_LPDPL_DATA", _BESIDE_THE_REPOSITORY)) / name
    if not path.exists():
        pytest.skip(f"real data: put {name} into ../shared/data or set EDGE_LPDPL_DATA")
    return path
