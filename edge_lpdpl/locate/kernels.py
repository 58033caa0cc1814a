"""All steps of locating in one compiled call, because each call into compiled code has its price."""

from edge_lpdpl.compiled import kernel
from edge_lpdpl.locate.buffers import COUNT, LIGHT
from edge_lpdpl.locate.contrast import take_contrast
from edge_lpdpl.locate.lifting import lift
from edge_lpdpl.locate.numerals import find_numerals
from edge_lpdpl.locate.parts import keep_cores, measure_parts
from edge_lpdpl.locate.reduce import ink_is_light, invert_map, reduce
from edge_lpdpl.opening import open_map
from edge_lpdpl.workspace import INK_AUTO, INK_LIGHT

__all__ = ["lift", "search"]


@kernel
def search(grey, top, left, polarity, limits, stride, buffers):
    """Find the numerals of a frame, from (top, left) on, and leave them in `buffers`; returns their number."""
    height, width = limits.height, limits.width
    ink, paper = buffers.ink, buffers.paper
    reduce(grey, top, left, limits, stride, buffers.sums, ink)
    light = polarity == INK_LIGHT or (polarity == INK_AUTO and ink_is_light(ink, limits, stride))
    buffers.found[LIGHT] = light
    if not light:
        invert_map(ink, limits, stride)
    for place in range(len(ink)):
        paper[place] = ink[place]
    open_map(paper, buffers.spare, height, width, stride, min(limits.window, height, width))
    take_contrast(ink, paper, limits, stride, buffers.counts, buffers.scale, buffers.share)
    keep_cores(limits, stride, buffers)
    count = find_numerals(measure_parts(limits, stride, buffers), limits, stride, buffers)
    buffers.found[COUNT] = count
    return count
