"""Grey arrays: which sizes and types the kernels accept, and the polarity of the ink."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ImageError

INK_LIGHT, INK_DARK, INK_AUTO = 0, 1, 2
"""Polarities; with INK_AUTO the border of the picture decides."""

POLARITIES = {"auto": INK_AUTO, "light": INK_LIGHT, "dark": INK_DARK}
"""Their names in options and settings."""

UINT8 = np.dtype(np.uint8)

SMALLEST_SIDE, LARGEST_SIDE = 8, 4096
"""Limits of the sides of a picture, in pixels."""


def checked_picture(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """`grey` itself, or a C-contiguous copy of it.

    Raises:
        ImageError: not a (height, width) uint8 array of 8..4096 pixels a side.
    """
    if not isinstance(grey, np.ndarray) or grey.ndim != 2 or grey.dtype != UINT8:
        got = f"{grey.dtype} {grey.shape}" if isinstance(grey, np.ndarray) else type(grey).__name__
        raise ImageError(f"a picture is a (height, width) array of uint8, not {got}")
    height, width = grey.shape
    if not (SMALLEST_SIDE <= height <= LARGEST_SIDE and SMALLEST_SIDE <= width <= LARGEST_SIDE):
        raise ImageError(f"a side of a picture has {SMALLEST_SIDE} to {LARGEST_SIDE} pixels, not {width}x{height}")
    return grey if grey.flags.c_contiguous else np.ascontiguousarray(grey)


def checked_frame(grey: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """As `checked_picture`, for what takes frames of one size.

    Raises:
        ImageError: no picture, or one of another size.
    """
    grey = checked_picture(grey)
    if grey.shape != (height, width):
        got = f"{grey.shape[1]}x{grey.shape[0]}"
        raise ImageError(f"this reader is for frames of {width}x{height} pixels, not {got}; make another one for those")
    return grey
