"""Grey picture to ink: Otsu's threshold, either polarity, grown through connected faint strokes, specks left out."""

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.intrinsics import as_words
from edge_lpdpl.paper import border_is_light, invert, subtract_paper
from edge_lpdpl.runs import find_runs, join_runs, keep_runs
from edge_lpdpl.shrink import shrink
from edge_lpdpl.workspace import (
    BOTTOM,
    HEIGHT,
    INK_AUTO,
    INK_DARK,
    LEFT,
    LEVEL,
    MOST_INK,
    PHOTOGRAPH_LEVEL,
    PIXELS,
    RIGHT,
    TOP,
    WIDTH,
)


@kernel
def count_grey_levels(grey, size, counts):
    """Histogram of the first `size` pixels into `counts` (256,) int64.

    Sixteen pixels at a time while they are those at the beginning, as most of the paper of a clean picture is: counting
    one bin over and over waits for its own last store each time.
    """
    for level in range(256):
        counts[level] = 0
    words = as_words(grey[: size - size % 16])
    ground = words[0]
    plain = 0
    for pair in range(size // 16):
        if (words[2 * pair] ^ ground) | (words[2 * pair + 1] ^ ground) == 0:
            plain += 2
            continue
        for word in range(2 * pair, 2 * pair + 2):
            if words[word] == ground:
                plain += 1
            else:
                for pixel in range(8 * word, 8 * word + 8):
                    counts[grey[pixel]] += 1
    if plain > 0:
        for pixel in range(8):
            counts[grey[pixel]] += plain
    for pixel in range(size - size % 16, size):
        counts[grey[pixel]] += 1


@kernel
def otsu_threshold(counts, size):
    """Otsu's threshold of a histogram: ink is above it. The variance between the classes is largest there.

    Returns:
        Threshold (-1 where all pixels are alike), mean of the pixels up to it, mean of those above.
    """
    total = 0
    for level in range(256):
        total += level * counts[level]
    best = -1.0
    threshold = -1
    below_mean = 0.0
    above_mean = 0.0
    below = 0
    below_sum = 0
    for level in range(255):
        if counts[level] == 0:
            continue
        below += counts[level]
        below_sum += level * counts[level]
        if below == size:
            break
        difference = float(below_sum) * size - float(total) * below
        variance = difference * difference / (float(below) * (size - below))
        if variance > best:
            best = variance
            threshold = level
            below_mean = below_sum / below
            above_mean = (total - below_sum) / (size - below)
    return threshold, below_mean, above_mean


@kernel
def lift_ink(grey, height, width, borders, firsts, ink, counts, found):
    """Write the grey of the runs that were kept into `ink` (0 elsewhere), their histogram into `counts`, their box into
    `found`."""
    for index in range(height * width):
        ink[index] = 0
    for level in range(256):
        counts[level] = 0
    top, bottom, left, right = height, 0, width, 0
    for y in range(height):
        for run in range(firsts[y], firsts[y + 1]):
            start, end = borders[2 * run], borders[2 * run + 1]
            if start == end:
                continue
            top, bottom = min(top, y), y + 1
            left, right = min(left, start), max(right, end)
            source, target = grey[y * width + start : y * width + end], ink[y * width + start : y * width + end]
            for x in range(len(source)):
                target[x] = source[x]
                counts[source[x]] += 1
    found[TOP], found[BOTTOM], found[LEFT], found[RIGHT] = top, bottom, left, right


@kernel
def percentile_level(counts, pixels, percentile):
    """Smallest grey level at or below which lie at least `percentile` per cent of the pixels of a histogram."""
    wanted = (pixels * percentile + 99) // 100
    seen = 0
    for level in range(256):
        seen += counts[level]
        if seen >= wanted and seen > 0:
            return level
    return 255


@kernel
def reverse_levels(counts):
    """Histogram of the inverted picture."""
    for level in range(128):
        counts[level], counts[255 - level] = counts[255 - level], counts[level]


@kernel
def is_photograph(counts, threshold):
    """True where even the darkest quarter of the pixels up to `threshold` is not near black; light ink on dark.

    A clean picture has black ground in plenty, though bold antialiased strokes may leave little of it.
    """
    paper = 0
    for level in range(threshold + 1):
        paper += counts[level]
    return percentile_level(counts, paper, 25) > PHOTOGRAPH_LEVEL


@kernel
def binarise(grey, polarity, settings, buffers):
    """Find the ink of `grey` and leave it in `buffers.ink`, with what was found in `buffers.found`.

    Args:
        grey: (height, width) uint8, C-contiguous, each side 8..4096.
        polarity: INK_LIGHT, INK_DARK or INK_AUTO (the border tells).
        settings: Preprocessing.
        buffers: Workspace.

    Returns:
        Number of ink pixels; 0 where there is nothing: a blank, constant or all-ink picture, or specks alone.
    """
    height, width = shrink(grey, buffers.grey)
    return binarise_in_place(height, width, polarity, settings, buffers)


@kernel
def binarise_in_place(height, width, polarity, settings, buffers):
    """The same for the picture in `buffers.grey`, which is no larger than WORKING_SIDE a side."""
    found = buffers.found
    size = height * width
    found[HEIGHT], found[WIDTH], found[PIXELS] = height, width, 0
    count_grey_levels(buffers.grey, size, buffers.counts)
    threshold, below_mean, above_mean = otsu_threshold(buffers.counts, size)
    if threshold < 0 or above_mean - below_mean < settings.least_contrast:
        return 0
    if polarity == INK_DARK or (polarity == INK_AUTO and border_is_light(buffers.grey, height, width, threshold)):
        invert(buffers.grey, size)
        reverse_levels(buffers.counts)
        # Levels without pixels lie on the other side of the cut now: cut again, exactly as light ink would have been.
        threshold, below_mean, above_mean = otsu_threshold(buffers.counts, size)
    if settings.paper_window > 0 and is_photograph(buffers.counts, threshold):
        window = int(settings.paper_window * max(height, width)) | 1
        subtract_paper(buffers.grey, height, width, window, buffers.paper)
        count_grey_levels(buffers.grey, size, buffers.counts)
        threshold, below_mean, above_mean = otsu_threshold(buffers.counts, size)
        if threshold < 0 or above_mean - below_mean < settings.least_contrast:
            return 0
    low = int(below_mean + settings.low_ratio * (threshold - below_mean)) if settings.low_ratio < 1 else threshold
    speck = max(2, int(settings.speck_share * size))
    find_runs(buffers.grey, height, width, np.uint8(low), buffers.marks, buffers.borders, buffers.firsts)
    join_runs(height, buffers.borders, buffers.firsts, buffers.parents)
    pixels = keep_runs(
        buffers.grey, height, width, threshold, speck, buffers.borders, buffers.firsts, buffers.parents, buffers.sizes
    )
    if pixels == 0 or pixels > MOST_INK * size:
        return 0
    lift_ink(buffers.grey, height, width, buffers.borders, buffers.firsts, buffers.ink, buffers.counts, found)
    level = 1
    if settings.ink_percentile > 0:
        level = percentile_level(buffers.counts, pixels, settings.ink_percentile)
    found[PIXELS], found[LEVEL] = pixels, level
    return pixels
