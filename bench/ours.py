"""The project's own contestants: the whole pipeline from a 64x64 scan to a decision, and HOG + classify alone.

They are separate from the peers, which can then be measured without the package or a model.
"""

from collections.abc import Callable
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pictures
from contestant import Contestant
from contestants import VARIETY, in_turn

if TYPE_CHECKING:
    from edge_lpdpl.numeral.engine import CompiledEngine

WHOLE, CORE = "ours, whole pipeline", "ours, HOG + classify"
SCAN_SIDE = 64  # pixels


def build(model: str) -> list[Contestant]:
    """The contestants of `edge_lpdpl`. `model` is a model file or the name of a shipped model."""
    from edge_lpdpl import Recogniser
    from edge_lpdpl.library.models import find_model

    recogniser = Recogniser.load(find_model(model))
    images = pictures.strokes(VARIETY, SCAN_SIDE)
    settings = f"{SCAN_SIDE}x{SCAN_SIDE} uint8 scan in, decision with confidence out"
    return [
        Contestant(name=WHOLE, settings=settings, call=in_turn(recogniser.recognise, images)),
        Contestant(name=CORE, settings="32x32 square in, decision out", call=_core_in_turn(recogniser.engine, images)),
    ]


def _core_in_turn(engine: "CompiledEngine", images: list[np.ndarray]) -> Callable[[], object]:
    """A call for HOG and classification of the next image. Its time includes a copy of the 4 KB square."""
    squares = []
    for image in images:
        engine.recognise(image, 2)
        squares.append(engine.buffers.square.copy())
    core = engine.kernel("read_square")
    following = cycle(squares)

    def call() -> object:
        engine.buffers.square[:] = next(following)
        return core()

    return call
