"""The searcher for machines without a compiler; implements `edge_lpdpl.page.searcher.Searcher`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.files.grey import INK_AUTO, INK_LIGHT
from edge_lpdpl.page.buffers import light_scale
from edge_lpdpl.page.parts_table import BOTTOM, LEAST_LIFTED, LEFT, LIFTED_SIDE, REACH, RIDGE, RIGHT, RUNS, SOFT, TOP
from edge_lpdpl.page.plain import parts
from edge_lpdpl.page.plain.numerals import find_numerals
from edge_lpdpl.page.record import Scope
from edge_lpdpl.page.settings import Limits

Picture = NDArray[np.uint8]
Whole = NDArray[np.int64]


class NumpySearcher:
    """Searches as the kernels do and finds the same."""

    def __init__(self, scope: Scope, limits: Limits) -> None:
        self._scope, self._limits = scope, limits
        self._light = False
        self._grey = self._ink = self._paper = np.zeros((0, 0), np.uint8)
        self._numeral_at = self._table = self._unread = np.zeros((0, 0), np.int64)

    def search(self, grey: Picture) -> Whole:
        limits, polarity = self._limits, self._scope.polarity
        self._grey = grey[self._scope.top :, self._scope.left :]
        small = parts.reduce(self._grey, limits)
        self._light = polarity == INK_LIGHT or (polarity == INK_AUTO and parts.strokes_are_dark(255 - small))
        self._ink = small if self._light else 255 - small
        self._paper = parts.spread(parts.find_paper(self._ink, limits.window), *small.shape)
        contrast = parts.take_contrast(self._ink, self._paper, limits.least_contrast)
        cleared = parts.keep_cores(contrast, limits)
        table, runs, rows = parts.measure_parts(contrast, self._ink, self._paper, limits)
        self._table, numerals, left_out = find_numerals(table, self._contrast(), limits)
        self._unread = np.concatenate([cleared, left_out])
        numeral_of = np.append(numerals, -1)[rows]
        self._numeral_at = np.full(contrast.shape, -2, np.int64)  # no ink
        self._numeral_at[contrast != 0] = np.repeat(numeral_of[runs.parts], runs.ends - runs.starts)
        return self._table

    def unread(self) -> Whole:
        return self._unread

    def _contrast(self) -> Whole:
        """Contrast of every pixel of the reduced frame, however faint."""
        rise = (self._ink - self._paper).astype(np.int64)
        return (rise * light_scale()[self._paper]) >> 8

    def lift(self, numeral: int) -> Picture:
        limits, factor = self._limits, self._limits.factor
        row = self._table[numeral]
        y0, y1 = max(int(row[TOP]) - 2 * REACH, 0), min(int(row[BOTTOM]) + 2 * REACH, limits.height)
        x0, x1 = max(int(row[LEFT]) - 2 * REACH, 0), min(int(row[RIGHT]) + 2 * REACH, limits.width)
        area = slice(y0, y1), slice(x0, x1)
        mask, ink, paper = self._mask(numeral)[area], self._ink[area], self._paper[area]
        side, soft = max(ink.shape), int(row[RIDGE] // (SOFT * row[RUNS]))
        if side * factor > LIFTED_SIDE or factor == 1:
            shrunk = max(min(-(-side // LIFTED_SIDE), (min(ink.shape) - 1) // (LEAST_LIFTED - 1)), 1)
            return _means(np.where(mask, ink - paper, 0), paper, shrunk, soft)
        view = self._grey[y0 * factor : y1 * factor, x0 * factor : x1 * factor]
        level = (view if self._light else 255 - view).astype(np.int64)
        mask = mask.repeat(factor, axis=0).repeat(factor, axis=1)
        paper = paper.repeat(factor, axis=0).repeat(factor, axis=1)
        rise = np.where(mask, np.maximum(level - paper, 0), 0).astype(np.uint32)
        return _above(soft, (rise * light_scale()[paper]) >> 8)

    def _mask(self, numeral: int) -> NDArray[np.bool_]:
        """The numeral's ink and REACH pixels around it, but not other ink."""
        own = self._numeral_at == numeral
        height, width = own.shape
        padded = np.pad(own, REACH)
        wide = np.zeros_like(own)
        for down in range(2 * REACH + 1):
            for across in range(2 * REACH + 1):
                wide |= padded[down : down + height, across : across + width]
        free: NDArray[np.bool_] = wide & (own | (self._numeral_at == -2))
        return free


def _means(rise: Picture, paper: Picture, side: int, soft: int) -> Picture:
    """The mean rises of blocks of `side` x `side` pixels, each with the paper of its first."""
    height, width = rise.shape
    whole = np.pad(rise, ((0, -height % side), (0, -width % side))).astype(np.uint32)
    sums = whole.reshape(whole.shape[0] // side, side, whole.shape[1] // side, side).sum(axis=(1, 3), dtype=np.uint32)
    return _above(soft, (sums * light_scale()[paper[::side, ::side]] // (side * side)) >> 8)


def _above(soft: int, contrast: NDArray[Any]) -> Picture:
    """Contrast less that of the soft edge."""
    return np.maximum(contrast.astype(np.int64) - soft, 0).astype(np.uint8)
