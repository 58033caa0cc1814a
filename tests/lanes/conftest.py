"""Puts the folder of every lane on the path, for its helpers. Their names are unique across lanes."""

import sys
from pathlib import Path

LANES = Path(__file__).parent
sys.path[:0] = [str(lane) for lane in LANES.iterdir() if lane.is_dir()]
