"""Sparse codes of many samples at once: what one core does in matrix products, not in a loop over samples.

scikit-learn's solvers give the same codes (the tests hold these to them), one sample after the other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from train_host.class_statistics import Array

Floats = NDArray[Any]
"""float64, or float32 where half the time matters more than the last digits."""

RIDGE = 1e-10
"""Keeps the system of a support solvable in which two atoms are equal."""


def matching_pursuit(dictionary: Array, samples: Array, nonzeros: int) -> Array:
    """Codes (N, atoms) with at most `nonzeros` entries a sample, by orthogonal matching pursuit (Pati et al. 1993).

    Args:
        dictionary: (n, atoms), columns of length 1.
        samples: (N, n).

    >>> matching_pursuit(np.eye(3), np.array([[0.0, 5.0, 2.0]]), 1)
    array([[0., 5., 0.]])
    """
    gram, start = dictionary.T @ dictionary, samples @ dictionary
    rows = np.arange(len(samples))[:, None]
    codes, support = np.zeros_like(start), np.zeros((len(samples), 0), np.intp)
    for count in range(1, min(nonzeros, *dictionary.shape) + 1):
        response = np.abs(start - codes @ gram)
        response[rows, support] = -1
        support = np.hstack([support, response.argmax(axis=1)[:, None]])
        system = gram[support[:, :, None], support[:, None, :]] + RIDGE * np.eye(count)
        codes[rows, support] = np.linalg.solve(system, start[rows, support][:, :, None])[:, :, 0]
    return codes


def lasso(
    dictionary: Floats, samples: Floats, penalty: float, *, iterations: int = 200, tolerance: float = 1e-4
) -> Floats:
    """Codes A (N, atoms) that minimise ||x - D a||² / 2 + penalty |a|_1 for every sample x, by FISTA with restarts.

    Beck and Teboulle 2009; restarts by O'Donoghue and Candes 2015. It stops where no code moves by more than
    `tolerance` of the largest one.

    Args:
        dictionary: D (n, atoms).
        samples: (N, n).

    >>> lasso(np.eye(2), np.array([[3.0, -0.5]]), 1.0)
    array([[ 2., -0.]])
    """
    size, atoms = dictionary.shape
    # The smaller of the two Gram matrices has the same largest eigenvalue, and is the cheaper to multiply with.
    narrow = dictionary.T @ dictionary if atoms <= size else dictionary @ dictionary.T
    step = 1 / max(float(eigh(narrow, eigvals_only=True, subset_by_index=[len(narrow) - 1] * 2)[0]), 1e-30)
    start = samples @ dictionary
    codes = np.zeros_like(start)
    leading, momentum = codes, 1.0
    for _ in range(iterations):
        product = leading @ narrow if atoms <= size else (leading @ dictionary.T) @ dictionary
        moved = leading + step * (start - product)
        fresh = np.sign(moved) * np.maximum(np.abs(moved) - step * penalty, 0)
        change = fresh - codes
        if np.sum((leading - fresh) * change) > 0:  # it overshoots: forget the momentum
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        leading = fresh + (momentum - 1) / following * change
        codes, momentum = fresh, following
        if np.abs(change).max(initial=0) <= tolerance * np.abs(codes).max(initial=0):
            break
    return codes
