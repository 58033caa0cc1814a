"""How many numbers of a photographed sheet are read, by the size of their digits, from afar and from nearer.

    pip install -e '.[train]'
    python bench/read_sheets.py DIGITS [--model MODEL] [--sheets 4] [--squares 0.3] [--json]

DIGITS is a data set of Latin digits, as for `lpdpl-train fit`, that the model has not seen. A sheet is a picture of
3000x4000 pixels with rows of two numbers of 2 to 5 digits each, in uneven light, a little out of focus and with noise.
Squared paper has lines 4 pixels thick, three quarters of a digit apart and a little askew, which take that share of the
light.
"""

import argparse
import json
import time
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from edge_lpdpl import PictureReader, Recogniser
from edge_lpdpl.library.models import find_model
from edge_lpdpl.number.pictures import reader as pictures
from train_host.datasets import open_dataset
from train_host.datasets.dataset import Dataset

HEIGHT, WIDTH = 4000, 3000
ROWS = {200: 8, 150: 12, 110: 14, 90: 16, 70: 20, 50: 24}
"""Height of the digits in pixels, and rows of a sheet."""
SEEN, PAPER, INK = 60, 215, 0.75
"""Grey level from which on a pixel of a digit is ink; that of the paper, and the share of its light that ink takes."""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("digits", metavar="DIGITS")
    parser.add_argument("--model", default="latin10")
    parser.add_argument("--sheets", type=int, default=4, help="of each size")
    parser.add_argument("--squares", type=float, default=0.0, metavar="SHARE", help="draw them on squared paper")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    digits, recogniser = open_dataset(arguments.digits), Recogniser.load(find_model(arguments.model))
    rows = []
    for size in ROWS:
        seeds = [np.random.default_rng([arguments.seed, size, sheet]) for sheet in range(arguments.sheets)]
        drawn = [draw_sheet(digits, size, seed, arguments.squares) for seed in seeds]
        for view, nearer in (("from afar", ()), ("from nearer", pictures.NEARER)):
            rows.append({"digits": size, "view": view, **count(recogniser, drawn, nearer)})
    if arguments.json:
        print(json.dumps({"sheet": [HEIGHT, WIDTH], "rows": rows}))
        return 0
    for row in rows:
        print(
            f"digits {row['digits'] / HEIGHT:.1%} of the sheet, {row['view']}: {row['numbers']} numbers, "
            f"right {row['right']}, right and accepted {row['accepted']}, wrong and accepted {row['wrong']}, "
            f"{row['ms']} ms"
        )
    return 0


def draw_sheet(
    digits: Dataset, size: int, random: np.random.Generator, squares: float = 0.0
) -> tuple[NDArray[np.uint8], list[str]]:
    """A sheet, (HEIGHT, WIDTH) uint8, and its numbers in reading order."""
    ink, numbers = np.zeros((HEIGHT, WIDTH), np.float32), list[str]()
    for y in np.linspace(0.06 * HEIGHT, 0.94 * HEIGHT - size, ROWS[size]):
        for column in range(2):
            x, number = round(WIDTH * (0.1 + 0.45 * column)), ""
            for _ in range(random.integers(2, 6)):
                place = int(random.integers(len(digits.images)))
                number += digits.labels[digits.targets[place]].character
                digit = _scaled(digits.images[place], round(size * random.uniform(0.9, 1.1)))
                top = round(y + random.uniform(-0.05, 0.05) * size)
                spot = ink[top : top + digit.shape[0], x : x + digit.shape[1]]
                np.maximum(spot, digit, out=spot)
                x += digit.shape[1] + round(size * random.uniform(0.05, 0.3))
            numbers.append(number)
    rows, columns = np.arange(HEIGHT)[:, None], np.arange(WIDTH)[None]
    lines = np.minimum((rows + columns // 100) % (3 * size // 4), (columns - rows // 100) % (3 * size // 4)) < 4
    light = np.linspace(1, 0.75, WIDTH)[None] * np.linspace(0.95, 1, HEIGHT)[:, None] * (1 - squares * lines)
    grey = PAPER * light * (1 - INK * ink) + random.normal(0, 4, ink.shape)
    seen = Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(1.5))
    return np.asarray(seen), numbers


def _scaled(picture: NDArray[np.uint8], height: int) -> NDArray[np.float32]:
    """A digit's ink, 0 to 1, cut out and scaled to this height."""
    rows, columns = np.nonzero(picture > SEEN)
    cut = picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    width = max(8, round(cut.shape[1] / cut.shape[0] * height))
    large = Image.fromarray(cut).resize((width, height), Image.Resampling.BICUBIC)
    return np.clip((np.asarray(large, np.float32) / 255 - 0.35) * 3, 0, 1)


def count(
    recogniser: Recogniser, drawn: list[tuple[NDArray[np.uint8], list[str]]], nearer: tuple[int, ...]
) -> dict[str, float]:
    """What is read of sheets. A number counts as right wherever on its sheet it is read."""
    usual, pictures.NEARER = pictures.NEARER, nearer
    reader, spent = PictureReader(recogniser), 0.0
    numbers = right = accepted = wrong = 0
    reader.read(np.ascontiguousarray(drawn[0][0][::-1]))  # makes what is made once
    for sheet, texts in drawn:
        start = time.process_time()
        reading = reader.read(sheet)
        spent += time.process_time() - start
        truth, found = Counter(texts), Counter(number.text for number in reading.numbers)
        sure = Counter(number.text for number in reading.numbers if not number.rejected)
        numbers, right = numbers + truth.total(), right + (found & truth).total()
        accepted, wrong = accepted + (sure & truth).total(), wrong + (sure - truth).total()
    pictures.NEARER = usual
    ms = round(1000 * spent / len(drawn), 1)
    return {"numbers": numbers, "right": right, "accepted": accepted, "wrong": wrong, "ms": ms}


if __name__ == "__main__":
    raise SystemExit(main())
