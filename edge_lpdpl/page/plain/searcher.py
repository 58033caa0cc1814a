"""The searcher for machines without a compiler; implements `edge_lpdpl.page.searcher.Searcher`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import INK_AUTO, INK_LIGHT
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.buffers import light_scale, most_runs
from edge_lpdpl.page.parts_table import LIFTED_SIDE, REACH
from edge_lpdpl.page.plain import parts
from edge_lpdpl.page.plain.cuts import find_cuts
from edge_lpdpl.page.plain.rules import find_hidden, find_ruled, is_rest
from edge_lpdpl.page.plain.walls import find_wall_in_gap
from edge_lpdpl.page.plain.writing import keep_writing, why_no_group
from edge_lpdpl.page.record import Lifted, Member, Scope
from edge_lpdpl.page.rules_table import HIDDEN, REST
from edge_lpdpl.page.settings import Limits

Picture = NDArray[np.uint8]
Whole = NDArray[np.int64]


class NumpySearcher:
    """Searches as the kernels do and finds the same."""

    def __init__(self, scope: Scope, limits: Limits) -> None:
        self._scope, self._limits = scope, limits
        self._light, self._strongest = False, 0
        self._grey = self._ink = self._paper = self._contrast = np.zeros((0, 0), np.uint8)
        self._ruled = np.zeros((0, 0), np.bool_)
        self._part_at = self._table = self._unread = self._dividers = np.zeros((0, 0), np.int64)
        self._seams = np.zeros((part.MOST_SEAMS, limits.height), np.int64)
        self._seams[part.RIGHT_END] = limits.width

    def search(self, grey: Picture) -> Whole:
        limits, polarity = self._limits, self._scope.polarity
        self._grey = grey[self._scope.top :, self._scope.left :]
        small = parts.reduce(self._grey, limits)
        self._light = polarity == INK_LIGHT or (polarity == INK_AUTO and parts.strokes_are_dark(255 - small))
        self._ink = small if self._light else 255 - small
        self._paper = parts.spread(parts.find_paper(self._ink, limits.window), *small.shape)
        self._contrast = contrast = parts.take_contrast(self._ink, self._paper, limits.least_contrast)
        rise = np.where(contrast != 0, self._ink - self._paper, 0).astype(np.uint8)
        self._ruled, frames, self._dividers = find_ruled(rise, limits.shortest_underline, limits.single_boxes > 0)
        contrast[self._ruled] = 0
        cleared = parts.keep_cores(contrast, limits)
        table, runs, rows, too_much = parts.measure_parts(contrast, self._ruled, self._ink, self._paper, limits)
        self._table, places, left_out, self._strongest = keep_writing(table, limits)
        self._unread = np.concatenate([frames, cleared, too_much, left_out])
        row_of = np.append(np.where(rows >= 0, np.append(places, -1)[rows], -1), -1)
        self._part_at = np.full(contrast.shape, -2, np.int64)  # no ink
        self._part_at[contrast != 0] = np.repeat(row_of[runs.parts], runs.ends - runs.starts)
        self._part_at[self._ruled] = -1
        return self._table

    def unread(self) -> Whole:
        return self._unread

    def dividers(self) -> Whole:
        return self._dividers

    def cut(self, row: int, slot: int) -> list[list[int]]:
        left, top, right, bottom = self._table[row, : part.AREA].tolist()
        if (right - left) * (bottom - top) > most_runs(self._limits):
            return []
        area = slice(top, bottom), slice(left, right)
        own = np.where(self._part_at[area] == row, self._contrast[area], 0)
        peak = int(self._table[row, part.RIDGE] // self._table[row, part.RUNS])
        cuts = find_cuts(own, peak, part.MOST_SEAMS - slot)
        for number, (_, seam) in enumerate(cuts, slot):
            self._seams[number, top:bottom] = left + seam
        return [[cost, left + int(seam[len(seam) // 2])] for cost, seam in cuts]

    def lift(self, members: Sequence[Member], uncovered: bool = False) -> Lifted | None:
        limits, factor = self._limits, self._limits.factor
        own = np.zeros_like(self._part_at, np.bool_)
        row = np.zeros(part.COLUMNS, np.int64)
        row[:2] = limits.width, limits.height
        for member in members:
            piece = self._piece(member)
            _add_piece(row, piece, self._table[member[part.MEMBER]])
            own |= piece
        if row[part.RUNS] == 0:
            return None
        rise = (self._ink - self._paper).astype(np.int64)
        taken = (rise * light_scale()[self._paper]) >> 8
        reason = why_no_group(row, self._strongest, taken, limits)
        hidden = find_hidden(row, self._contrast, self._ruled, taken)
        doubt = REST if is_rest(row, self._ruled) else HIDDEN if hidden.any() else 0
        y0, y1 = max(int(row[part.TOP]) - 2 * REACH, 0), min(int(row[part.BOTTOM]) + 2 * REACH, limits.height)
        x0, x1 = max(int(row[part.LEFT]) - 2 * REACH, 0), min(int(row[part.RIGHT]) + 2 * REACH, limits.width)
        area = slice(y0, y1), slice(x0, x1)
        mask, ink, paper = self._around(own)[area], self._ink[area], self._paper[area]
        if uncovered and doubt == HIDDEN:
            mask |= hidden[area]
        side, soft = max(ink.shape), int(row[part.RIDGE] // (part.SOFT * row[part.RUNS]))
        if side * factor > LIFTED_SIDE or factor == 1:
            shrunk = max(min(-(-side // LIFTED_SIDE), (min(ink.shape) - 1) // (part.LEAST_LIFTED - 1)), 1)
            return Lifted(_means(np.where(mask, ink - paper, 0), paper, shrunk, soft), row.tolist(), reason, doubt)
        view = self._grey[y0 * factor : y1 * factor, x0 * factor : x1 * factor]
        level = (view if self._light else 255 - view).astype(np.int64)
        mask = mask.repeat(factor, axis=0).repeat(factor, axis=1)
        paper = paper.repeat(factor, axis=0).repeat(factor, axis=1)
        shown = np.where(mask, np.maximum(level - paper, 0), 0).astype(np.uint32)
        return Lifted(_above(soft, (shown * light_scale()[paper]) >> 8), row.tolist(), reason, doubt)

    def wall(self, gap: Sequence[int], lean: int, behind: bool) -> int:
        return find_wall_in_gap(self._ink, gap, lean, behind)

    def _piece(self, member: Member) -> NDArray[np.bool_]:
        """The ink of a member."""
        row, start, end = member
        columns = np.arange(self._limits.width)
        own: NDArray[np.bool_] = self._part_at == row
        return own & (columns >= self._seams[start, :, None]) & (columns < self._seams[end, :, None])

    def _around(self, own: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The group's ink and REACH pixels around it, but not other ink."""
        height, width = own.shape
        padded = np.pad(own, REACH)
        wide = np.zeros_like(own)
        for down in range(2 * REACH + 1):
            for across in range(2 * REACH + 1):
                wide |= padded[down : down + height, across : across + width]
        free: NDArray[np.bool_] = wide & (own | (self._part_at == -2))
        return free


def _add_piece(row: Whole, piece: NDArray[np.bool_], whole: Whole) -> None:
    """Add a piece of a part to the measures of its group; `whole` are those of the part."""
    ys, xs = np.nonzero(piece)
    if not len(ys):
        return
    sides = int(xs.max() + 1 - xs.min()), int(ys.max() + 1 - ys.min())
    row[[part.LEFT, part.TOP]] = np.minimum(row[[part.LEFT, part.TOP]], [xs.min(), ys.min()])
    row[[part.RIGHT, part.BOTTOM]] = np.maximum(row[[part.RIGHT, part.BOTTOM]], [xs.max() + 1, ys.max() + 1])
    row[part.LONGEST] = max(int(row[part.LONGEST]), *sides)
    row[part.AREA] += len(ys)
    row[part.RUNS] += np.count_nonzero(np.diff(piece.astype(np.int8), axis=1, prepend=0) == 1)
    for column in (part.SHARED, part.RIDGE, part.OPEN):
        row[column] += whole[column] * len(ys) // whole[part.AREA]


def _means(rise: Picture, paper: Picture, side: int, soft: int) -> Picture:
    """The mean rises of blocks of `side` x `side` pixels, each with the paper of its first."""
    height, width = rise.shape
    whole = np.pad(rise, ((0, -height % side), (0, -width % side))).astype(np.uint32)
    sums = whole.reshape(whole.shape[0] // side, side, whole.shape[1] // side, side).sum(axis=(1, 3), dtype=np.uint32)
    return _above(soft, (sums * light_scale()[paper[::side, ::side]] // (side * side)) >> 8)


def _above(soft: int, contrast: NDArray[Any]) -> Picture:
    """Contrast less that of the soft edge."""
    return np.clip(contrast.astype(np.int64) - soft, 0, 255).astype(np.uint8)
