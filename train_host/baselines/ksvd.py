"""K-SVD: learns a dictionary in which every sample is a mixture of a few atoms.

M. Aharon, M. Elad, A. Bruckstein: "K-SVD", IEEE Transactions on Signal Processing 2006. The rank-one fit of each atom
is approximated by one power step, as in R. Rubinstein, M. Zibulevsky, M. Elad: "Efficient Implementation of the K-SVD
Algorithm", 2008.
"""

import numpy as np

from train_host.baselines.sparse_coding import matching_pursuit
from train_host.method.statistics import Array


def update_atoms(dictionary: Array, codes: Array, samples: Array) -> None:
    """Fit each atom in turn, together with its nonzero codes. Changes `dictionary` and `codes` in place.

    The sum of squares of samples - codes dictionaryᵀ never rises. An atom that no sample uses is replaced by the sample
    with the largest residual.

    Args:
        dictionary: (n, atoms), columns of length 1.
        codes: (N, atoms).
        samples: (N, n).
    """
    residual = samples - codes @ dictionary.T
    for atom in range(dictionary.shape[1]):
        users = np.flatnonzero(codes[:, atom])
        if not len(users):
            worst = samples[np.sum(residual**2, axis=1).argmax()]
            dictionary[:, atom] = worst / (np.linalg.norm(worst) or 1.0)
            continue
        share = codes[users, atom]
        without = residual[users] + share[:, None] * dictionary[:, atom]
        direction = share @ without
        length = np.linalg.norm(direction)
        if length == 0:
            continue
        dictionary[:, atom] = direction / length
        codes[users, atom] = without @ dictionary[:, atom]
        residual[users] = without - codes[users, atom][:, None] * dictionary[:, atom]


def learn_dictionary(samples: Array, start: Array, nonzeros: int, iterations: int) -> tuple[Array, Array]:
    """Learn a dictionary for samples (N, n) from a starting dictionary (n, atoms).

    Args:
        nonzeros: largest number of nonzero codes of a sample.

    Returns:
        The dictionary (n, atoms), with columns of length 1, and the codes (N, atoms).

    >>> dictionary, codes = learn_dictionary(np.eye(3).repeat(2, axis=0), np.eye(3), 1, 2)
    >>> bool(np.allclose(codes @ dictionary.T, np.eye(3).repeat(2, axis=0)))
    True
    """
    dictionary = start / np.linalg.norm(start, axis=0)
    for _ in range(iterations):
        codes = matching_pursuit(dictionary, samples, nonzeros)
        update_atoms(dictionary, codes, samples)
    return dictionary, matching_pursuit(dictionary, samples, nonzeros)
