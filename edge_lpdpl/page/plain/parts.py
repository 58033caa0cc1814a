"""Frame to parts of ink with array operations: what the kernels do, in whole numbers, so they find the same."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.numeral.plain.ink import find_runs, join_runs, paper_under
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import light_scale
from edge_lpdpl.page.settings import Limits

Picture = NDArray[np.uint8]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Runs(NamedTuple):
    """Stretches of ink along rows, each of which belongs to a part."""

    rows: Whole
    starts: Whole
    ends: Whole
    """One past the last column."""
    parts: Whole
    """Parts are numbered in the order of their first pixels."""
    peaks: Whole
    """Strongest contrast."""


def reduce(grey: Picture, limits: Limits) -> Picture:
    """Means of the whole blocks of factor x factor pixels, rounded half up; block row by block row, so that a large
    frame is never copied."""
    height, width, factor = limits.height, limits.width, limits.factor
    small, area = np.empty((height, width), np.uint8), factor * factor
    for row in range(height):
        strip = grey[row * factor : (row + 1) * factor, : width * factor]
        sums = strip.sum(axis=0, dtype=np.int64).reshape(width, factor).sum(axis=1)
        small[row] = (sums + area // 2) // area
    return small


def strokes_are_dark(small: Picture) -> bool:
    """True where dark strokes stand out twice as much as light ones; tiles with an edge do not count."""
    side = max(min(part.TILE, *small.shape), 1)
    height, width = small.shape[0] // side, small.shape[1] // side
    tiles = small[: height * side, : width * side].reshape(height, side, width, side)[:, :: part.EVERY].astype(np.int64)
    seen = tiles.shape[1] * side
    least, most = tiles.min(axis=1), tiles.max(axis=1)  # of each column
    darkest, lightest = least.min(axis=2), most.max(axis=2)
    both = darkest + lightest
    lean = (2 * tiles.sum(axis=(1, 3)) - seen * both) // seen
    is_edge = (2 * (most - least) > (lightest - darkest)[:, :, None]).all(axis=2)
    for x in (0, -1):
        is_edge |= np.where(lean > 0, 2 * most[:, :, x] < both, 2 * least[:, :, x] > both)
    lean[is_edge] = 0
    dark, light = ((np.maximum(signed, 0) ** 2).sum() for signed in (lean, -lean))
    return bool(dark > 2 * light)


def find_paper(ink: Picture, window: int) -> Picture:
    """The paper under the ink in blocks of BLOCK x BLOCK pixels, which have that of their lightest one."""
    height, width = ink.shape
    whole = np.pad(ink, ((0, height % part.BLOCK), (0, width % part.BLOCK)), mode="edge")
    rows, columns = whole.shape[0] // part.BLOCK, whole.shape[1] // part.BLOCK
    lightest: Picture = whole.reshape(rows, part.BLOCK, columns, part.BLOCK).min(axis=(1, 3))
    return paper_under(lightest, window)


def spread(blocks: Picture, height: int, width: int) -> Picture:
    """The paper of every pixel."""
    return blocks.repeat(part.BLOCK, axis=0)[:height].repeat(part.BLOCK, axis=1)[:, :width]


def take_contrast(ink: Picture, paper: Picture, least: int) -> Picture:
    """Contrast of every pixel of ink, 255 for all of the paper's light; 0 where it is no more than `least` or the grain
    of the paper."""
    rise = ink - paper
    grain = rise[:: part.GRAIN_EVERY, : ink.shape[1] // part.BLOCK * part.BLOCK]
    counts = np.bincount(grain.ravel(), minlength=256).cumsum()
    floor = min(3 * int(np.searchsorted(counts, (counts[-1] + 1) // 2)), part.COARSEST_GRAIN)
    step = np.maximum((least * (255 - paper.astype(np.int64))) >> 8, floor)
    taken = (rise * light_scale()[paper]) >> 8
    return np.where(rise > step, taken, 0).astype(np.uint8)


def find_parts(contrast: Picture) -> Runs:
    """Runs of ink, joined where they touch, corners included."""
    height, width = contrast.shape
    line = np.zeros((height, width + 1), np.uint8)  # a free pixel between the rows
    line[:, :-1] = contrast
    flat = line.ravel()
    starts, ends = find_runs(flat)
    if not starts.size:
        return Runs(starts, starts, starts, starts, starts)
    peaks = np.maximum.reduceat(flat, np.stack([starts, ends], axis=1).ravel())[::2].astype(np.int64)
    _, parts = np.unique(join_runs(starts, ends, width + 1), return_inverse=True)
    rows = starts // (width + 1)
    return Runs(rows, starts - rows * (width + 1), ends - rows * (width + 1), parts, peaks)


def keep_cores(contrast: Picture, limits: Limits) -> Whole:
    """Clear what is too faint for its part: see `core` and `ground` of the settings.

    Returns:
        Rows (k, UNREAD_COLUMNS) of the parts of the border of which nothing is left.
    """
    runs = find_parts(contrast)
    if not runs.rows.size:
        return np.zeros((0, part.UNREAD_COLUMNS), np.int64)
    strongest = np.zeros(int(runs.parts.max()) + 1, np.int64)
    np.maximum.at(strongest, runs.parts, runs.peaks)
    at_border = np.where((runs.rows == 0) | (runs.rows == limits.height - 1), runs.peaks, 0)
    at_border = np.maximum(at_border, np.where(runs.starts == 0, contrast[runs.rows, 0], 0))
    at_border = np.maximum(at_border, np.where(runs.ends == limits.width, contrast[runs.rows, -1], 0))
    border_runs = np.bincount(runs.parts, at_border > 0).astype(np.int64)
    level = np.bincount(runs.parts, at_border).astype(np.int64) // np.maximum(border_runs, 1)
    thing = (border_runs > 0) & (level > limits.darkest_ground)
    upon_it = np.where(~thing, 256 * level + (255 - level) * limits.ground, 256 * 256)
    upon_it *= border_runs > 0
    need = np.maximum(strongest * limits.core, upon_it)
    inside = contrast != 0
    needed = np.repeat(need[runs.parts], runs.ends - runs.starts)
    contrast[inside] = np.where(256 * contrast[inside].astype(np.int64) >= needed, contrast[inside], 0)
    boxes = part_boxes(runs, limits)[thing][: part.MOST_PARTS]
    strengths, border = strongest[thing][: part.MOST_PARTS], np.full(len(boxes), part.TOUCHES_BORDER)
    nothing = np.zeros_like(border)
    return np.column_stack([boxes, border, strengths, nothing, nothing])


def part_boxes(runs: Runs, limits: Limits) -> Whole:
    """LEFT, TOP, RIGHT, BOTTOM (parts, 4) of every part."""
    boxes = np.zeros((int(runs.parts.max(initial=-1)) + 1, 4), np.int64)
    boxes[:, part.LEFT], boxes[:, part.TOP] = limits.width, limits.height
    np.minimum.at(boxes[:, part.LEFT], runs.parts, runs.starts)
    np.minimum.at(boxes[:, part.TOP], runs.parts, runs.rows)
    np.maximum.at(boxes[:, part.RIGHT], runs.parts, runs.ends)
    np.maximum.at(boxes[:, part.BOTTOM], runs.parts, runs.rows + 1)
    return boxes


def measure_parts(
    contrast: Picture, ruled: Flags, ink: Picture, paper: Picture, limits: Limits
) -> tuple[Whole, Runs, Whole, Whole]:
    """Table (rows, COLUMNS) of the parts that are large enough, the runs, the row of each part, -1 for none, and the
    unread ink (k, UNREAD_COLUMNS) of too many parts."""
    runs, inside = find_parts(contrast), (contrast != 0) | ruled
    boxes = part_boxes(runs, limits)
    table = np.pad(boxes, [(0, 0), (0, part.COLUMNS - boxes.shape[1])])
    sums = {
        part.AREA: runs.ends - runs.starts,
        part.RUNS: np.ones_like(runs.rows),
        part.SHARED: _pixels_below_ink(runs, inside),
        part.RIDGE: runs.peaks,
        part.OPEN: _count_open(runs, inside, ink, paper),
    }
    for column, values in sums.items():
        np.add.at(table[:, column], runs.parts, values)
    widths, heights = table[:, part.RIGHT] - table[:, part.LEFT], table[:, part.BOTTOM] - table[:, part.TOP]
    table[:, part.LONGEST] = np.maximum(widths, heights)
    least = limits.least_area
    while np.count_nonzero(table[:, part.AREA] >= least) > part.MOST_PARTS:
        least *= 2
    large = table[:, part.AREA] >= least
    small = ~large & (table[:, part.AREA] >= limits.least_area)
    return table[large], runs, np.where(large, large.cumsum() - 1, -1), _in_tiles(runs, small[runs.parts], limits)


def _in_tiles(runs: Runs, chosen: Flags, limits: Limits) -> Whole:
    """The unread ink (k, UNREAD_COLUMNS) of the chosen runs, together in each tile that has some."""
    runs = Runs(*(values[chosen] for values in runs))
    tiles = runs.rows // part.TILE * (limits.width // part.TILE + 1) + runs.starts // part.TILE
    _, first, inside = np.unique(tiles, return_index=True, return_inverse=True)
    unread = np.zeros((len(first), part.UNREAD_COLUMNS), np.int64)
    unread[:, : part.AREA] = part_boxes(runs._replace(parts=inside), limits)[: len(first)]
    unread[:, part.REASON] = part.TOO_MUCH_INK
    np.maximum.at(unread[:, part.STRENGTH], inside, runs.peaks)
    return unread[np.argsort(first)]


def _pixels_below_ink(runs: Runs, inside: Flags) -> Whole:
    below = np.zeros((inside.shape[0], inside.shape[1] + 1), np.int64)
    below[1:, 1:] = inside[1:] & inside[:-1]
    below = below.cumsum(axis=1)
    pixels: Whole = below[runs.rows, runs.ends] - below[runs.rows, runs.starts]
    return pixels


def _count_open(runs: Runs, inside: Flags, ink: Picture, paper: Picture) -> Whole:
    """How often, across and down, one side of a run is nearly as dark as it, though no ink, and the other is not."""
    height, width = inside.shape
    middles = (runs.starts + runs.ends) // 2
    base = paper[runs.rows, middles].astype(np.int64)
    rise = ink[runs.rows, middles] - base

    def goes_on(rows: Whole, columns: Whole) -> Flags:
        rows, columns = np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
        dark: Flags = ~inside[rows, columns] & (4 * (ink[rows, columns] - base) > 3 * rise)
        return dark

    across = goes_on(runs.rows, runs.starts - 2) != goes_on(runs.rows, runs.ends + 1)
    down = goes_on(runs.rows - 2, middles) != goes_on(runs.rows + 2, middles)
    count: Whole = across.astype(np.int64) + down
    return count
