"""A folder of pictures."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    for name, level in (("a.png", 10), ("b.jpg", 200), ("c.PNG", 90)):
        Image.fromarray(np.full((64, 64), level, np.uint8)).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no picture")
    return tmp_path
