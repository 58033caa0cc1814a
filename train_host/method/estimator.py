"""LpDPL as an estimator of scikit-learn, and what it shares with the estimators of other methods."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_random_state, validate_data

from train_host.method.lpdpl import TOLERANCE, Penalties, learn_pairs, straight_scores
from train_host.method.statistics import Array, ClassStatistics, gather_statistics
from train_host.progress import progress_bars

PRECISIONS = ("float64", "float32")
MOST_ATOMS = 30
"""Atoms of a class where none are asked for; fewer where the samples have few features."""


@dataclass(eq=False, repr=False)
class Estimator(ClassifierMixin, BaseEstimator):
    """A classifier whose fields are its parameters: the class with the smallest score is the decision.

    Attributes after `fit`:
        classes_: (Q,) the labels, sorted.
        n_features_in_: n.
        constant_: what was appended to the samples.
    """

    constant: float = 1.0
    """Number that is appended to every sample, so that dictionaries describe means too; 0 appends nothing."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from samples X (N, n) and their labels y (N,).

        Raises:
            ValueError: the shapes do not match, a number is not finite, or there are fewer than two classes.
        """
        samples, labels = validate_data(self, X, y, dtype=np.float64)
        targets = self._encode(labels)
        self._learn(self._inside(samples), targets)
        return self

    def _learn(self, samples: Array, targets: NDArray[np.intp]) -> None:
        """Learn from samples (N, n + 1), the constant appended, and their classes (N,), 0 to Q - 1."""
        raise NotImplementedError

    def _scores(self, samples: Array) -> Array:
        """Scores (N, Q) of samples (N, n + 1), the constant appended."""
        raise NotImplementedError

    def scores(self, samples: Array) -> Array:
        """Scores (N, Q), float64, of samples (N, n), which are not checked."""
        return self._scores(self._inside(samples))

    def decision_function(self, X: ArrayLike) -> Array:
        """Scores with the sign of scikit-learn, where the largest wins: (N, Q), or (N,) for two classes.

        Raises:
            NotFittedError: `fit` was not called.
            ValueError: a number is not finite, or there are not n features.
        """
        scores = self.scores(self._checked(X))
        return scores[:, 0] - scores[:, 1] if scores.shape[1] == 2 else -scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Label (N,) of every sample of X (N, n). Raises as `decision_function` does."""
        decisions = self.scores(self._checked(X)).argmin(axis=1)
        return self.classes_[decisions]

    def _inside(self, samples: Array) -> Array:
        return np.insert(samples, samples.shape[1], self.constant_, axis=1) if self.constant_ else samples

    def _encode(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Set `classes_` and `constant_`; return the classes (N,) of labels (N,), 0 to Q - 1."""
        check_classification_targets(labels)
        classes, targets = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"{type(self).__name__} needs samples of two classes or more; all are of one class")
        self.classes_, self.constant_ = classes, self.constant
        return targets

    def _checked(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.dtype(getattr(self, "dtype", "float64")), reset=False)


@dataclass(eq=False, repr=False)
class LpDPL(Estimator):
    """Labelled projective dictionary pair learning, eqs 4 to 12 of the paper (`train_host.method.lpdpl`).

    Samples are rows; scale them so that features compare, with `StandardScaler` for tables. The defaults suit tables;
    `train_host.recipe` has the settings for handwriting.

    Attributes after `fit`:
        pairs_: one `DictionaryPair` per class.
        objective_history_: the objective at the start and after every iteration; it never rises.
        n_iter_: number of iterations.
        statistics_: the sufficient statistics of each class, which `partial_fit` adds to.

    >>> samples = np.eye(4).repeat(5, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((20, 4))
    >>> labels = np.array(["one", "two", "three", "four"]).repeat(5)
    >>> model = LpDPL(atoms=2).fit(samples, labels)
    >>> model.score(samples, labels), model.classes_.tolist()
    (1.0, ['four', 'one', 'three', 'two'])
    """

    atoms: int | None = None
    """m, columns of each synthesis dictionary; None is half the features, at most 30."""
    lambda1: float = 0.1
    """Weight of the analysis dictionary's response to samples of the other classes."""
    lambda2: float = 0.1
    """Weight of the classification error; 0 is DPL with LpDPL's decision."""
    lambda3: float = 1.0
    """Weight of the difference between the codes and the analysis dictionary's response."""
    gamma: float = 1e-4
    """Weight of the ridge that keeps eqs 9 and 10 solvable."""
    rho: float = 1.0
    """Penalty parameter of the ADMM of eq. 11."""
    max_iter: int = 10
    tol: float = TOLERANCE
    """Stop when the objective falls by less than this share of its value."""
    dtype: str = "float64"
    """`float32`: samples are held, multiplied and scored in float32; the small systems are solved in float64."""
    random_state: Any = 0
    """A whole number starts the same training each time."""
    n_jobs: int | None = None
    """Classes that are trained at a time; -1 is one per core. The result does not depend on it."""
    verbose: bool = False
    """Show a progress bar with the objective."""
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: [Interval(Real, 0, None, closed="left")] for name in ("lambda1", "lambda2", "gamma")},
        **{name: [Interval(Real, 0, None, closed="neither")] for name in ("lambda3", "rho")},
        **{name: [Interval(Real, None, None, closed="neither")] for name in ("constant", "tol")},
        "atoms": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "dtype": [StrOptions(set(PRECISIONS))],
    }

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from samples X (N, n) and their labels y (N,).

        Args:
            sample_weight: (N,) how often each sample counts; None counts each once.

        Raises:
            ValueError: the shapes do not match, a number is not finite, a parameter is not valid, or there are fewer
                than two classes.
            TrainingError: the penalties are so far apart, or gamma so small, that an equation cannot be solved.
        """
        self._validate_params()
        samples, labels = validate_data(self, X, y, dtype=np.dtype(self.dtype))
        self.statistics_ = self._gather(samples, self._encode(labels), sample_weight)
        return self._learn_statistics()

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from these samples and all before, as one `fit` on all of them would; no sample is kept. As long as a
        class has none, nothing is learned, and `predict` raises NotFittedError.

        Args:
            classes: (Q,) all labels, at the first call.
            sample_weight: (N,) how often each sample counts; None counts each once.

        Raises:
            ValueError: as `fit`; or there is a label that is not among the classes, or no classes at the first call.
            TrainingError: as `fit`.
        """
        self._validate_params()
        first = not hasattr(self, "statistics_")
        samples, labels = validate_data(self, X, y, dtype=np.dtype(self.dtype), reset=first)
        if first:
            if classes is None:
                raise ValueError("the first call of partial_fit needs all classes")
            self._encode(np.asarray(classes))
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"{unknown.tolist()[0]!r} is not one of the classes {self.classes_.tolist()}")
        fresh = self._gather(samples, np.searchsorted(self.classes_, labels), sample_weight)
        if not first:
            fresh = [old + new for old, new in zip(self.statistics_, fresh, strict=True)]
        self.statistics_ = fresh
        return self._learn_statistics() if all(one.count for one in fresh) else self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "pairs_")

    def _gather(
        self, samples: Array, targets: NDArray[np.intp], sample_weight: ArrayLike | None
    ) -> list[ClassStatistics]:
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, samples, dtype=np.float64, ensure_non_negative=True)
        return gather_statistics(self._inside(samples), targets, len(self.classes_), weights, self.dtype)

    def _learn_statistics(self) -> Self:
        size = len(self.statistics_[0].total)
        with progress_bars(self.verbose):
            self.pairs_, self.objective_history_ = learn_pairs(
                self.statistics_,
                max(1, min(MOST_ATOMS, size // 2)) if self.atoms is None else self.atoms,
                Penalties(self.lambda1, self.lambda2, self.lambda3, self.gamma, self.rho),
                iterations=self.max_iter,
                tolerance=self.tol,
                seed=seed_of(self.random_state),
                jobs=self.n_jobs,
            )
        self.n_iter_ = len(self.objective_history_) - 1
        return self

    def _scores(self, samples: Array) -> Array:
        return straight_scores(self.pairs_, samples)


def seed_of(random_state: Any) -> int:
    """A whole number from what scikit-learn takes as `random_state`; a whole number is itself.

    >>> seed_of(7)
    7
    """
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
