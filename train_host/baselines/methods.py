"""Every method of the comparison, by name and behind one interface. Each method has a module of its own.

All methods see the same pictures with the same preprocessing. Methods on features see what LpDPL sees: the features in
the subspace of the recipe. Networks see the 32x32 square from which the features are computed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from edge_lpdpl.errors import TrainingError, how_to_install
from train_host.baselines.baseline import Baseline
from train_host.method.lpdpl import Penalties
from train_host.recipe import Recipe

OWN = "lpdpl"


@dataclass(frozen=True)
class Method:
    """One method of the comparison: a row of the tables."""

    title: str
    source: str
    """Authors and year."""
    module: str = ""
    """Module of this package that has its class; empty for the project's own methods."""
    estimator: str = ""
    """Name of its class."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Arguments of the class that make it this method."""
    sees: str = "hog"
    """Input: `hog` features, or `pixels`, the 32x32 square."""
    how: str = ""
    """Its settings and where they come from, for a reader of the tables."""
    change: Callable[[Recipe], Recipe] = lambda recipe: recipe
    """The recipe that it is trained with, from that of a comparison."""
    on_request: bool = False
    """Compared only where it is named: a part of the paper's claim, not a rival."""

    @property
    def folds(self) -> bool:
        """Whether it is a quadratic form for each class, which the device's engine evaluates."""
        return self.module in ("", "dpl", "indpl")

    def build(self, **settings: Any) -> Baseline:
        """The estimator, with its default settings unless others are given.

        Raises:
            TrainingError: PyTorch is needed and not installed.
        """
        try:
            module = import_module(f"{__package__}.{self.module}")
        except ModuleNotFoundError as error:
            if error.name not in ("torch", "torchvision"):
                raise
            raise TrainingError(f"{self.title} needs PyTorch: {how_to_install('deep')}") from error
        estimator: Callable[..., Baseline] = getattr(module, self.estimator)
        return estimator(**(self.settings | settings))


def _on_pixels(recipe: Recipe) -> Recipe:
    return replace(recipe, features="pixels")


def _network(title: str, source: str, architecture: str, epochs: int = 12, rate: float = 2e-3, why: str = "") -> Method:
    how = (
        f"AdamW, learning rate {rate:g}{why}, one-cycle schedule, smoothed labels, {epochs} epochs, at least 600 "
        "steps; 32x32"
    )
    settings = {"architecture": architecture, "epochs": epochs, "rate": rate}
    return Method(title, source, "network", "Network", settings, sees="pixels", how=how, change=_on_pixels)


_LC_KSVD = (
    "the authors' alpha 16, beta 4, 20 iterations for the start and 50 for learning; 30 atoms a class; 10 nonzeros and "
    "a start with atoms tied to their class, which made fewer errors than the authors' 30 nonzeros and start by "
    "regression, on a fold of USPS's training part"
)

DPL_PENALTIES = Penalties(lambda1=0.003, lambda2=0.0, lambda3=0.05, gamma=1e-4)
"""The authors' defaults of DPL, as weights of LpDPL's objective."""


def _unrefined(recipe: Recipe) -> Recipe:
    return replace(recipe, refinement=None)


METHODS = {
    OWN: Method(
        "LpDPL + refinement", "this project", how="the recipe; LpDPL alone where it has no refinement (profile paper)"
    ),
    "lpdpl-plain": Method("LpDPL", "Ameri et al. 2020", how="the recipe, without refinement", change=_unrefined),
    "lpdpl-unlabelled": Method(
        "LpDPL (lambda2 = 0)",
        "this project",
        how="LpDPL without the label term in training; its decision keeps the label term of eq. 12",
        change=lambda recipe: _unrefined(replace(recipe, penalties=replace(recipe.penalties, lambda2=0.0))),
        on_request=True,
    ),
    "dpl-refined": Method(
        "DPL + refinement",
        "this project",
        how="DPL's dictionaries by the authors' defaults and the classifier of eq. 10, then the recipe's refinement",
        change=lambda recipe: replace(recipe, atoms=30, iterations=20, penalties=DPL_PENALTIES),
        on_request=True,
    ),
    "dpl": Method("DPL", "Gu et al. 2014", "dpl", "DPL", how="the authors' defaults"),
    "indpl": Method(
        "InDPL",
        "Abolghasemi et al. 2018",
        "indpl",
        "InDPL",
        how="DPL's defaults; the form of the incoherence penalty and its weight, 0.001 per training sample, are "
        "ours: the paper says only that such a penalty is added to DPL's cost",
    ),
    "src": Method(
        "SRC",
        "Wright et al. 2009",
        "src",
        "SRC",
        how="all training samples form the dictionary, as in the paper; the penalty, 0.01, is ours; solved to "
        "convergence",
    ),
    "dlsi": Method(
        "DLSI",
        "Ramirez et al. 2010",
        "dlsi",
        "DLSI",
        how="60 atoms a class, 50 iterations, penalties 0.02 and 0.001 per training sample, all ours; the decision "
        "keeps atoms that classes share, while the paper ignores those above a cosine of 0.95",
    ),
    "lc-ksvd1": Method("LC-KSVD1", "Jiang et al. 2013", "lc_ksvd", "LCKSVD1", how=_LC_KSVD.replace(", beta 4", "")),
    "lc-ksvd2": Method("LC-KSVD2", "Jiang et al. 2013", "lc_ksvd", "LCKSVD2", how=_LC_KSVD),
    "knn": Method(
        "k nearest neighbours", "scikit-learn", "neighbours", "Neighbours", how="k = 3, weighted by distance"
    ),
    "linear-svm": Method(
        "linear SVM", "scikit-learn", "support_vectors", "LinearSVM", how="the library's default, C = 1"
    ),
    "rbf-svm": Method(
        "RBF SVM", "scikit-learn", "support_vectors", "GaussianSVM", how="C = 10, the library's default width"
    ),
    "depthwise-cnn": _network("depthwise CNN, 16k", "Howard et al. 2017, smaller", "depthwise_cnn"),
    "lenet-5": _network("LeNet-5", "LeCun et al. 1998", "lenet5"),
    "squeezenet": _network(
        "SqueezeNet 1.1",
        "Iandola et al. 2016",
        "squeezenet1_1",
        rate=1e-3,
        why=" (the best of three on a fold of USPS's training part)",
    ),
    "mobilenet-v2": _network("MobileNetV2", "Sandler et al. 2018", "mobilenet_v2", epochs=6),
    "googlenet": _network("GoogLeNet", "Szegedy et al. 2015", "googlenet", epochs=6),
}


def find_method(name: str) -> Method:
    """The method with this name.

    Raises:
        TrainingError: there is no such method.

    >>> find_method("dpl").title
    'DPL'
    """
    if name not in METHODS:
        raise TrainingError(f"there is no method {name!r}: use one of {', '.join(METHODS)}")
    return METHODS[name]


def method_title(name: str, refined: bool) -> str:
    """What tables and figures call a method; without refinement, the project's own is LpDPL.

    >>> method_title("lpdpl", refined=True), method_title("lpdpl", refined=False), method_title("dpl", refined=False)
    ('LpDPL + refinement', 'LpDPL', 'DPL')
    """
    return find_method(name if refined or name != OWN else "lpdpl-plain").title


def method_recipe(name: str, recipe: Recipe) -> Recipe:
    """The recipe for a method: `lpdpl-plain` has no refinement, networks see the pixels of the square."""
    return find_method(name).change(recipe)
