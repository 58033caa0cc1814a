"""Pictures for the tests: strokes of any pen on any paper, and pictures without writing."""

import numpy as np
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter


def stroke_picture(seed: int, height: int = 64, width: int = 64, *, paper: int = 0, noise: int = 0) -> np.ndarray:
    """A few light strokes on dark paper: (height, width) uint8.

    Args:
        paper: grey level of the paper at its lightest corner; from there it falls off by a half.
        noise: grey levels by which pixels differ at random.
    """
    random = np.random.default_rng(seed)
    pen = random.integers(1, 2 + min(height, width) // 10)
    layer = Image.new("L", (width, height))
    draw = ImageDraw.Draw(layer)
    for _ in range(random.integers(1, 5)):
        points = random.uniform(0.15, 0.85, size=(random.integers(2, 5), 2)) * (width, height)
        draw.line([tuple(point) for point in points], fill=int(random.integers(120, 256)), width=int(pen))
    strokes = np.asarray(layer.filter(ImageFilter.GaussianBlur(random.uniform(0, 1.2))), float)
    fall = np.add.outer(np.linspace(0, 0.25, height), np.linspace(0, 0.25, width))
    ground = paper * (1 - fall)
    picture = ground + strokes * (255 - ground) / 255 + random.uniform(0, noise, size=(height, width))
    return np.clip(picture, 0, 255).astype(np.uint8)


def stroke_pictures(smallest: int = 16, largest: int = 80) -> st.SearchStrategy[np.ndarray]:
    """Clean, noisy and photographed ones of many shapes."""
    sides = st.integers(smallest, largest)
    return st.builds(
        stroke_picture,
        st.integers(0, 2**32 - 1),
        sides,
        sides,
        paper=st.sampled_from([0, 0, 60, 120]),
        noise=st.sampled_from([0, 6, 30]),
    )


def nothing_to_read() -> dict[str, np.ndarray]:
    """Pictures without writing, by name."""
    noise = np.random.default_rng(0).integers(0, 8, size=(64, 64), dtype=np.uint8)
    one_pixel = np.zeros((64, 64), np.uint8)
    one_pixel[20, 30] = 255
    specks = np.zeros((64, 64), np.uint8)
    specks[4:60:4, 4:60:4] = 255
    return {
        "black": np.zeros((64, 64), np.uint8),
        "grey": np.full((64, 64), 130, np.uint8),
        "white": np.full((64, 64), 255, np.uint8),
        "the smallest": np.zeros((8, 8), np.uint8),
        "the longest": np.full((8, 4096), 77, np.uint8),
        "faint noise": noise,
        "one pixel": one_pixel,
        "specks": specks,
        "a covered lens": np.pad(np.full((60, 60), 255, np.uint8), 2),
    }
