"""How much of the paper's light the ink takes: uneven light and shadow are gone after this."""

import numpy as np

from edge_lpdpl.compiled import kernel


@kernel
def take_contrast(ink, paper, limits, stride, counts, scale, share):
    """Write the contrast of every pixel of ink into `share`, 255 for all of the light; 0 elsewhere.

    Ink takes more than `limits.least_contrast`, and rises above the paper by more than the paper's grain does.
    """
    height, width, least = limits.height, limits.width, np.uint16(limits.least_contrast)
    floor = np.uint8(noise_floor(ink, paper, limits, stride, counts))
    for y in range(height):
        dark = ink[y * stride : y * stride + width]
        base = paper[y * stride : y * stride + width]
        out = share[y * stride : y * stride + width]
        for x in range(width):
            # Cast at every step, or the loop runs on 64-bit numbers.
            enough = np.uint8(base[x] + ((least * np.uint16(255 - base[x])) >> 8))
            rise = np.uint8(dark[x] - base[x])
            out[x] = rise if (dark[x] > enough) & (rise > floor) else np.uint8(0)
    words = share.view(np.uint64)
    for word in range(len(words)):
        if words[word] != 0:
            for place in range(8 * word, 8 * word + 8):
                share[place] = (np.uint32(share[place]) * scale[paper[place]]) >> np.uint32(8)


@kernel
def noise_floor(ink, paper, limits, stride, counts):
    """What the grain of the paper alone reaches: three times the median of every eighth row."""
    for level in range(256):
        counts[level] = 0
    for y in range(0, limits.height, 8):
        for place in range(y * stride, y * stride + limits.width):
            counts[ink[place] - paper[place]] += 1
    wanted = ((limits.height + 7) // 8 * limits.width + 1) // 2
    seen = 0
    for level in range(256):
        seen += counts[level]
        if seen >= wanted:
            return min(3 * level, 255)
    return 255
