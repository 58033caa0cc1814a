"""Maps between a flat sheet and its picture in perspective: a homography is a (3, 3) float64 array."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.form.sheet import Area

Points = NDArray[np.float64]
Matrix = NDArray[np.float64]
_Places = NDArray[np.float32]
HALF = np.float32(0.5)
STRIP = 16
"""Rows that are computed at a time, so that what lies between the steps stays in the cache."""


def homographies(points: Points, images: Points) -> Matrix:
    """The homographies (n, 3, 3) that map four points, no three of them on one line, to four images each: (n, 4, 2)
    float64. One to images that lie on a line has values that are not finite, or a determinant of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = _from_square(images) @ np.linalg.inv(_from_square(points[None])[0])
        scaled: Matrix = found / found[:, 2:, 2:]
    return scaled


def homography(points: Points, images: Points) -> Matrix:
    """The homography that maps four points, no three of them on one line, to four images.

    Args:
        points, images: (4, 2) float64.

    Raises:
        numpy.linalg.LinAlgError: three of the points lie on one line.

    >>> square = np.array([(0, 0), (1, 0), (1, 1), (0, 1.0)])
    >>> project(homography(square, 2 * square + 5), np.array([(0.5, 0.5)])).round(9).tolist()
    [[6.0, 6.0]]
    """
    found: Matrix = homographies(points, images[None])[0]
    if not np.isfinite(found).all():
        raise np.linalg.LinAlgError("three of four points lie on one line")
    return found


def _from_square(corners: Points) -> Matrix:
    """The maps (n, 3, 3) from the unit square to shapes with four corners each (n, 4, 2)."""
    first, second, third, fourth = corners.transpose(1, 2, 0)
    across, down, twist = second - third, fourth - third, first - second + third - fourth
    with np.errstate(divide="ignore", invalid="ignore"):
        g, h = np.array([_cross(twist, down), _cross(across, twist)]) / _cross(across, down)
    ones = np.ones_like(g)
    columns = [second - first + g * second, fourth - first + h * fourth, first]
    return np.array([[*column, last] for column, last in zip(columns, (g, h, ones), strict=True)]).transpose(2, 1, 0)


def _cross(one: Points, other: Points) -> Points:
    product: Points = one[0] * other[1] - one[1] * other[0]
    return product


def project(matrix: Matrix, points: Points) -> Points:
    """The images (n, 2) of points (n, 2); a point on the horizon has an infinite one."""
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        images: Points = mapped[:, :2] / mapped[:, 2:]
    return images


def rectify(grey: NDArray[np.uint8], matrix: Matrix, area: Area, scale: float) -> NDArray[np.uint8]:
    """An area of the sheet as an upright picture, `scale` pixels a millimetre; what lies outside of the frame repeats
    its border.

    Args:
        grey: the frame (height, width) uint8.
        matrix: from millimetres of the sheet to pixels of the frame.
    """
    height, width = round(area.height * scale), round(area.width * scale)
    x, y = area.x + (np.arange(width) + 0.5) / scale, area.y + (np.arange(height) + 0.5) / scale
    across = (matrix[:, :1] * x).astype(np.float32)
    down = (matrix[:, 1:2] * y + matrix[:, 2:]).astype(np.float32)
    picture = np.empty((height, width), np.uint8)
    for top in range(0, height, STRIP):
        columns, rows, depth = across[:, None] + down[:, top : top + STRIP, None]
        near = 1 / depth
        picture[top : top + STRIP] = _interpolate(grey, rows * near - HALF, columns * near - HALF)
    return picture


def _interpolate(grey: NDArray[np.uint8], rows: _Places, columns: _Places) -> NDArray[np.uint8]:
    height, width = grey.shape
    rows, columns = rows.clip(0, np.float32(height - 1.001)), columns.clip(0, np.float32(width - 1.001))
    top, left = rows.astype(np.int32), columns.astype(np.int32)
    down, aside = rows - top.astype(np.float32), columns - left.astype(np.float32)
    pixels, place = grey.reshape(-1), top * np.int32(width) + left
    one, two, three, four = (pixels[step:].take(place).astype(np.float32) for step in (0, 1, width, width + 1))
    upper, lower = one + (two - one) * aside, three + (four - three) * aside
    picture: NDArray[np.uint8] = (upper + (lower - upper) * down + HALF).astype(np.uint8)
    return picture
