"""The lane uses what the short tests of the same things use."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "unit"))
