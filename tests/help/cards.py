"""Cards that a service shows: a shipped numeral on paper, in the size of a small frame."""

from pathlib import Path

import numpy as np
from PIL import Image

from edge_lpdpl.library.shipped import shipped_pictures


def draw_cards(folder: Path, *names: str) -> None:
    """Make a folder of pictures of 320x240 pixels, each with the shipped picture of this name."""
    folder.mkdir()
    pictures = {path.name: path for path in shipped_pictures()}
    for name in names:
        paper = np.full((240, 320), 225, np.uint8)
        numeral = np.asarray(Image.open(pictures[name]).convert("L"))
        paper[60 : 60 + numeral.shape[0], 90 : 90 + numeral.shape[1]] = numeral
        Image.fromarray(paper).save(folder / name)
