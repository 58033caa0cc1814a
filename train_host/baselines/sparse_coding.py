"""Sparse codes of many samples: orthogonal matching pursuit and the lasso, as compiled kernels.

Large matrix products are computed once for all samples. scikit-learn's solvers give the same codes, which the tests
check, but take many times as long.
"""

import numpy as np
from numba import njit

from train_host.method.statistics import Array

GROWTH = 40
"""Most atoms that join the working set of a sample in one round."""
MOST_ROUNDS = 40
"""Most rounds in which working sets grow."""
MOST_STEPS = 500
"""Most steps of one feature-sign search. It usually ends much earlier."""
MOST_IN_GRAM = 500
"""Most atoms for which the Gram matrix is stored."""
INDEPENDENT = 1e-10
"""Smallest squared distance of an atom from the span of the chosen atoms; a closer one is not chosen."""
RIDGE = 1e-9
"""Added to each pivot, so that the system is solvable where an active atom is a mixture of others."""


def matching_pursuit(dictionary: Array, samples: Array, nonzeros: int) -> Array:
    """Codes (N, atoms) with at most `nonzeros` entries a sample, by orthogonal matching pursuit (Pati et al. 1993).

    The algorithm is from R. Rubinstein, M. Zibulevsky, M. Elad: "Efficient Implementation of the K-SVD Algorithm",
    2008. It uses the Gram matrix of the atoms and a Cholesky factor of the chosen atoms that grows by one row per step.

    Args:
        dictionary: (n, atoms), float64, columns of length 1.
        samples: (N, n), float64.
        nonzeros: most nonzero entries of the code of a sample.

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

    Feature-sign search (H. Lee, A. Battle, R. Raina, A. Y. Ng 2007) solves for a working set of atoms. The atoms that
    violate the optimality condition most are added to the set until none violates it.

    Args:
        dictionary: D (n, atoms).
        samples: (N, n).
        penalty: weight of the l1 norm.
        start: codes (N, atoms) to start from, such as those for a similar dictionary.
        tolerance: share of the penalty by which the response of an atom may exceed it.

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
    """Orthogonal matching pursuit of every sample.

    Args:
        gram: (atoms, atoms) Dᵀ D.
        starts: (N, atoms) responses Dᵀ x.
        nonzeros: most chosen atoms of a sample.
        codes: (N, atoms) zeros, overwritten with the result.
    """
    factor = np.zeros((nonzeros, nonzeros))  # lower triangle of the Cholesky factor of the chosen atoms' Gram matrix
    chosen = np.zeros(nonzeros, np.int64)
    forward, solution = np.zeros(nonzeros), np.zeros(nonzeros)
    taken = np.zeros(len(gram), np.bool_)
    for sample in range(len(starts)):
        start = starts[sample]
        response = start.copy()
        taken[:] = False
        count = 0
        while count < nonzeros:
            best = _strongest(response, taken)
            if best < 0:
                break
            taken[best] = True
            chosen[count] = best
            if not _grow(gram, chosen, count, factor):  # the chosen atoms already span it
                continue
            _choose(start, chosen, count, factor, forward, solution)
            count += 1
            response[:] = start
            for row in range(count):
                weight, products = solution[row], gram[chosen[row]]
                for atom in range(len(gram)):
                    response[atom] -= weight * products[atom]
        for row in range(count):
            codes[sample, chosen[row]] = solution[row]


def _strongest_atom(response, taken):  # type: ignore[no-untyped-def]
    """The atom with the largest response that is not taken, -1 where no other has any."""
    best, largest = -1, 0.0
    for atom in range(len(response)):
        if not taken[atom] and abs(response[atom]) > largest:
            best, largest = atom, abs(response[atom])
    return best


def _grow_factor(gram, chosen, count, factor):  # type: ignore[no-untyped-def]
    """Row `count` of the Cholesky factor, for the atom that is chosen after `count` others; whether those do not span
    it."""
    atom = chosen[count]
    left = gram[atom, atom]
    for row in range(count):
        value = gram[chosen[row], atom]
        for column in range(row):
            value -= factor[row, column] * factor[count, column]
        factor[count, row] = value / factor[row, row]
        left -= factor[count, row] ** 2
    factor[count, count] = np.sqrt(max(left, 0.0))
    return left > INDEPENDENT


def _solve_chosen(start, chosen, count, factor, forward, solution):  # type: ignore[no-untyped-def]
    """The weights of the chosen atoms, the last of which is number `count`, into `solution`; `forward` has those of
    forward substitution up to that atom."""
    value = start[chosen[count]]
    for column in range(count):
        value -= factor[count, column] * forward[column]
    forward[count] = value / factor[count, count]
    for row in range(count, -1, -1):
        value = forward[row]
        for below in range(row + 1, count + 1):
            value -= factor[below, row] * solution[below]
        solution[row] = value / factor[row, row]


def _work_all(atoms, gram, samples, responses, pending, codes, penalty, tolerance):  # type: ignore[no-untyped-def]
    """One round: the working set of every pending sample grows and is solved.

    Args:
        atoms: (atoms, n).
        gram: (atoms, atoms) products of the atoms, or (0, 0) where that is too large to store.
        samples: (N, n).
        responses: (pending, atoms) products of the residuals with the atoms.
        pending: indices of the samples that are not done.
        codes: (N, atoms), changed in place.

    Returns:
        Which samples were not done, (pending,) bool.
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
    """Feature-sign search: the code (m,) of one sample for a few atoms.

    With fixed signs, the code is the solution of a linear system. On the way to the solution, the first entry that
    would change its sign stops at zero and becomes inactive. When no entry does so, the atom whose response exceeds the
    penalty most becomes active. If the other active atoms span it, the ridge puts the solution very far away, in a
    direction that changes the l1 norm and not the reconstruction. The code moves there until an entry becomes inactive.

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
    """Solution (k,) of the linear system of the active atoms' products, by Cholesky factorisation.

    Args:
        gram: (m, m) products of all atoms of the working set.
        active: (k,) rows and columns of the system.
        wanted: (k,) right-hand side, overwritten.
        factor: (k, k) or larger, workspace.
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


_strongest, _grow = njit(cache=True)(_strongest_atom), njit(cache=True)(_grow_factor)
_choose, _pursue = njit(cache=True)(_solve_chosen), njit(cache=True)(_pursue_all)
_solve = njit(cache=True)(_solve_active)
_search = njit(cache=True)(_search_signs)
_work = njit(cache=True)(_work_all)
