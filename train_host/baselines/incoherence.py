"""The incoherence penalty of DLSI and InDPL: eta ||D_iᵀ D_j||² for every pair of classes (Ramirez et al. 2010)."""

import numpy as np
from scipy.linalg import eigvalsh

from train_host.method.lpdpl import CodeProducts
from train_host.method.statistics import Array

STEPS = 30
"""Gradient steps of one update."""


def pairwise_coherence(dictionaries: list[Array]) -> float:
    """Sum of ||D_iᵀ D_j||² over all pairs of classes, for one dictionary (n, m) of each class.

    >>> pairwise_coherence([np.eye(2), np.eye(2)[:, :1]])
    1.0
    """
    outers = [D @ D.T for D in dictionaries]
    together = np.sum(outers, axis=0)
    return float((np.sum(together**2) - sum(np.sum(outer**2) for outer in outers)) / 2)


def update_apart(synthesis: Array, products: CodeProducts, others: Array, eta: float) -> Array:
    """Lower ||X - D A||² + eta tr(Dᵀ others D) by projected gradient steps; columns stay in the unit ball.

    Args:
        synthesis: D (n, m) to start from.
        products: A Aᵀ (m, m) and X Aᵀ (n, m).
        others: (n, n), the sum of D_j D_jᵀ over the other classes.
        eta: weight of the penalty.

    Returns:
        The new D (n, m).
    """
    gram, cross, _ = products
    steepest = float(eigvalsh(gram)[-1] + eta * eigvalsh(others)[-1])
    if steepest <= 0:
        return synthesis
    for _ in range(STEPS):
        slope = synthesis @ gram - cross + eta * (others @ synthesis)
        moved = synthesis - slope / steepest
        synthesis = moved / np.maximum(1.0, np.linalg.norm(moved, axis=0))
    return synthesis
