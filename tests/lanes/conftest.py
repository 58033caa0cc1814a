"""The folder of every lane goes onto the path, where its helpers are. Their names differ from lane to lane."""

import sys
from pathlib import Path

LANES = Path(__file__).parent
sys.path[:0] = [str(lane) for lane in LANES.iterdir() if lane.is_dir()]
