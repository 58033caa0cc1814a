"""Sparse codes of many samples: two solvers, compiled, whose heavy products are shared by all samples.

scikit-learn's solvers give the same codes (the tests hold these to them), in many times the time.
"""

import numpy as np
from numba import njit

from train_host.class_statistics import Array

GROWTH = 40
"""Atoms that may join a sample's working set at a time."""
MOST_ROUNDS = 40
MOST_STEPS = 500
"""Of a search; it ends by itself much earlier."""
MOST_IN_GRAM = 500
"""Atoms of which all products are kept."""
INDEPENDENT = 1e-10
"""What must be left of an atom that the atoms before it do not already span."""
RIDGE = 1e-9
"""Keeps the system of a support solvable in which an atom is a mixture of others."""


def matching_pursuit(dictionary: Array, samples: Array, nonzeros: int) -> Array:
    """Codes (N, atoms) with at most `nonzeros` entries a sample, by orthogonal matching pursuit (Pati et al. 1993).

    As R. Rubinstein, M. Zibulevsky, M. Elad, "Efficient Implementation of the K-SVD Algorithm", 2008: with the Gram
    matrix of the atoms, and a Cholesky factor of the chosen ones that grows by a row a step.

    Args:
        dictionary: (n, atoms), columns of length 1.
        samples: (N, n).

    >>> matching_pursuit(np.eye(3), np.array([[0.0, 5.0, 2.0]]), 1)
    array([[0., 5., 0.]])
    """
    codes = np.zeros((len(samples), dictionary.shape[1]))
    gram = np.ascontiguousarray(dictionary.T @ dictionary)
    _pursue(gram, np.ascontiguousarray(samples @ dictionary), min(nonzeros, *dictionary.shape), codes)
    return codes


def lasso(
    dictionary: Array, samples: Array, penalty: float, *, start: Array | None = None, tolerance: float = 1e-4
) -> Array:
    """Codes A (N, atoms) that minimise ||x - D a||² / 2 + penalty |a|_1 for every sample x.

    Feature-sign search (H. Lee, A. Battle, R. Raina, A. Y. Ng 2007) on a working set of atoms, to which those that
    would lower the objective most are added until none is left.

    Args:
        dictionary: D (n, atoms).
        samples: (N, n).
        start: codes to start from, such as those on a dictionary much like this one.
        tolerance: by how much of the penalty an atom's response may exceed it.

    >>> lasso(np.eye(2), np.array([[3.0, -0.5]]), 1.0)
    array([[2., 0.]])
    """
    atoms = np.ascontiguousarray(dictionary.T, float)
    gram = atoms @ atoms.T if len(atoms) <= MOST_IN_GRAM else np.zeros((0, 0))
    codes = np.zeros((len(samples), len(atoms))) if start is None else start.copy()
    rows = np.ascontiguousarray(samples, float)
    pending = np.arange(len(samples))
    for _ in range(MOST_ROUNDS):
        responses = (rows[pending] - codes[pending] @ atoms) @ atoms.T
        pending = pending[_work(atoms, gram, rows, responses, pending, codes, penalty, tolerance)]
        if not len(pending):
            break
    return codes


def _pursue_all(gram, starts, nonzeros, codes):  # type: ignore[no-untyped-def]
    """Matching pursuit of every sample.

    Args:
        gram: (atoms, atoms) Dᵀ D.
        starts: (N, atoms) responses Dᵀ x.
        codes: (N, atoms) zeros, written.
    """
    atoms = len(gram)
    factor = np.zeros((nonzeros, nonzeros))  # lower triangle of the Cholesky factor of the chosen atoms' Gram matrix
    chosen = np.zeros(nonzeros, np.int64)
    forward, solution = np.zeros(nonzeros), np.zeros(nonzeros)
    taken = np.zeros(atoms, np.bool_)
    for sample in range(len(starts)):
        start = starts[sample]
        response = start.copy()
        taken[:] = False
        count = 0
        while count < nonzeros:
            best, largest = -1, 0.0
            for atom in range(atoms):
                if not taken[atom] and abs(response[atom]) > largest:
                    best, largest = atom, abs(response[atom])
            if best < 0:
                break
            taken[best] = True
            left = gram[best, best]
            for row in range(count):
                value = gram[chosen[row], best]
                for column in range(row):
                    value -= factor[row, column] * factor[count, column]
                factor[count, row] = value / factor[row, row]
                left -= factor[count, row] ** 2
            if left <= INDEPENDENT:  # the chosen atoms span it already
                continue
            factor[count, count] = np.sqrt(left)
            chosen[count] = best
            value = start[best]
            for column in range(count):
                value -= factor[count, column] * forward[column]
            forward[count] = value / factor[count, count]
            count += 1
            for row in range(count - 1, -1, -1):
                value = forward[row]
                for below in range(row + 1, count):
                    value -= factor[below, row] * solution[below]
                solution[row] = value / factor[row, row]
            response[:] = start
            for row in range(count):
                weight, products = solution[row], gram[chosen[row]]
                for atom in range(atoms):
                    response[atom] -= weight * products[atom]
        for row in range(count):
            codes[sample, chosen[row]] = solution[row]


def _work_all(atoms, gram, samples, responses, pending, codes, penalty, tolerance):  # type: ignore[no-untyped-def]
    """One round of every pending sample: its working set grows, and is solved. Returns who was not done, bool.

    Args:
        atoms: (atoms, n).
        gram: (atoms, atoms) their products, or (0, 0) where that is too large to be kept.
        samples: (N, n).
        responses: (pending, atoms) of what the codes leave of the samples.
        codes: (N, atoms), changed in place.
    """
    not_done = np.zeros(len(pending), np.bool_)
    for place in range(len(pending)):
        sample, code = samples[pending[place]], codes[pending[place]]
        excess = np.abs(responses[place]) - penalty
        used = np.flatnonzero(code)
        excess[used] = np.abs(responses[place][used] - np.sign(code[used]) * penalty)
        wanting = np.flatnonzero(excess > tolerance * penalty)
        if not len(wanting):
            continue
        not_done[place] = True
        if len(wanting) > GROWTH:
            wanting = wanting[np.argsort(-excess[wanting])[:GROWTH]]
        members = np.union1d(used, wanting)
        inside = np.empty((len(members), len(members)))
        for row in range(len(members)):
            for column in range(row + 1):
                if len(gram):
                    product = gram[members[row], members[column]]
                else:
                    product = np.dot(atoms[members[row]], atoms[members[column]])
                inside[row, column] = inside[column, row] = product
        start = np.empty(len(members))
        for row in range(len(members)):
            start[row] = np.dot(atoms[members[row]], sample)
        code[members] = _search(inside, start, code[members], penalty, tolerance)
    return not_done


def _search_signs(gram, start, code, penalty, tolerance):  # type: ignore[no-untyped-def]
    """Feature-sign search: the code of one sample on few atoms.

    With its signs held, the code solves a linear system. On the way there the first entry to change its sign stops at
    zero and leaves; once none does, the atom with the largest response beyond the penalty joins. Where the others span
    the one that joined, the ridge sends the code far along the way on which nothing but its length changes, until one
    leaves.

    Args:
        gram: (m, m) products of the atoms.
        start: (m,) products of the atoms with the sample.
        code: (m,) to start from.
    """
    count = len(start)
    signs, response = np.sign(code), np.empty(count)
    factor = np.empty((count, count))
    for _ in range(MOST_STEPS):
        active = np.flatnonzero(signs)
        goal = _solve(gram, active, start[active] - penalty * signs[active], factor)
        way, leaves = 1.0, -1
        for row in range(len(active)):
            atom = active[row]
            if goal[row] * signs[atom] <= 0:
                share = code[atom] / (code[atom] - goal[row]) if code[atom] != 0 else 0.0
                if share < way:
                    way, leaves = share, atom
        code[active] += way * (goal - code[active])
        if leaves >= 0:
            signs[leaves], code[leaves] = 0, 0
            continue
        response[:] = start
        for atom in active:
            for other in range(count):
                response[other] -= code[atom] * gram[atom, other]
        joins, most = -1, penalty * (1 + 0.5 * tolerance)
        for atom in range(count):
            if signs[atom] == 0 and abs(response[atom]) > most:
                joins, most = atom, abs(response[atom])
        if joins < 0:
            break
        signs[joins] = np.sign(response[joins])
    return code


def _solve_active(gram, active, wanted, factor):  # type: ignore[no-untyped-def]
    """Solution (k,) of the system of the active atoms' products, by a Cholesky factor.

    Args:
        active: (k,) rows and columns of the system.
        wanted: (k,) its right side, overwritten.
        factor: (k, k) or larger, to work in.
    """
    size = len(active)
    for row in range(size):
        for column in range(row + 1):
            value = gram[active[row], active[column]]
            for at in range(column):
                value -= factor[row, at] * factor[column, at]
            factor[row, column] = value / factor[column, column] if column < row else np.sqrt(max(value, 0.0) + RIDGE)
    for row in range(size):
        for at in range(row):
            wanted[row] -= factor[row, at] * wanted[at]
        wanted[row] /= factor[row, row]
    for row in range(size - 1, -1, -1):
        for at in range(row + 1, size):
            wanted[row] -= factor[at, row] * wanted[at]
        wanted[row] /= factor[row, row]
    return wanted


_pursue, _solve = njit(cache=True)(_pursue_all), njit(cache=True)(_solve_active)
_search = njit(cache=True)(_search_signs)
_work = njit(cache=True)(_work_all)
