"""What Python calls: it takes the address of a record (`edge_lpdpl.number.record`) and works in its buffers."""

import numpy as np

from edge_lpdpl.jit.compiler import kernel
from edge_lpdpl.jit.intrinsics import array_at, part_of
from edge_lpdpl.number.kernels.chart import add_shares, find_texts
from edge_lpdpl.number.kernels.evidence import weigh_characters, weigh_neighbours, weigh_noise
from edge_lpdpl.number.record import RECORD, Buffers, Rules, Shapes
from edge_lpdpl.number.weights import CharacterWeights, NeighbourWeights, NoiseWeights


@kernel
def weigh_lattice(address):
    """Weigh the evidence of the lattice in the buffers; returns the number of pairs of neighbours."""
    record = array_at(address, (1,), RECORD)[0]
    size, shapes, buffers = record.character_size, part_of(record, Shapes), part_of(record, Buffers)
    weigh_characters(record.candidates, size, part_of(record, CharacterWeights), shapes, buffers)
    weigh_noise(record.pieces, size, part_of(record, NoiseWeights), buffers)
    return np.int64(weigh_neighbours(record.candidates, size, part_of(record, NeighbourWeights), buffers))


@kernel
def find_paths(address):
    """Find the best texts of the lattice in the buffers, and the share of each; returns their number."""
    record = array_at(address, (1,), RECORD)[0]
    rules, buffers = part_of(record, Rules), part_of(record, Buffers)
    found = find_texts(record.pieces, record.candidates, record.texts_to_find, rules, buffers)
    add_shares(record.pieces, record.candidates, found, buffers)
    return np.int64(found)  # what the loader expects
