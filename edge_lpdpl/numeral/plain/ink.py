"""Grey picture to ink, in NumPy: the twin of `numeral.kernels.ink`.

It uses whole numbers and the same few float64 operations, so it finds exactly the pixels that the kernels find.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import INK_AUTO, INK_DARK
from edge_lpdpl.model.settings import Preprocessing
from edge_lpdpl.numeral.buffers import BOTTOM, HEIGHT, LEFT, LEVEL, PIXELS, RIGHT, TOP, WIDTH, Workspace

Picture = NDArray[np.uint8]
Whole = NDArray[np.int64]


class Split(NamedTuple):
    """A histogram cut in two."""

    threshold: int
    """Ink is above it; -1 where all pixels are alike."""
    below: float
    """Mean level up to the threshold."""
    above: float
    """Mean level above it."""


def binarise(grey: Picture, polarity: int, settings: Preprocessing, buffers: Workspace) -> int:
    """Find the ink of `grey` (height, width) and leave it in the buffers; returns its pixels, 0 where there is none."""
    picture = shrink(grey, settings.longest_side, buffers.grey)
    buffers.found[[HEIGHT, WIDTH, PIXELS]] = *picture.shape, 0
    counts = count_levels(picture)
    split = otsu(counts)
    if is_plain(split, settings):
        return 0
    if polarity == INK_DARK or (polarity == INK_AUTO and border_is_light(picture, split.threshold)):
        np.subtract(255, picture, out=picture)
        counts = counts[::-1]
        split = otsu(counts)
    if settings.paper_window > 0 and is_photograph(counts, split.threshold, settings):
        picture -= paper_under(picture, int(settings.paper_window * max(picture.shape)) | 1)
        counts = count_levels(picture)
        split = otsu(counts)
        if is_plain(split, settings):
            return 0
    ink = buffers.ink[: picture.size].reshape(picture.shape)
    ink[:] = grow_ink(picture, split, low_threshold(counts, split, settings), settings)
    pixels = int(np.count_nonzero(ink))
    if pixels == 0 or pixels > settings.most_ink * ink.size:
        return 0
    describe_ink(ink, pixels, settings.ink_percentile, buffers)
    return pixels


def shrink(grey: Picture, longest_side: int, out: Picture) -> Picture:
    """The picture, or its block means, at the start of `out`; strip by strip, so a large one is never copied."""
    height, width = grey.shape
    factor = -(-max(height, width) // longest_side)
    tops, lefts = np.arange(0, height, factor), np.arange(0, width, factor)
    small = out[: tops.size * lefts.size].reshape(tops.size, lefts.size)
    if factor == 1:
        small[:] = grey
        return small
    widths = np.diff(lefts, append=width)
    for row, top in enumerate(tops):
        strip = grey[top : top + factor]
        areas = len(strip) * widths
        sums = np.add.reduceat(strip.sum(axis=0, dtype=np.int64), lefts)
        small[row] = (sums + areas // 2) // areas
    return small


def count_levels(picture: Picture) -> Whole:
    """Histogram (256,)."""
    return np.bincount(picture.ravel(), minlength=256)


def otsu(counts: Whole) -> Split:
    """Otsu's threshold: the variance between the classes is largest there, and the lowest such level is taken."""
    levels = counts.nonzero()[0]
    below = counts[levels].cumsum()
    below_sum = (levels * counts[levels]).cumsum()
    size, total = int(below[-1]), int(below_sum[-1])
    levels, below, below_sum = levels[:-1], below[:-1], below_sum[:-1]
    if levels.size == 0:
        return Split(-1, 0.0, 0.0)
    difference = below_sum.astype(np.float64) * size - float(total) * below
    best = int(np.argmax(difference * difference / (below.astype(np.float64) * (size - below))))
    count, grey = int(below[best]), int(below_sum[best])
    return Split(int(levels[best]), grey / count, (total - grey) / (size - count))


def is_plain(split: Split, settings: Preprocessing) -> bool:
    """True where ink and paper are too much alike, or all pixels are."""
    return split.threshold < 0 or split.above - split.below < settings.least_contrast


def border_is_light(picture: Picture, threshold: int) -> bool:
    """True where more than half of the border lies above the threshold: the ink is dark."""
    border = (picture[0], picture[-1], picture[:, 0], picture[:, -1])
    return sum(int(np.count_nonzero(edge > threshold)) for edge in border) > sum(picture.shape)


def is_photograph(counts: Whole, threshold: int, settings: Preprocessing) -> bool:
    """True where even the darkest of the paper is not near black."""
    return percentile_level(counts[: threshold + 1], settings.photograph_percentile) > settings.photograph_level


def percentile_level(counts: NDArray[np.integer[Any]], percentile: int) -> int:
    """Smallest level at or below which lie at least `percentile` per cent of the pixels of a histogram."""
    seen = counts.cumsum()
    wanted = (int(seen[-1]) * percentile + 99) // 100
    return int(np.searchsorted(seen, max(wanted, 1)))


def paper_under(picture: Picture, window: int) -> Picture:
    """Morphological opening by the squares of `window` pixels that lie inside the picture."""
    window = min(window, *picture.shape)
    eroded = _slide(np.minimum, picture, window)
    return _slide(np.maximum, np.pad(eroded, window - 1), window)  # beyond the rim is 0, which wins no maximum


def _slide(extremum: np.ufunc, picture: Picture, window: int) -> Picture:
    """Extremum over every square of `window` pixels, by doubling down and across."""
    reach = 1
    while reach < window:
        step = min(reach, window - reach)
        picture = extremum(picture[:-step], picture[step:])
        picture = extremum(picture[:, :-step], picture[:, step:])
        reach += step
    return picture


def low_threshold(counts: Whole, split: Split, settings: Preprocessing) -> int:
    """Level above which ink grows: a share of the threshold, or the level at which ink has grown as much as it may."""
    if settings.low_ratio >= 1:
        return split.threshold
    low = int(split.below + settings.low_ratio * (split.threshold - split.below))
    grown = counts[split.threshold : low : -1].cumsum()
    return low + int(np.count_nonzero(grown > settings.most_growth * counts[split.threshold + 1 :].sum()))


def grow_ink(picture: Picture, split: Split, low: int, settings: Preprocessing) -> Picture:
    """Grey where the ink is, else 0: connected pixels above `low`, some of them above the threshold, without specks;
    and the faint strokes beside them.

    Works on runs of pixels along rows; the rows form one long line with a free pixel between them.
    """
    speck = max(settings.least_speck, int(settings.speck_share * picture.size))
    line = np.zeros((picture.shape[0], picture.shape[1] + 1), np.uint8)
    line[:, :-1] = picture
    flat = line.ravel()
    flat[flat <= low] = 0
    starts, ends = find_runs(flat)
    parts = join_runs(starts, ends, line.shape[1])
    sizes = np.bincount(parts, ends - starts, starts.size)
    is_ink = (sizes >= speck) & has_above(flat, split.threshold, starts, ends, parts)
    peak = max(low, int(split.below + settings.faint_peak * (split.threshold - split.below)))
    if is_ink.any() and low < split.threshold:
        near = around(_only(line, starts, ends, is_ink[parts]), settings.faint_reach)
        faint = np.zeros_like(line)
        faint[near] = line[near]
        large = sizes >= max(speck, int(settings.faint_share * picture.size))
        is_faint = large & ~on_rim(picture.shape, starts, ends, parts)
        is_ink |= is_faint & has_above(faint.ravel(), peak, starts, ends, parts)
    return _only(line, starts, ends, is_ink[parts])[:, :-1]


def has_above(flat: Picture, level: int, starts: Whole, ends: Whole, parts: Whole) -> NDArray[np.bool_]:
    """(runs,) whether the part of that number has a pixel above a level."""
    peaks = np.maximum.reduceat(flat, np.stack([starts, ends], axis=1).ravel())[::2]
    return np.bincount(parts, peaks > level, starts.size) > 0


def on_rim(shape: tuple[int, int], starts: Whole, ends: Whole, parts: Whole) -> NDArray[np.bool_]:
    """(runs,) whether the part of that number reaches the border of a picture (height, width)."""
    height, width = shape
    rows, first = np.divmod(starts, width + 1)
    cut = (rows == 0) | (rows == height - 1) | (first == 0) | (ends - starts + first == width)
    return np.bincount(parts, cut, starts.size) > 0


def around(ink: Picture, share: float) -> tuple[slice, slice]:
    """The box around the ink, extended on each side by a share of its longer side."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    longer = int(max(np.ptp(rows), np.ptp(columns))) + 1
    reach = int(share * longer)
    down, across = (slice(max(ends[0] - reach, 0), ends[-1] + 1 + reach) for ends in (rows, columns))
    return down, across


def _only(line: Picture, starts: Whole, ends: Whole, wanted: NDArray[np.bool_]) -> Picture:
    """The pixels of the wanted runs, 0 elsewhere."""
    kept = line.copy()
    flat = kept.ravel()
    flat[flat != 0] *= np.repeat(wanted, ends - starts)
    return kept


def find_runs(flat: Picture) -> tuple[Whole, Whole]:
    """First and past-last places of the runs that are not 0."""
    changes = np.flatnonzero(np.diff(flat != 0, prepend=False))
    return changes[::2], changes[1::2]


def join_runs(starts: Whole, ends: Whole, pitch: int) -> Whole:
    """One number for all runs that are connected, corners included, through the lines above and below.

    Each group of connected runs has the number of its first run. Groups that touch join the lower one until none do.
    """
    first = np.searchsorted(ends, starts + pitch)
    touching = np.searchsorted(starts, ends + pitch, side="right") - first
    upper = np.repeat(np.arange(starts.size), touching)
    lower = np.arange(upper.size) + np.repeat(first - touching.cumsum() + touching, touching)
    groups = np.arange(starts.size)
    while True:
        one, other = groups[upper], groups[lower]
        apart = one != other
        if not apart.any():
            return groups
        upper, lower, one, other = upper[apart], lower[apart], one[apart], other[apart]
        np.minimum.at(groups, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(groups, deeper := groups[groups]):
            groups = deeper


def describe_ink(ink: Picture, pixels: int, percentile: int, buffers: Workspace) -> None:
    """Write the box around the ink, its size, its histogram and its full-ink level."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    box = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    buffers.counts[:] = count_levels(ink)
    buffers.counts[0] = 0
    level = percentile_level(buffers.counts, percentile) if percentile > 0 else 1
    buffers.found[[TOP, BOTTOM, LEFT, RIGHT, PIXELS, LEVEL]] = *box, pixels, level
