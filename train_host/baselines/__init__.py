"""Every method of the comparison, each in a module of its own, behind one interface and under one name.

All of them see the same pictures through the same preprocessing: the ones on features see what LpDPL sees inside the
recipe's subspace, the networks see the 32x32 square from which those features are taken.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import TrainingError, how_to_install
from train_host.baselines.baseline import Baseline
from train_host.class_statistics import Array
from train_host.features import Features
from train_host.lpdpl import one_thread_a_class
from train_host.recipe import Recipe
from train_host.subspace import Subspace
from train_host.training import Classifier, Samples, first_subspace, train, training_rows

OWN = "lpdpl"


class Decider(Protocol):
    """What a training yields: it scores features as `train_host.features` extracts them."""

    def scores(self, features: Features) -> Array:
        """(N, Q); the smallest is the class."""


@dataclass(frozen=True)
class Method:
    """A row of the tables."""

    title: str
    source: str
    """Who proposed it, and when."""
    module: str = ""
    """Of this package, where its class is; empty for the project's own."""
    estimator: str = ""
    """Name of the class."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Of the estimator, that make it this method."""
    sees: str = "hog"
    """Kind of features: `hog`, or `pixels` for the square."""
    how: str = ""
    """Whose settings it has, for a reader of the tables."""

    def build(self, **settings: Any) -> Baseline:
        """The estimator with its defaults, or other settings.

        Raises:
            TrainingError: a package that it needs is not installed.
        """
        try:
            module = import_module(f"{__name__}.{self.module}")
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise TrainingError(f"{self.title} needs PyTorch: {how_to_install('deep')}") from error
        estimator: Callable[..., Baseline] = getattr(module, self.estimator)
        return estimator(**(self.settings | settings))


def _network(title: str, source: str, architecture: str, epochs: int = 12, rate: float = 2e-3, why: str = "") -> Method:
    how = f"AdamW, rate {rate:g}{why}, one cycle, smoothed labels, {epochs} epochs or 600 steps; 32x32"
    settings = {"architecture": architecture, "epochs": epochs, "rate": rate}
    return Method(title, source, "network", "Network", settings, sees="pixels", how=how)


_LC_KSVD = (
    "the authors' alpha 16, beta 4, 20 iterations to start and 50 to learn; 30 atoms a class; 10 nonzeros and atoms "
    "that start tied to their class, which erred less than the authors' 30 and regression on a fold of USPS's "
    "training part"
)

METHODS = {
    OWN: Method("LpDPL, as the profile says", "this project", how="the recipe; refined after LpDPL where it says so"),
    "lpdpl-plain": Method("LpDPL", "Ameri et al. 2020", how="the recipe without refinement"),
    "dpl": Method("DPL", "Gu et al. 2014", "dpl", "DPL", how="the authors' defaults"),
    "indpl": Method(
        "InDPL",
        "Abolghasemi et al. 2018",
        "indpl",
        "InDPL",
        how="DPL's defaults; the form of the incoherence and its weight, 0.001 a training sample, are ours: the paper "
        "says only that DPL's cost has such a penalty",
    ),
    "src": Method(
        "SRC",
        "Wright et al. 2009",
        "src",
        "SRC",
        how="all training samples are the dictionary, as the authors have it; the penalty, 0.01, is ours; solved to "
        "the end",
    ),
    "dlsi": Method(
        "DLSI",
        "Ramirez et al. 2010",
        "dlsi",
        "DLSI",
        how="60 atoms a class, 50 iterations, penalties 0.02 and 0.001 a training sample: ours; the decision does not "
        "ignore atoms that classes share, which the paper does above a cosine of 0.95",
    ),
    "lc-ksvd1": Method("LC-KSVD1", "Jiang et al. 2013", "lc_ksvd", "LCKSVD1", how=_LC_KSVD.replace(", beta 4", "")),
    "lc-ksvd2": Method("LC-KSVD2", "Jiang et al. 2013", "lc_ksvd", "LCKSVD2", how=_LC_KSVD),
    "knn": Method(
        "k nearest neighbours", "scikit-learn", "neighbours", "Neighbours", how="k = 3, weighted by distance"
    ),
    "linear-svm": Method("linear SVM", "scikit-learn", "support_vectors", "LinearSVM", how="the library's: C = 1"),
    "rbf-svm": Method("RBF SVM", "scikit-learn", "support_vectors", "GaussianSVM", how="C = 10, the library's width"),
    "depthwise-cnn": _network("depthwise CNN, 16k", "Howard et al. 2017, smaller", "depthwise_cnn"),
    "lenet-5": _network("LeNet-5", "LeCun et al. 1998", "lenet5"),
    "squeezenet": _network(
        "SqueezeNet 1.1",
        "Iandola et al. 2016",
        "squeezenet1_1",
        rate=1e-3,
        why=" (of three, on a fold of USPS's training part)",
    ),
    "mobilenet-v2": _network("MobileNetV2", "Sandler et al. 2018", "mobilenet_v2", epochs=6),
    "googlenet": _network("GoogLeNet", "Szegedy et al. 2015", "googlenet", epochs=6),
}


class Fitted(NamedTuple):
    """A baseline inside the subspace on which it was fitted; without one where it sees squares."""

    subspace: Subspace | None
    baseline: Baseline

    def scores(self, features: Features) -> Array:
        rows = features.astype(np.float64) if self.subspace is None else self.subspace(features)
        return self.baseline.scores(rows)


def find_method(name: str) -> Method:
    """The method called `name`.

    Raises:
        TrainingError: there is none.

    >>> find_method("dpl").title
    'DPL'
    """
    if name not in METHODS:
        raise TrainingError(f"there is no method {name!r}: use one of {', '.join(METHODS)}")
    return METHODS[name]


def method_recipe(name: str, recipe: Recipe) -> Recipe:
    """The recipe under which a method sees its samples: networks see squares, plain LpDPL has no refinement."""
    method = find_method(name)
    if method.sees == "pixels":
        return replace(recipe, features="pixels")
    return replace(recipe, refinement=None) if name == "lpdpl-plain" else recipe


def train_method(
    name: str, samples: Samples, chosen: NDArray[np.intp], recipe: Recipe, **settings: Any
) -> Classifier | Fitted:
    """Train a method on the chosen pictures, prepared by `train_host.training.prepare` under its own recipe.

    Args:
        settings: other than the defaults, for a baseline.

    Raises:
        TrainingError: no such method, a class without pictures, or a package that is missing.
    """
    method = find_method(name)
    recipe = method_recipe(name, recipe)
    if not method.module:
        return train(samples, chosen, recipe)
    baseline = method.build(**settings)
    with one_thread_a_class():
        if method.sees == "pixels":
            rows, targets = samples.for_training(chosen)
            return Fitted(None, baseline.fit(rows.astype(np.float64), targets))
        rows, targets = training_rows(samples, chosen)
        subspace = first_subspace(rows, recipe)
        return Fitted(subspace, baseline.fit(subspace(rows), targets))
