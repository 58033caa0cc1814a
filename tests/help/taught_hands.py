"""Pictures to teach, and models whose readings a person may want to change."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.library.hands import changing
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.hand import Hand, write_hand
from train_host.synthetic.pictures import draw_numeral

WRITER = 5


def drawn(character: str, writer: int = WRITER, side: int = 32) -> NDArray[np.uint8]:
    """A numeral (side, side), light ink on black."""
    return draw_numeral(character, seed=writer, size=side)


def chinese() -> Model:
    """A model that reads."""
    return read_model(shipped_model("chinese15"))


def keep(setting: str, hand: Hand) -> Path:
    """Write the hand of a setting; returns its file."""
    with changing(setting) as path:
        write_hand(path, hand)
    return path
