"""Colours in drawings."""

import numpy as np
from PIL import Image


def pixels_of(image: Image.Image, colour: str) -> np.ndarray:
    """Where a picture has a colour, (height, width) bool."""
    wanted = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
    return (np.asarray(image) == wanted).all(axis=2)
