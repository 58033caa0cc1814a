"""Maps of pages, in the layout of the kernels of `edge_lpdpl.page`."""

import numpy as np

from edge_lpdpl.page.settings import stride_of


def as_map(picture: np.ndarray) -> np.ndarray:
    """A picture as a flat array, with the free bytes at the ends of its rows."""
    height, width = picture.shape
    padded = np.zeros((height, stride_of(width)), np.uint8)
    padded[:, :width] = picture
    return padded.ravel()
