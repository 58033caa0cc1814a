"""Pictures for timing: strokes like those of handwritten numerals, drawn with a seed, so that all runs have the same.

No data set is needed. The strokes are thin and of uneven strength on black, as in scans of pen on paper. They cover
1-7 % of the picture, rather more than in the Chinese numerals, so that a pipeline that skips empty cells does not look
faster here than on real handwriting.
"""

import numpy as np
from PIL import Image, ImageDraw

FINE = 4  # pictures are drawn this many times larger and scaled down, for soft edges


def strokes(count: int, size: int, *, seed: int = 0) -> list[np.ndarray]:
    """`count` different grey pictures (uint8, size x size), light ink on black.

    >>> [picture.shape for picture in strokes(2, 64)]
    [(64, 64), (64, 64)]
    """
    rng = np.random.default_rng(seed)
    return [_drawing(rng, size) for _ in range(count)]


def _drawing(rng: np.random.Generator, size: int) -> np.ndarray:
    large = size * FINE
    image = Image.new("L", (large, large))
    pen = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(2, 6))):
        start, end = rng.uniform(0.2, 0.8, (2, 2)) * large
        bend = (start + end) / 2 + rng.normal(0, 0.06 * large, 2)
        width = max(1, round(float(rng.uniform(0.015, 0.03)) * large))
        pen.line([tuple(start), tuple(bend), tuple(end)], fill=int(rng.integers(120, 256)), width=width, joint="curve")
    return np.asarray(image.resize((size, size), Image.Resampling.BOX))
