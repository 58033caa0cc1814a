"""Every method of the comparison, by name and behind one interface; `methods.toml` lists them.

All methods see the same pictures with the same preprocessing. Methods on features see what LpDPL sees: the features in
the subspace of the recipe. Networks see the 32x32 square from which the features are computed.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import TrainingError, how_to_install
from train_host.baselines.baseline import Baseline
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
    recipe: dict[str, Any] = field(default_factory=dict)
    """What differs in the recipe that it is trained with, from that of a comparison."""
    penalties: dict[str, float] = field(default_factory=dict)
    """The same for the penalties of the recipe."""
    refined: bool = True
    """Whether it keeps the refinement of the recipe."""
    on_request: bool = False
    """Compared only where it is named: a part of the paper's claim, not a rival."""
    colour: str = ""
    """In figures."""

    @property
    def folds(self) -> bool:
        """Whether it is a quadratic form for each class, which the device's engine evaluates."""
        return self.module in ("", "dpl")

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


METHODS = {
    name: Method(**row)
    for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
"""Name to method, in the order of the tables."""


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
    method = find_method(name)
    return replace(
        recipe,
        features="pixels" if method.sees == "pixels" else recipe.features,
        refinement=recipe.refinement if method.refined else None,
        penalties=replace(recipe.penalties, **method.penalties),
        **method.recipe,
    )
