"""The lane uses what the short tests of the same things use."""

import sys
from pathlib import Path

UNIT = Path(__file__).parents[2] / "unit"
sys.path[:0] = [str(UNIT), str(UNIT / "live")]

from bare_machine import no_installed_model  # noqa: E402, F401
