"""Sheets of forms as a camera sees them: a flat sheet in space, a table, light from one side, a shadow, blur, noise."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from edge_lpdpl.form.fields import Field
from edge_lpdpl.form.homography import Matrix, project
from edge_lpdpl.form.marks import find_forms
from edge_lpdpl.form.sheet import PAPERS, Area, mark_areas

SCALE = 8.0
"""Pixels a millimetre of a sheet."""
RULE, BOX = 0.35, 0.72
"""Width in millimetres of the rules of boxes, and their light over that of the paper, as they are printed."""


def find_form(frame: NDArray[np.uint8], paper: str) -> Matrix | None:
    """The sheet that is read; None where there is none."""
    return next(iter(find_forms(frame, paper)), None)


class View(NamedTuple):
    """Where a camera sees the sheet from."""

    height: int = 1080
    width: int = 1440
    fills: float = 0.8
    """Of the frame, in the direction in which the sheet first reaches the borders."""
    turned: float = 0.0
    """Degrees within the plane of the sheet."""
    pitch: float = 0.0
    """Degrees by which its top is farther away than its foot."""
    yaw: float = 0.0
    aside: tuple[float, float] = (0.0, 0.0)
    """Shares of the room that is left beside the sheet."""


def blank_form(
    paper: str = "A4", light: float = 0.9, ink: float = 0.06, fields: Sequence[Field] = ()
) -> NDArray[np.float64]:
    """A sheet with its marks and the boxes of fields: the share of the light that each point sends back."""
    width, height = PAPERS[paper]
    sheet = np.full((round(height * SCALE), round(width * SCALE)), light)
    for area in mark_areas(paper):
        print_area(sheet, area, ink)
    for x, y, width, height in (field.area for field in fields):
        for top in (y, y + height):
            print_area(sheet, Area(x, top - RULE / 2, width, RULE), BOX * light)
        for left in (x, x + width):
            print_area(sheet, Area(left - RULE / 2, y, RULE, height), BOX * light)
    return sheet


def print_area(sheet, area, ink):
    """Fill an area (x, y, width, height) in millimetres."""
    left, top, right, bottom = (round(edge * SCALE) for edge in (area.x, area.y, area.right, area.bottom))
    sheet[top:bottom, left:right] = ink


def homography_of(view: View, paper: str = "A4") -> NDArray[np.float64]:
    """From millimetres of the sheet to pixels of the frame, of a pinhole camera."""
    across, down = PAPERS[paper]
    turned, pitch, yaw = np.radians((view.turned, view.pitch, view.yaw))
    spin = np.array([[np.cos(turned), -np.sin(turned), 0], [np.sin(turned), np.cos(turned), 0], [0, 0, 1]])
    nod = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    shake = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    pose = shake @ nod @ spin
    away = 1.3 * max(across, down)
    plane = np.column_stack([pose[:, 0], pose[:, 1], pose @ np.array([-across / 2, -down / 2, 0]) + (0, 0, away)])
    corners = np.array([(0, 0), (across, 0), (across, down), (0, down)], np.float64)
    seen = project(plane, corners)
    low, size = seen.min(axis=0), np.ptp(seen, axis=0)
    frame = np.array((view.width, view.height))
    zoom = view.fills * float((frame / size).min())
    left, top = (frame - zoom * size) / 2 * (1 + np.array(view.aside)) - zoom * low
    return np.array([[zoom, 0, left], [0, zoom, top], [0, 0, 1]]) @ plane


def photograph(sheet, view: View, paper: str = "A4", *, table=0.35, shadow=0.0, blur=0.8, noise=2.0, seed=0):
    """The frame (height, width) uint8 of a sheet on a table, and the homography that made it."""
    matrix, chance = homography_of(view, paper), np.random.default_rng(seed)
    back = np.linalg.inv(matrix)
    y, x = np.mgrid[0 : view.height, 0 : view.width] + 0.5
    places = project(back, np.column_stack([x.ravel(), y.ravel()])) * SCALE
    columns, rows = np.clip(places, -1e6, 1e6).astype(np.intp).T
    inside = (rows >= 0) & (columns >= 0) & (rows < sheet.shape[0]) & (columns < sheet.shape[1])
    soft = (
        np.asarray(Image.fromarray((sheet * 255).astype(np.uint8)).filter(ImageFilter.BoxBlur(1.5)), np.float64) / 255
    )
    light = np.full(len(rows), table)
    light[inside] = soft[rows[inside], columns[inside]]
    slope = chance.uniform(-0.3, 0.3, 2)
    lamp = 1 + slope[0] * (x / view.width - 0.5) + slope[1] * (y / view.height - 0.5)
    lamp[(x - view.width / 2) + (y - view.height / 2) * chance.uniform(-1, 1) > 0.1 * view.width] *= 1 - shadow
    frame = Image.fromarray(np.clip(210 * light.reshape(y.shape) * lamp, 0, 255).astype(np.uint8))
    levels = np.asarray(frame.filter(ImageFilter.GaussianBlur(blur)), np.float64)
    return np.clip(levels + chance.normal(0, noise, levels.shape), 0, 255).astype(np.uint8), matrix
