"""Printed rules, with array operations: what the kernels of `rules` do."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.settings import Limits

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
ONE = 65536

THIN = 4
DEBUG = False
FACTOR = 8
STEEPEST = 12
DENSE = 8192
LEAST = 20
MOST_LINES = 24
MOST_WALLS = 40
SLENDER = 40


class Line(NamedTuple):
    """A straight line: across = (level + slope * (along - middle)) / ONE."""

    slope: int
    level: int
    start: int
    end: int
    thick: int = 0
    score: int = 0
    total: int = 0

    def at(self, along, middle):
        return (self.level + self.slope * (along - middle) + ONE // 2) >> 16


def run_lengths(inside):
    """Length of the run of ink down its column that each pixel is in, 0 without ink."""
    height, width = inside.shape
    step = np.diff(np.pad(inside, ((1, 1), (0, 0))).astype(np.int8), axis=0).T
    xs, starts = np.nonzero(step == 1)
    ends = np.nonzero(step == -1)[1]
    lengths = np.zeros((width, height), np.int64)
    lengths[inside.T] = np.repeat(ends - starts, ends - starts)
    return lengths.T, xs, starts, ends


def take_rules(contrast, limits):
    inside = contrast != 0
    lines = find_lines(inside)
    ruled = np.zeros(inside.shape, np.bool_)
    boxes = []
    frames = find_frames(inside, lines)
    for top, bottom, walls in frames:
        h, w = inside.shape
        for wall in walls:
            rub(contrast.T, inside.T, ruled.T, wall, wall.start, wall.end)
        for line in (top, bottom):
            left = min(wall.at(line.at(wall.level // ONE, w // 2), h // 2) for wall in walls)
            right = max(wall.at(line.at(wall.level // ONE, w // 2), h // 2) for wall in walls)
            rub(contrast, inside, ruled, line, left - 2, right + 3)
    for line in lines:
        if (line.end - line.start) * line.score >= SLENDER * line.total and line.score * 4 >= 3 * (line.end - line.start):
            rub(contrast, inside, ruled, line, line.start, line.end)
    contrast[ruled] = 0
    return ruled, lines, frames


def find_lines(inside):
    height, width = inside.shape
    lengths, xs, starts, ends = run_lengths(inside)
    thin = ends - starts <= THIN
    x, twice = xs[thin], (starts + ends - 1)[thin]
    if not LEAST <= len(x) <= DENSE:
        return []
    slopes = np.arange(-STEEPEST, STEEPEST + 1)
    off = (STEEPEST * (width // 2 + 1)) // 64 + 1
    bins = (height + 1) // 2 + 2 * off + 1
    place = (32 * twice - 2 * slopes[:, None] * (x - width // 2)) // 128 + off
    place += np.arange(len(slopes))[:, None] * bins
    votes = np.bincount(place.ravel(), minlength=len(slopes) * bins)
    left = np.ones(len(x), np.bool_)
    lines = []
    for _ in range(MOST_LINES):
        pairs = votes[:-1] + votes[1:]
        peak = int(pairs.argmax())
        if pairs[peak] < LEAST:
            break
        slope, bin_ = divmod(peak, bins)
        line = walk(lengths, Line((slope - STEEPEST) * 2048, (bin_ + 1 - off) * 2 * ONE - ONE//2 , 0, width))
        for _ in range(3):
            line = walk(lengths, fit(x, twice, left, line, width))
        near = left & (abs(twice * (ONE // 2) - (line.level + line.slope * (x - width // 2))) <= 2 * ONE)
        near &= (x >= line.start) & (x < line.end)
        if line.score and np.count_nonzero(near) >= LEAST:
            lines.append(line)
        else:
            near = left & (place[slope] >= peak) & (place[slope] <= peak + 1)
        np.subtract.at(votes, place[:, near].ravel(), 1)
        left &= ~near
    return sorted(lines, key=lambda line: line.level)


def fit(x, twice, left, line, width):
    near = left & (abs(twice * (ONE // 2) - (line.level + line.slope * (x - width // 2))) <= 2 * ONE)
    near &= (x >= line.start) & (x < line.end)
    a, b, n = x[near] - width // 2, twice[near], int(near.sum())
    spread = n * int((a * a).sum()) - int(a.sum()) ** 2
    if spread == 0:
        return line
    slope = (n * int((a * b).sum()) - int(a.sum()) * int(b.sum())) * (ONE // 2) // spread
    return line._replace(slope=slope, level=(int(b.sum()) * (ONE // 2) - slope * int(a.sum())) // n)


def crossed(lengths, line, start, end):
    """Length of the run of ink that the line crosses at each place, 0 without."""
    height, width = lengths.shape
    along = np.arange(start, end)
    across = line.at(along, width // 2)
    out = np.zeros(len(along), np.int64)
    for aside in (0, -1, 1):
        rows = across + aside
        ok = (rows >= 0) & (rows < height)
        value = np.where(ok, lengths[np.clip(rows, 0, height - 1), along], 0)
        out = np.where(out == 0, value, out)
    return out


def walk(lengths, line):
    """The line with the stretch that is most of it ink."""
    found = crossed(lengths, line, 0, lengths.shape[1])
    worth = np.where(found == 0, -1, found <= THIN).astype(np.int64)
    best, total, start, ends = 0, 0, 0, (0, 0)
    for place, value in enumerate(worth.tolist()):
        if total <= 0:
            total, start = 0, place
        total += value
        if total > best:
            best, ends = total, (start, place + 1)
    of = found[ends[0]:ends[1]]
    of = of[(of > 0) & (of <= THIN)]
    n = max(len(of), 1)
    return line._replace(start=ends[0], end=ends[1], thick=(2 * int(of.sum()) + n) // (2 * n), score=len(of) if best >= LEAST else 0, total=int(of.sum()))


def find_frames(inside, lines):
    height, width = inside.shape
    lengths, ys, starts, ends = run_lengths(inside.T)
    thin = ends - starts <= THIN
    y, twice = ys[thin], (starts + ends - 1)[thin]
    frames = []
    for i, top in enumerate(lines):
        for bottom in lines[i + 1:]:
            start, end = max(top.start, bottom.start), min(top.end, bottom.end)
            middle = (start + end) // 2
            ym = top.at(middle, width // 2), bottom.at(middle, width // 2)
            high = ym[1] - ym[0]
            if end - start < 24 or (end - start) * 8 < high * 9 or high < 7 * max(top.thick, bottom.thick) or abs(top.slope - bottom.slope) > ONE // 8:
                continue
            walls = find_walls(lengths, y, twice, top, bottom, start, end, high, sum(ym) // 2, inside.shape)
            walls = regular(walls, high)
            if not walls:
                continue
            frames.append((top, bottom, walls))
            break
    return frames


def find_walls(lengths, y, twice, top, bottom, start, end, high, centre, shape):
    height, width = shape
    x = twice // 2
    above, below = top.at(x, width // 2), bottom.at(x, width // 2)
    own = (y > above) & (y < below) & (x >= start - high // 4) & (x < end + high // 4)
    x2, num, den = twice[own], (2 * y - above - below)[own], (below - above)[own]
    lean = -(top.slope + bottom.slope) * high // (2 * ONE)
    step = max(1, high // 64)
    reach = max(2, high // 8) // step
    leans = lean + step * np.arange(-reach, reach + 1)
    place = (x2 - leans[:, None] * num // den + 1) // 2
    ok = (place >= 0) & (place < width)
    place = np.where(ok, place, width) + np.arange(len(leans))[:, None] * (width + 1)
    votes = np.bincount(place.ravel(), minlength=len(leans) * (width + 1))
    votes = votes.reshape(len(leans), width + 1)
    votes[:, width] = 0
    walls = []
    for _ in range(MOST_WALLS):
        pairs = votes[:, :-1] + votes[:, 1:]
        k, b = divmod(int(pairs.argmax()), width)
        if pairs[k, b] * 4 < high:
            break
        slope = int(leans[k]) * ONE // high
        a = int(top.at(b, width // 2)) + (top.thick + 1) // 2 + 1
        z = int(bottom.at(b, width // 2)) - (bottom.thick + 1) // 2
        level = b * ONE + ONE // 2 - slope * ((a + z) // 2 - height // 2)
        wall = Line(slope, level, max(a, 0), min(z, height))
        found = crossed(lengths, wall, wall.start, wall.end)
        good = (found > 0) & (found <= THIN)
        none = int((found == 0).sum())
        score = int(good.sum()) - none
        end, span = 2 + high // 32, wall.end - wall.start
        strong = score * 2 >= span
        if (strong or none * 8 <= span) and good.any() and found[:end].any() and found[-end:].any():
            walls.append((b, score * 8 >= 7 * span, strong, wall._replace(thick=(2 * int(found[good].sum()) + int(good.sum())) // (2 * int(good.sum())), score=score)))
        votes[:, max(b - 2, 0) : b + 4] = 0
    return walls


def regular(walls, high):
    """Of candidates the walls of a frame: its ends, and those that divide it into equal cells."""
    sure = [b for b, _, strong, _ in walls if strong]
    if len(sure) < 2:
        return []
    left, right = min(sure), max(sure)
    wide = right - left
    walls = [w for w in walls if left <= w[0] <= right]
    best, cells = 0, 1
    for n in range(2, min(2 * wide // high, 32) + 1):
        hits = sum(any(abs((b - left) * n - k * wide) * 6 <= wide for b, *_ in walls) for k in range(1, n))
        if 2 * hits - (n - 1) > best:
            best, cells = 2 * hits - (n - 1), n
    if wide * 5 < high * 8 and (cells == 1 or wide * 8 < high * 9):
        return []
    def on_grid(b):
        k = ((b - left) * cells * 2 + wide) // (2 * wide)
        return abs((b - left) * cells - k * wide) * 6 <= wide
    return [w for b, clear, _, w in walls if on_grid(b) or (cells == 1 and clear)]


def rub(rise, inside, ruled, line, start, end):
    height, width = inside.shape
    now = inside & ~ruled

    def ink(rows, columns):
        ok = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        return ok & now[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)]

    along = np.arange(max(start, 0), min(end, width))
    exact = line.at(along, width // 2)
    across = np.where(ink(exact, along), exact, np.where(ink(exact - 1, along), exact - 1, exact + 1))
    reach = [np.zeros(len(along), np.int64) for _ in range(2)]
    for side, count in zip((-1, 1), reach):
        for away in range(1, THIN + 2):
            count += (count == away - 1) & ink(across + side * away, along)
    total = reach[0] + reach[1] + 1
    ok = ink(across, along) & (total <= THIN)
    if not ok.any():
        return
    dark = FACTOR * int(rise[across[ok], along[ok]].astype(np.int64).sum()) // int(ok.sum()) // 4
    thin = total <= line.thick + 1
    half = max(line.thick // 2, 1)
    kept = np.zeros(len(along), np.bool_)
    for aside in range(-2, 3):
        kept |= ink(exact - half - 1, along - aside) & ink(exact + half + 1, along + aside)
    first = np.where(thin, across - reach[0], exact - half)
    last = np.where(thin, across + reach[1], np.where(kept, exact - half - 1, exact + half))
    for down in range(-THIN - 3, THIN + 4):
        rows = exact + down
        ok = (rows >= first) & (rows <= last) & ink(rows, along)
        ok &= rise[np.clip(rows, 0, height - 1), along] <= dark
        ruled[rows[ok], along[ok]] = True
