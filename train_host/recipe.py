"""All settings of a training in one place, as data: the recipe `edge` ships, `paper` follows the paper closely."""

from dataclasses import asdict, dataclass, field, replace
from math import inf, isfinite
from numbers import Integral
from typing import Any

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.model.settings import EDGE, PAPER, Profile
from train_host.method.lpdpl import Penalties
from train_host.method.refine import Refinement

ATOMS_TOGETHER, MOST_ATOMS = 180, 18
"""Most atoms of all classes together, which determine the cost of a decision, and of one class; more did not help."""
_LEAST = {"atoms": 1, "dimensions": 2, "iterations": 1, "drawn": 0, "lines": 0, "seed": 0}
_MAY_BE_NONE = ("atoms", "dimensions")


@dataclass(frozen=True)
class Jitter:
    """How many augmented copies to make, and the largest distortion in either direction; each is drawn uniformly."""

    copies: int = 2
    rotation: float = 6.0
    """Degrees."""
    shear: float = 0.15
    """Pixels of horizontal shift for each pixel of height."""
    stretch: float = 0.12
    """Natural logarithm of the factor by which the width grows and the height shrinks."""
    bend: float = 0.0
    """By how much a smooth random field moves the pixels, in quadratic mean: a share of the longer side."""


WIDE = Jitter(copies=6, rotation=10.0, shear=0.3, stretch=0.18)
"""More copies, and larger distortions, for data of few people or of people unlike those who will be read."""
BEND = 0.043
"""How much strokes are bent, if they are."""


@dataclass(frozen=True)
class CameraView:
    """How many copies to make, and the limits of what the camera does to them.

    The size is between `least_side` and `most_side`; each other effect is drawn uniformly between none and its limit.
    """

    copies: int = 2
    least_side: int = 24
    """Longer side of the smallest ink, in pixels of a frame."""
    most_side: int = 160
    """Longer side of the largest ink, in pixels of a frame; the logarithm of the size is uniform."""
    blur: float = 1.3
    """Standard deviation of the blur, in pixels of a frame."""
    boldness: float = 0.5
    """Hundredths of the longer side by which a stroke grows on each side."""
    darkness: float = 0.53
    """Share of the light that is missing."""
    noise: float = 5.0
    """Standard deviation of the noise, in grey levels."""


@dataclass(frozen=True)
class NoveltySettings:
    """How non-numerals are told from numerals."""

    is_class: bool = True
    """Whether non-numerals are a class of their own, and not told by the distances alone."""
    factors: int = 24
    """Factors of the precision matrix of a class."""
    strangers: float = 3.0
    """Non-numerals for each picture of the data set."""
    least_side: int = 14
    """Longer side of the smallest ink, in pixels of a frame, in the camera copies that only the distances are learned
    from."""
    most_strangers: int = 20_000
    """Non-numerals at most."""
    epochs: int = 12
    rate: float = 0.02
    """Adam's step size at the start; it falls to 0 along a cosine."""
    sharpness: float = 0.05
    """Factor on the distance before the logistic function."""
    balance: float = 0.5
    """Weight of all non-numerals together; the class's own pictures together have the weight 1."""
    others: float = 0.2
    """Weight of a non-numeral that is read as another class, as a share of that of one read as this class."""
    batch: int = 256
    """Samples per step."""


@dataclass(frozen=True)
class Recipe:
    """Settings of one training.

    Raises:
        TrainingError: a setting that counts something is no whole number, or too small.

    >>> Recipe(EDGE, atoms=0)
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.TrainingError: atoms is 0; give None or a whole number from 1 on
    """

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
    lines: int = 0
    """Numbers that are drawn with the training pictures and found on their page again; each character that is cut out
    is one more copy of its picture, with what a number leaves on it."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value, other = getattr(self, name), "None or " * (name in _MAY_BE_NONE)
            counts = not isinstance(value, bool) and isinstance(value, Integral) and least <= int(value)
            if not counts and not (value is None and other):
                raise TrainingError(f"{name} is {value!r}; give {other}a whole number from {least} on")
        for copies in (self.jitter, self.camera):
            if copies is not None and copies.copies < 0:
                raise TrainingError(f"copies is {copies.copies}; give 0 or more, or None instead of the copies")

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
        if self.atoms is not None:
            return self.atoms
        return max(1, min(MOST_ATOMS, ATOMS_TOGETHER // class_count))

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


PENALTIES = ("lambda1", "lambda2", "lambda3", "gamma")
"""Those of the method that can be chosen."""
WHOLE = ("atoms", "dimensions", "iterations")
"""Other settings that can be chosen: whole numbers."""
Grid = dict[str, tuple[float, ...]]


def parse_grid(words: list[str]) -> Grid:
    """Values to try, from words such as `atoms=8,12`. If several words name one setting, all their values are tried.

    Raises:
        TrainingError: a word has another form, a setting is unknown, or a value is not a positive number.

    >>> parse_grid(["atoms=8,12", "gamma=1e-4", "atoms=20"])
    {'atoms': (8, 12, 20), 'gamma': (0.0001,)}
    """
    grid: Grid = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or name not in (*WHOLE, *PENALTIES):
            raise TrainingError(f"{word!r} is not a setting with values: use {'=..., '.join((*WHOLE, *PENALTIES))}=...")
        try:
            found = list(map(float, values.split(",")))
        except ValueError:
            raise TrainingError(f"{word!r}: give numbers with commas between them") from None
        whole = name not in WHOLE or all(value == int(value) for value in found if isfinite(value))
        if not whole or not all(0 < value < inf for value in found):
            raise TrainingError(f"{word!r}: values must be above 0, and whole for {', '.join(WHOLE)}")
        grid[name] = (*grid.get(name, ()), *(map(int, found) if name in WHOLE else found))
    return grid


def parse_settings(words: list[str]) -> dict[str, float]:
    """Settings from words such as `lambda1=1e-5`.

    Raises:
        TrainingError: as `parse_grid`, or a setting has two values.

    >>> parse_settings(["atoms=8", "lambda1=1e-5"]), parse_settings([])
    ({'atoms': 8, 'lambda1': 1e-05}, {})
    """
    grid = parse_grid(words)
    for name, values in grid.items():
        if len(values) > 1:
            raise TrainingError(f"{name} has {len(values)} values; give one, or let `lpdpl-train tune` try them")
    return {name: values[0] for name, values in grid.items()}


def with_settings(recipe: Recipe, settings: dict[str, float]) -> Recipe:
    """A copy of the recipe with other settings.

    >>> with_settings(EDGE_RECIPE, {"atoms": 9.0, "gamma": 0.5}).penalties.gamma
    0.5
    """
    penalties = {name: value for name, value in settings.items() if name in PENALTIES}
    whole: dict[str, Any] = {name: int(value) for name, value in settings.items() if name in WHOLE}
    return replace(recipe, penalties=replace(recipe.penalties, **penalties), **whole)
