"""Grey picture to ink: Otsu's threshold, either polarity, grown through connected faint strokes, specks left out."""

import numpy as np

from edge_lpdpl.files.grey import INK_AUTO, INK_DARK
from edge_lpdpl.jit.bits import bits_unlike, count_bits
from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import trailing_zeros
from edge_lpdpl.jit.memory import WORD
from edge_lpdpl.numeral.buffers import BOTTOM, HEIGHT, LEFT, LEVEL, PIXELS, RIGHT, TOP, WIDTH
from edge_lpdpl.numeral.kernels import bitmap
from edge_lpdpl.numeral.kernels.paper import border_is_light, invert, subtract_paper


@kernel
def count_grey_levels(grey, size, counts):
    """Histogram of the first `size` pixels into `counts` (256,) int32.

    Where most pixels equal the first one, as on the paper of a clean picture, only the others are counted one by one:
    incrementing one counter again and again waits for its own last store each time.
    """
    for level in range(256):
        counts[level] = 0
    ground, plain = grey[0], 0
    whole = size - size % WORD
    for first in range(0, whole, WORD):
        others = bits_unlike(grey, first, ground)
        if count_bits(others) > WORD // 2:
            for pixel in range(first, first + WORD):
                counts[grey[pixel]] += 1
            continue
        plain += WORD - count_bits(others)
        while others:
            counts[grey[first + trailing_zeros(others)]] += 1
            others &= others - 1
    counts[ground] += plain
    for pixel in range(whole, size):
        counts[grey[pixel]] += 1


@kernel
def otsu_threshold(counts, size):
    """Otsu's threshold of a histogram: ink is above it. The variance between the classes is largest there.

    Returns:
        Threshold (-1 where all pixels are alike), mean of the pixels up to it, mean of those above.
    """
    total = np.int32(0)  # at most 255 * PICTURE_SIDE**2
    for level in range(256):
        total = np.int32(total + np.int32(level) * np.int32(counts[level]))
    best, threshold = -1.0, -1
    below, below_sum = 0, 0
    best_below, best_sum = 0, 0
    for first in range(0, 256, WORD):
        occupied = bits_unlike(counts, first, 0)
        while occupied:
            level = first + trailing_zeros(occupied)
            occupied &= occupied - 1
            below += counts[level]
            below_sum += level * counts[level]
            if below == size:  # nothing is above
                break
            difference = float(below_sum) * size - float(total) * below
            variance = difference * difference / (float(below) * (size - below))
            if variance > best:
                best, threshold = variance, level
                best_below, best_sum = below, below_sum
    if threshold < 0:
        return threshold, 0.0, 0.0
    return threshold, best_sum / best_below, (total - best_sum) / (size - best_below)


@kernel
def forget_pixels(grey, width, ink, kept, counts):
    """Remove the pixels of the bitmap `ink` that are not in `kept` from the histogram `counts`."""
    words = bitmap.words_of(width)
    for place in range(len(ink)):
        lost = ink[place] & ~kept[place]
        while lost:
            pixel = place // words * width + place % words * WORD + trailing_zeros(lost)
            counts[grey[pixel]] -= 1
            lost &= lost - 1


@kernel
def percentile_level(counts, pixels, percentile):
    """Smallest level at or below which lie at least `percentile` per cent of the pixels of a histogram."""
    wanted = (pixels * percentile + 99) // 100
    seen = 0
    for level in range(len(counts)):
        seen += counts[level]
        if seen >= wanted and seen > 0:
            return level
    return len(counts) - 1


@kernel
def reverse_levels(counts):
    """Histogram of the inverted picture."""
    for level in range(128):
        counts[level], counts[255 - level] = counts[255 - level], counts[level]


@kernel
def is_photograph(counts, threshold, settings):
    """True where even the darkest of the pixels up to `threshold` are not near black; light ink on dark.

    A clean picture has black ground in plenty, though bold antialiased strokes may leave little of it.
    """
    paper = 0
    for level in range(threshold + 1):
        paper += counts[level]
    return percentile_level(counts, paper, settings.photograph_percentile) > settings.photograph_level


@kernel
def low_threshold(counts, threshold, below_mean, settings):
    """Level above which ink grows from connected ink above `threshold`.

    It lies at `low_ratio` of the way from the mean of the paper to the threshold, or higher, so that the pixels between
    the two are at most `most_growth` of those above the threshold. Soft edges and faint strokes are at most about as
    many. More would be uneven paper, lines on it, or print that shows through, and the ink would spread into it.
    """
    if settings.low_ratio >= 1:
        return threshold
    low = int(below_mean + settings.low_ratio * (threshold - below_mean))
    above, between = 0, 0
    for level in range(threshold + 1, len(counts)):
        above += counts[level]
    most = int(settings.most_growth * above)
    for level in range(threshold, low, -1):
        between += counts[level]
        if between > most:
            return level
    return low


@kernel
def binarise(grey, polarity, settings, buffers):
    """Find the ink of `grey` and leave it in `buffers.ink`, with what was found in `buffers.found`.

    Args:
        grey: (height, width) uint8, C-contiguous, each side 8..4096.
        polarity: INK_LIGHT, INK_DARK or INK_AUTO (by the border).
        settings: Preprocessing.
        buffers: Workspace.

    Returns:
        Number of ink pixels; 0 where there is nothing: a blank, constant or all-ink picture, or specks alone.
    """
    height, width = shrink(grey, settings.longest_side, buffers.grey)
    return binarise_in_place(height, width, polarity, settings, buffers)


@kernel
def binarise_in_place(height, width, polarity, settings, buffers):
    """The same for the picture in `buffers.grey`, which is no larger than `longest_side` a side."""
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
        # Levels without pixels now lie on the other side of the threshold: compute it again, exactly as for light ink.
        threshold, below_mean, above_mean = otsu_threshold(buffers.counts, size)
    if settings.paper_window > 0 and is_photograph(buffers.counts, threshold, settings):
        window = int(settings.paper_window * max(height, width)) | 1
        subtract_paper(buffers.grey, height, width, window, buffers.paper)
        count_grey_levels(buffers.grey, size, buffers.counts)
        threshold, below_mean, above_mean = otsu_threshold(buffers.counts, size)
        if threshold < 0 or above_mean - below_mean < settings.least_contrast:
            return 0
    low = low_threshold(buffers.counts, threshold, below_mean, settings)
    speck = max(settings.least_speck, int(settings.speck_share * size))
    words = bitmap.words_of(width)
    ink, seeds = buffers.bitmaps[0, : height * words], buffers.bitmaps[1, : height * words]
    part, kept = buffers.bitmaps[2], buffers.bitmaps[3, : height * words]
    bitmap.mark_above(buffers.grey, height, width, np.uint8(low), ink)
    bitmap.mark_above(buffers.grey, height, width, np.uint8(threshold), seeds)
    kept[:] = 0
    pixels = bitmap.keep_parts(ink, seeds, part, height, words, speck, kept)
    if pixels > 0 and low < threshold:
        middle = int(below_mean + settings.faint_peak * (threshold - below_mean))
        pixels += keep_faint_strokes(buffers.grey, height, width, max(low, middle), speck, settings, buffers.bitmaps)
    if pixels == 0 or pixels > settings.most_ink * size:
        return 0
    bitmap.lift_pixels(buffers.grey, height, width, kept, buffers.ink)
    found[TOP], found[BOTTOM], found[LEFT], found[RIGHT] = bitmap.box_of(kept, height, words)
    level = 1
    if settings.ink_percentile > 0:
        forget_pixels(buffers.grey, width, ink, kept, buffers.counts)
        level = low + 1 + percentile_level(buffers.counts[low + 1 :], pixels, settings.ink_percentile)
    found[PIXELS], found[LEVEL] = pixels, level
    return pixels


@kernel
def shrink(grey, longest_side, out):
    """Copy `grey` into `out`, or its block means where its longer side exceeds `longest_side`.

    Blocks are squares of ceil(longer side / longest_side) pixels, cut at the edges; a mean rounds half up.

    Args:
        grey: (height, width) uint8.
        out: (at least longest_side**2,) uint8, written row by row without gaps.

    Returns:
        Height and width of what was written.
    """
    height, width = grey.shape
    factor = (max(height, width) + longest_side - 1) // longest_side
    if factor == 1:
        for y in range(height):
            row = out[y * width : (y + 1) * width]
            for x in range(width):
                row[x] = grey[y, x]
        return height, width
    small_height, small_width = (height + factor - 1) // factor, (width + factor - 1) // factor
    for y in range(small_height):
        for x in range(small_width):
            bottom, right = min((y + 1) * factor, height), min((x + 1) * factor, width)
            total = 0
            for source_y in range(y * factor, bottom):
                for source_x in range(x * factor, right):
                    total += int(grey[source_y, source_x])
            area = (bottom - y * factor) * (right - x * factor)
            out[y * small_width + x] = (total + area // 2) // area
    return small_height, small_width


@kernel
def mark_others(grey, width, level, ink, kept, marks):
    """Mark the pixels of the ink above `level` that are not kept.

    Returns:
        Number of pixels of the ink that are not kept, 0 where none of them is marked.
    """
    words, count, marked = bitmap.words_of(width), 0, False
    for place in range(len(ink)):
        marks[place] = 0
        others = ink[place] & ~kept[place]
        count += count_bits(others)
        while others:
            if grey[place // words * width + place % words * WORD + trailing_zeros(others)] > level:
                marks[place] |= others & -others
                marked = True
            others &= others - 1
    return count if marked else 0


@kernel
def take_off(marks, others):
    """Clear the marks that are also in `others`."""
    for place in range(len(marks)):
        marks[place] &= ~others[place]


@kernel
def keep_faint_strokes(grey, height, width, peak, speck, settings, bitmaps):
    """Keep also the parts of the ink that reach above `peak` near the kept ink, unless they are specks.

    An equally faint mark farther away is dirt. One that the picture's border cuts off is shade, or a line on the paper.

    Args:
        grey: (at least height * width + WORD,) uint8.
        speck: pixels of a speck at least.
        bitmaps: of the workspace: the ink; scratch; all 0 before and after; what is kept, added to; scratch.

    Returns:
        Number of pixels that are added.
    """
    words = bitmap.words_of(width)
    size = height * words
    ink, seeds, part, kept, cut = bitmaps[0, :size], bitmaps[1, :size], bitmaps[2], bitmaps[3, :size], bitmaps[4, :size]
    speck = max(speck, int(settings.faint_share * height * width))
    if mark_others(grey, width, peak, ink, kept, seeds) < speck:
        return 0
    bitmap.mark_rim(ink, height, width, seeds)
    take_off(seeds, kept)
    cut[:] = 0
    bitmap.keep_parts(ink, seeds, part, height, words, 1, cut)
    mark_others(grey, width, peak, ink, kept, seeds)
    take_off(seeds, cut)
    top, bottom, left, right = bitmap.box_of(kept, height, words)
    reach = int(settings.faint_reach * max(bottom - top, right - left))
    bitmap.clear_around(seeds, height, words, top - reach, bottom + reach, left - reach, right + reach)
    return bitmap.keep_parts(ink, seeds, part, height, words, speck, kept)
