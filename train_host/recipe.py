"""All settings of a training in one place, as data: the recipe `edge` ships, `paper` follows the paper closely."""

from dataclasses import asdict, dataclass, field
from typing import Any

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.model.settings import EDGE, PAPER, Profile
from train_host.augment import Jitter
from train_host.camera_copies import CameraView
from train_host.lpdpl import Penalties
from train_host.novelty import NoveltySettings
from train_host.refine import Refinement

ATOMS_TOGETHER, MOST_ATOMS = 180, 18
"""Most atoms of all classes together, which determine the cost of a decision, and of one class; more did not help."""


@dataclass(frozen=True)
class Recipe:
    """Settings of one training."""

    profile: Profile
    features: str = "hog"
    """`hog`, or `pixels`: the 32x32 square as it is."""
    dimensions: int | None = 72
    """Dimensions of the subspace in which LpDPL is trained; None is the whole space."""
    constant: float = 1.0
    """Number that is appended to the projected features; 0 appends nothing."""
    atoms: int | None = None
    """Atoms of each class; None divides ATOMS_TOGETHER among the classes."""
    penalties: Penalties = field(default_factory=Penalties)
    iterations: int = 10
    jitter: Jitter | None = None
    """Affine augmented copies of the training pictures."""
    camera: CameraView | None = None
    """Further augmented copies as a camera sees them; without `jitter` there are none."""
    refinement: Refinement | None = None
    """Discriminative refinement after LpDPL; None is LpDPL alone."""
    novelty: NoveltySettings | None = None
    """Distances that detect non-numerals; None is a model without them."""
    drawn: int = 0
    """Number of synthetic writers whose numerals are added to the training data and never tested on. They bring other
    pens and other handwriting where the data has few."""
    seed: int = 0

    @property
    def feature_count(self) -> int:
        """n, the length of a feature vector.

        >>> EDGE_RECIPE.feature_count, PAPER_RECIPE.feature_count
        (512, 900)
        """
        side = self.profile.preprocessing.side
        return side**2 if self.features == "pixels" else self.profile.hog.feature_count(side)

    def check_dimensions(self, dimensions: float) -> None:
        """Check that the recipe can have a subspace of this many dimensions.

        Raises:
            TrainingError: the recipe uses the whole space, or there are fewer features than dimensions.
        """
        if self.dimensions is None:
            raise TrainingError(f"profile {self.profile.name} has no subspace: leave out dimensions")
        if dimensions > self.feature_count:
            raise TrainingError(f"{dimensions:g} dimensions of {self.feature_count} features: give as many or fewer")

    def atoms_of(self, class_count: int) -> int:
        """Atoms of each class for this number of classes.

        >>> EDGE_RECIPE.atoms_of(15), EDGE_RECIPE.atoms_of(10), EDGE_RECIPE.atoms_of(3), PAPER_RECIPE.atoms_of(15)
        (12, 18, 18, 340)
        """
        return self.atoms or max(1, min(MOST_ATOMS, ATOMS_TOGETHER // class_count))

    def to_json(self) -> dict[str, Any]:
        """Settings as data for JSON, for a report or a model file."""
        settings = asdict(self)
        settings["profile"] = self.profile.name
        return settings


EDGE_RECIPE = Recipe(EDGE, jitter=Jitter(), camera=CameraView(), refinement=Refinement(), novelty=NoveltySettings())
PAPER_RECIPE = Recipe(
    PAPER, dimensions=None, constant=0.0, atoms=340, penalties=Penalties(lambda1=0.1, gamma=1.0), iterations=5
)
RECIPES = {recipe.profile.name: recipe for recipe in (EDGE_RECIPE, PAPER_RECIPE)}
