"""All steps of locating in one compiled call, because each call into compiled code has its price.

What Python calls takes the address of a record of `edge_lpdpl.locate.state`, in which a frame is asked for, and leaves
what it finds in the buffers that are named there.
"""

import numpy as np

from edge_lpdpl.compiled import kernel
from edge_lpdpl.locate import views
from edge_lpdpl.locate.buffers import LIGHT
from edge_lpdpl.locate.contrast import find_paper, rise_above
from edge_lpdpl.locate.lifting import lift
from edge_lpdpl.locate.numerals import find_numerals
from edge_lpdpl.locate.parts import keep_cores, measure_parts
from edge_lpdpl.locate.reduce import invert_map, reduce, strokes_are_dark
from edge_lpdpl.workspace import INK_AUTO, INK_LIGHT


@kernel
def search_page(address):
    """Find the numerals of a frame and leave them in the table; returns their number."""
    state = views.state_at(address)
    limits, buffers = views.limits_of(state), views.buffers_of(state)
    reduce_to_light_ink(views.frame_of(state), state.top, state.left, state.polarity, limits, buffers)
    find_paper(buffers.ink, limits, buffers.blocks, buffers.spare)
    rise_above(buffers.ink, buffers.blocks, limits, buffers.counts, buffers.least, buffers.paper, buffers.share)
    keep_cores(limits, buffers)
    return find_numerals(measure_parts(limits, buffers), limits, buffers)


@kernel
def lift_numeral(address):
    """Write one numeral of the table into `lifted`, and its height and width into `found`."""
    state = views.state_at(address)
    lift(views.frame_of(state), state.top, state.left, state.numeral, views.limits_of(state), views.buffers_of(state))
    return 0


@kernel
def reduce_to_light_ink(grey, top, left, polarity, limits, buffers):
    """The frame, reduced, into `buffers.ink`, light ink on dark."""
    light = polarity == INK_LIGHT
    reduce(grey, top, left, limits, np.uint8(0 if light else 255), buffers.sums, buffers.ink)
    if polarity == INK_AUTO and strokes_are_dark(buffers.ink, limits):
        invert_map(buffers.ink, limits)
        light = True
    buffers.found[LIGHT] = light
