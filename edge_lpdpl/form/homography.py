"""Maps between a flat sheet and its picture in perspective: a homography is a (3, 3) float64 array."""

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.form.sheet import Area

Points = NDArray[np.float64]
Matrix = NDArray[np.float64]


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
    rows, values = [], []
    for (x, y), (u, v) in zip(points.tolist(), images.tolist(), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return np.append(np.linalg.solve(np.array(rows), np.array(values)), 1.0).reshape(3, 3)


def project(matrix: Matrix, points: Points) -> Points:
    """The images (n, 2) of points (n, 2); a point on the horizon has an infinite one."""
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        images: Points = mapped[:, :2] / mapped[:, 2:]
    return images


def jacobian(matrix: Matrix, point: Points) -> Matrix:
    """How the image of a point (2,) moves as the point moves: (2, 2)."""
    x, y, depth = matrix @ np.append(point, 1.0)
    rate: Matrix = (matrix[:2, :2] - np.outer((x / depth, y / depth), matrix[2, :2])) / depth
    return rate


def rectify(grey: NDArray[np.uint8], matrix: Matrix, area: Area, scale: float) -> NDArray[np.uint8]:
    """An area of the sheet as an upright picture, `scale` pixels a millimetre; what lies outside of the frame repeats
    its border.

    Args:
        grey: the frame (height, width) uint8.
        matrix: from millimetres of the sheet to pixels of the frame.
    """
    height, width = round(area.height * scale), round(area.width * scale)
    x, y = area.x + (np.arange(width) + 0.5) / scale, area.y + (np.arange(height) + 0.5) / scale
    depth = matrix[2, 0] * x + (matrix[2, 1] * y + matrix[2, 2])[:, None]
    columns = (matrix[0, 0] * x + (matrix[0, 1] * y + matrix[0, 2])[:, None]) / depth - 0.5
    rows = (matrix[1, 0] * x + (matrix[1, 1] * y + matrix[1, 2])[:, None]) / depth - 0.5
    return _interpolate(grey, rows, columns)


def _interpolate(grey: NDArray[np.uint8], rows: Matrix, columns: Matrix) -> NDArray[np.uint8]:
    rows = np.clip(rows, 0, grey.shape[0] - 1.001)
    columns = np.clip(columns, 0, grey.shape[1] - 1.001)
    top, left = rows.astype(np.intp), columns.astype(np.intp)
    down, aside = rows - top, columns - left
    upper = grey[top, left] * (1 - aside) + grey[top, left + 1] * aside
    lower = grey[top + 1, left] * (1 - aside) + grey[top + 1, left + 1] * aside
    return (upper * (1 - down) + lower * down + 0.5).astype(np.uint8)
