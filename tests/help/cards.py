"""Shipped numerals on paper: cards that a service shows, in the size of a small frame, and small cut-outs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

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


def cut_out(names: Sequence[str], size: tuple[int, int], step: int, height: int) -> NDArray[np.uint8]:
    """Paper (height, 156) with the shipped pictures of these names in a row, each of this width and height, scaled."""
    paper = np.full((height, 156), 210, np.uint8)
    pictures = {path.stem: path for path in shipped_pictures()}
    (width, tall), top = size, (height - size[1]) // 2
    left = (156 - step * (len(names) - 1) - width) // 2
    for place, name in enumerate(names):
        ink = np.asarray(Image.open(pictures[name]).convert("L").resize(size))
        paper[top : top + tall, left + step * place : left + step * place + width] -= np.minimum(ink, 160)
    return paper


def cut_out_of_845() -> NDArray[np.uint8]:
    """Paper (90, 156) with 845 on it."""
    return cut_out([f"latin_{digit}_screen" for digit in "845"], (44, 50), 45, 90)


def sheet(size: tuple[int, int], height: int, numbers: Mapping[tuple[int, int], str]) -> NDArray[np.uint8]:
    """Paper (height, width) with numbers at their top left corners (x, y), of the shipped pictures of 0, 2, 3, 5, 6 and
    8: those of the other digits are dirty. Each is of this height and written with a bold pen."""
    paper = np.full(size, 210, np.uint8)
    pictures = {path.stem: path for path in shipped_pictures()}
    for (left, top), number in numbers.items():
        for digit in number:
            ink = np.asarray(Image.open(pictures[f"latin_{digit}_screen"]).convert("L"))
            bold = Image.fromarray(np.uint8(160 * (ink > 0.4 * ink.max()))).resize((4 * ink.shape[1], 4 * ink.shape[0]))
            bold = bold.filter(ImageFilter.MaxFilter(9))
            bold = bold.crop(bold.getbbox())
            bold = bold.resize((max(height * bold.width // bold.height, height // 4), height))
            paper[top : top + height, left : left + bold.width] -= np.minimum(np.asarray(bold), 160)
            left += bold.width + height // 4
    return paper
