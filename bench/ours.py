"""Our own entry in the race: the whole pipeline from a 64x64 scan to a decision, and HOG + classify alone.

Kept apart from the peers so that they can be measured where the package or a model is not there.
"""

import pictures
from contestants import VARIETY, in_turn
from stopwatch import Contestant

WHOLE, CORE = "ours, whole pipeline", "ours, HOG + classify"
SCAN_SIDE = 64


def build(model: str) -> list[Contestant]:
    """What `edge_lpdpl` offers to time; `model` is a model file."""
    from edge_lpdpl import Recogniser

    recogniser = Recogniser.load(model)
    images = pictures.strokes(VARIETY, SCAN_SIDE)
    settings = f"{SCAN_SIDE}x{SCAN_SIDE} uint8 scan in, decision with confidence out"
    return [Contestant(name=WHOLE, settings=settings, call=in_turn(recogniser.recognise, images))]
