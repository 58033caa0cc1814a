"""What is trained: every choice in one place, as data. `edge` is what ships, `paper` follows the paper closely."""

from dataclasses import asdict, dataclass, field
from typing import Any

from edge_lpdpl.settings import EDGE, PAPER, Profile
from train_host.augment import Jitter
from train_host.lpdpl import Penalties
from train_host.refine import Refinement


@dataclass(frozen=True)
class Recipe:
    """Settings of one training."""

    profile: Profile
    features: str = "hog"
    """`hog`, or `pixels`: the 32x32 square as it is."""
    dimensions: int | None = 72
    """Of the subspace in which LpDPL is trained; None is the whole space."""
    constant: float = 1.0
    """Input beside the projected features."""
    atoms: int = 12
    penalties: Penalties = field(default_factory=Penalties)
    iterations: int = 10
    jitter: Jitter | None = None
    """Affine copies of the training pictures."""
    refinement: Refinement | None = None
    """Discriminative fit after LpDPL."""
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Settings for a report or a model file, ready for JSON."""
        settings = asdict(self)
        settings["profile"] = self.profile.name
        return settings


EDGE_RECIPE = Recipe(EDGE, jitter=Jitter(), refinement=Refinement())
PAPER_RECIPE = Recipe(
    PAPER, dimensions=None, constant=0.0, atoms=340, penalties=Penalties(lambda1=0.1, gamma=1.0), iterations=5
)
RECIPES = {recipe.profile.name: recipe for recipe in (EDGE_RECIPE, PAPER_RECIPE)}
