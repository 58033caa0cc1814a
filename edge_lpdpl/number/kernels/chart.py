"""The best texts of a lattice by list Viterbi, and the sums of all paths.

A log-linear model over all ways to divide a line (a semi-Markov conditional random field: Sarawagi and Cohen, 2004).
One pass over the lattice keeps, for each node and each state of the grammar, the best paths of different texts that end
there, and the sum of all paths. Node `c` is candidate `c`; node `candidates + p` is piece `p` left out as noise.

A sum is kept as its ratio to the best path, which is at least 1, so that nothing overflows or vanishes.
"""

from math import exp

import numpy as np

from edge_lpdpl.jit.compiler import inlined, kernel
from edge_lpdpl.number.record import END, ENTERED, FAINT, START


@kernel
def find_texts(pieces, candidates, count, rules, buffers):
    """Write the `count` texts with the best paths into `texts`, `chosen` and `left_out`; returns how many there are."""
    list_endings(pieces, candidates, buffers)
    clear(START, buffers)
    arrive(START, 0, 0.0, 1.0, buffers)
    insert(START, 0, 0.0, -1, -1, np.uint64(0), count, buffers)
    candidate = pair = 0
    for piece in range(pieces):
        ending = buffers.endings[piece, : buffers.ending_counts[piece]]
        while candidate < candidates and buffers.spans[candidate, 0] == piece:
            clear(ENTERED, buffers)
            for node in ending:
                bonus = 0.0
                if node < candidates:
                    bonus = buffers.neighbours[pair]
                    pair += 1
                merge_all(ENTERED, node, bonus, count, buffers)
            clear(candidate, buffers)
            read(candidate, count, rules, buffers)
            candidate += 1
        clear(candidates + piece, buffers)
        for node in ending:
            merge_all(candidates + piece, node, buffers.noise[piece], count, buffers)
    clear(END, buffers)
    for node in buffers.endings[pieces, : buffers.ending_counts[pieces]]:
        for number in range(buffers.active_counts[node]):
            state = buffers.active[node, number]
            if rules.ends[state]:
                merge(END, 0, node, state, 0.0, count, buffers)
    for number in range(buffers.held[END, 0]):
        go_back(number, candidates, buffers)
    return buffers.held[END, 0]


@kernel
def list_endings(pieces, candidates, buffers):
    """For each piece, and the end, the nodes that end before it."""
    endings, counts = buffers.endings, buffers.ending_counts
    endings[0, 0], counts[0] = START, 1
    for piece in range(1, pieces + 1):
        counts[piece] = 0
    for candidate in range(candidates):
        last = buffers.spans[candidate, 1]
        endings[last, counts[last]] = candidate
        counts[last] += 1
    for piece in range(pieces):
        endings[piece + 1, counts[piece + 1]] = candidates + piece
        counts[piece + 1] += 1


@kernel
def clear(node, buffers):
    """Forget what arrived at a node."""
    for state in range(buffers.held.shape[1]):
        buffers.held[node, state] = 0
    buffers.active_counts[node] = 0


@kernel
def read(candidate, count, rules, buffers):
    """The texts of ENTERED, each with every class behind it that may follow."""
    for number in range(buffers.active_counts[ENTERED]):
        state = buffers.active[ENTERED, number]
        worths, marks = buffers.worths[ENTERED, state], buffers.marks[ENTERED, state]
        befores = buffers.befores[ENTERED, state]
        for label in range(rules.steps.shape[1]):
            after = rules.steps[state, label]
            if after >= 0:
                worth = buffers.characters[candidate, label]
                arrive(candidate, after, worths[0] + worth, buffers.sums[ENTERED, state], buffers)
                for place in range(buffers.held[ENTERED, state]):
                    mark = marks[place] * np.uint64(6364136223846793005) + np.uint64(label + 1)
                    if not insert(candidate, after, worths[place] + worth, befores[place], label, mark, count, buffers):
                        break


@kernel
def merge_all(node, source, bonus, count, buffers):
    """All texts of another node."""
    for number in range(buffers.active_counts[source]):
        state = buffers.active[source, number]
        merge(node, state, source, state, bonus, count, buffers)


@inlined
def merge(node, state, source, other, bonus, count, buffers):
    """The texts of a node and state into another one."""
    worths, marks = buffers.worths[source, other], buffers.marks[source, other]
    arrive(node, state, worths[0] + bonus, buffers.sums[source, other], buffers)
    for place in range(buffers.held[source, other]):
        before = (source * buffers.worths.shape[1] + other) * buffers.worths.shape[2] + place
        if not insert(node, state, worths[place] + bonus, before, -1, marks[place], count, buffers):
            break


@inlined
def arrive(node, state, worth, share, buffers):
    """Add paths to the sum, before the best of them is inserted."""
    if buffers.held[node, state] == 0:
        buffers.sums[node, state] = share
        buffers.active[node, buffers.active_counts[node]] = state
        buffers.active_counts[node] += 1
    else:
        buffers.sums[node, state] = joined(buffers.worths[node, state, 0], buffers.sums[node, state], worth, share)


@inlined
def joined(worth, share, other_worth, other_share):
    """The sum of two sums, over the better of their best paths."""
    behind = other_worth - worth
    if behind > 0:
        return share * exp(-behind) + other_share if -behind > FAINT else other_share
    return share + other_share * exp(behind) if behind > FAINT else share


@inlined
def insert(node, state, worth, before, label, mark, count, buffers):
    """Insert a text where it belongs in the list, once; returns whether the list has room for a worse one."""
    worths, marks = buffers.worths[node, state], buffers.marks[node, state]
    befores, labels = buffers.befores[node, state], buffers.labels[node, state]
    size = buffers.held[node, state]
    if size == count and worth <= worths[size - 1]:
        return False
    place = 0
    while place < size and marks[place] != mark:
        place += 1
    if place < size:
        if worth <= worths[place]:
            return True
    elif size < count:
        buffers.held[node, state] = size + 1
    else:
        place = size - 1
    while place > 0 and worths[place - 1] < worth:
        worths[place], marks[place] = worths[place - 1], marks[place - 1]
        befores[place], labels[place] = befores[place - 1], labels[place - 1]
        place -= 1
    worths[place], marks[place], befores[place], labels[place] = worth, mark, before, label
    return True


@kernel
def go_back(number, candidates, buffers):
    """Write the path of a text of END, from left to right."""
    length = noise = 0
    texts, chosen, left_out = buffers.texts[number], buffers.chosen[number], buffers.left_out[number]
    states, most = buffers.worths.shape[1:]
    at = buffers.befores[END, 0, number]
    while at // (states * most) != START:
        node, state, place = at // (states * most), at // most % states, at % most
        label = buffers.labels[node, state, place]
        if label < 0:
            left_out[noise] = node - candidates
            noise += 1
        else:
            texts[length], chosen[length] = label, node
            length += 1
        at = buffers.befores[node, state, place]
    buffers.lengths[number, 0], buffers.lengths[number, 1] = length, noise
    turn(texts, length)
    turn(chosen, length)
    turn(left_out, noise)


@kernel
def turn(row, length):
    """Reverse the beginning of a row."""
    for place in range(length // 2):
        other = length - 1 - place
        row[place], row[other] = row[other], row[place]


@kernel
def add_shares(pieces, candidates, found, buffers):
    """The share of each text: the sum of all its paths over the sum of all that end in END."""
    for number in range(found):
        text = buffers.texts[number, : buffers.lengths[number, 0]]
        worth, total = sum_of(text, pieces, candidates, buffers)
        ratio = total / buffers.sums[END, 0]
        buffers.shares[number] = min(1.0, exp(worth - buffers.worths[END, 0, 0]) * ratio)


@kernel
def sum_of(text, pieces, candidates, buffers):
    """The best path that reads a text, and the sum of all of them over it."""
    worths, sums, length = buffers.line_worths, buffers.line_sums, len(text)
    for count in range(length + 1):
        sums[START, count] = 0
    worths[START, 0], sums[START, 0] = 0, 1
    candidate = pair = 0
    for piece in range(pieces):
        ending = buffers.endings[piece, : buffers.ending_counts[piece]]
        while candidate < candidates and buffers.spans[candidate, 0] == piece:
            for count in range(length + 1):
                sums[candidate, count] = 0
            for node in ending:
                bonus = 0.0
                if node < candidates:
                    bonus = buffers.neighbours[pair]
                    pair += 1
                for count in range(length):
                    worth = bonus + buffers.characters[candidate, text[count]]
                    pass_on(candidate, count + 1, node, count, worth, worths, sums)
            candidate += 1
        for count in range(length + 1):
            sums[candidates + piece, count] = 0
            for node in ending:
                pass_on(candidates + piece, count, node, count, buffers.noise[piece], worths, sums)
    sums[END, length] = 0
    for node in buffers.endings[pieces, : buffers.ending_counts[pieces]]:
        pass_on(END, length, node, length, 0.0, worths, sums)
    return worths[END, length], sums[END, length]


@inlined
def pass_on(node, count, source, before, worth, worths, sums):
    """Add the paths of another node, with `before` characters, to those of a node."""
    if sums[source, before] == 0:
        return
    worth += worths[source, before]
    if sums[node, count] == 0:
        worths[node, count], sums[node, count] = worth, sums[source, before]
    else:
        sums[node, count] = joined(worths[node, count], sums[node, count], worth, sums[source, before])
        worths[node, count] = max(worths[node, count], worth)
