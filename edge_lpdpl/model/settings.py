"""What a profile is: the numbers that fix how a picture becomes features. Data, not code.

A model file carries both tuples, so the device repeats exactly what the trainer did. They are tuples of plain numbers
because the compiled kernels take them as they are.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, get_type_hints

from edge_lpdpl.errors import EdgeError

MOST_INK = 0.78
"""A picture with a larger share of ink is a covered lens or a blot, not writing. The boldest writing is a zero that
fills its picture, which is less than a disc would be (pi / 4)."""

FAINT_PEAK, FAINT_SHARE, FAINT_REACH = 0.5, 3 / 4096, 0.5
"""A stroke that stands apart and has nothing above Otsu's threshold is ink all the same where it reaches this share of
it, has this share of the picture, lies no farther from the ink than this share of the ink's longer side, and ends
within the picture."""

PHOTOGRAPH_LEVEL = 8
"""Where even the darkest quarter of the paper (ink light) is brighter than this, the picture is a photograph."""

PIXEL_SPREAD = 1 / 12
"""Variance of one pixel about its own centre: keeps a stroke that is one pixel wide from having no width."""


class Preprocessing(NamedTuple):
    """How a grey picture becomes a centred square of ink (the paper's section 2.2)."""

    side: int = 32
    """Side of the square in pixels."""
    low_ratio: float = 0.2
    """Ink grows from above Otsu's threshold down to this share of it, but to no more than double; 1 is plain Otsu."""
    speck_share: float = 1 / 2048
    """Connected ink smaller than this share of the picture is noise."""
    least_contrast: float = 10.0
    """Grey levels between the mean ink and the mean paper below which there is nothing here."""
    paper_window: float = 0.2
    """Uneven paper is taken off by an opening this wide, as a share of the longer side; 0 is never."""
    ink_percentile: int = 50
    """Grey inside the ink counts, full ink at this percentile; 0 makes all ink equal."""
    by_moments: bool = True
    """Centre on the ink's centroid and size by its spread; else centre and size by the box around it."""
    moment_width: float = 4.5
    """Standard deviations of the ink that fill the square."""
    aspect_power: float = 0.5
    """Short side of the result over its long side, as a power of what it was: 1 keeps, 0 stretches."""
    margin: int = 1
    """Pixels kept free around the square."""


class HogSettings(NamedTuple):
    """How the square becomes a histogram of oriented gradients (the paper's section 2.3)."""

    cell: int = 4
    """Side of a cell in pixels."""
    bins: int = 8
    """Orientation bins."""
    signed: bool = True
    """Directions over 360 degrees; else orientations over 180."""
    soft_bins: bool = True
    """Share a gradient between its two nearest bin directions; else the whole of it goes to the bin it falls in."""
    soft_cells: bool = True
    """Share a pixel between its nearest cells, bilinearly; else the whole of it goes to the cell it lies in."""
    smoothing: int = 1
    """Passes of the binomial 1-2-1 blur before the gradient."""
    square_root: bool = True
    """Take the root of every number, which evens out long strokes and short ones."""
    contrast: int = 0
    """What a histogram is divided by: 0 nothing, 1 the picture's largest number, 2 the cell's Euclidean norm."""

    def feature_count(self, side: int) -> int:
        """Numbers in the histogram of a square of `side` pixels.

        >>> HogSettings().feature_count(32), HogSettings(cell=3, bins=9).feature_count(32)
        (512, 900)
        """
        return (side // self.cell) ** 2 * self.bins


class Profile(NamedTuple):
    """Preprocessing and HOG settings under one name."""

    name: str
    preprocessing: Preprocessing
    hog: HogSettings


EDGE = Profile("edge", Preprocessing(), HogSettings())


# What the paper leaves open is set so: its "predefined bounding box" is centred on the ink's centroid and sized by its
# spread, the histogram is divided by the picture's largest number, and neighbouring bins and cells share softly.
PAPER = Profile(
    "paper",
    Preprocessing(low_ratio=1.0, speck_share=1 / 2048, ink_percentile=0, aspect_power=0.5),
    HogSettings(cell=3, bins=9, signed=False, soft_cells=True, smoothing=0, square_root=False, contrast=1),
)

PROFILES = {profile.name: profile for profile in (EDGE, PAPER)}

_BOUNDS: dict[str, tuple[float, float]] = {
    "side": (8, 64),
    "low_ratio": (0.05, 1),
    "speck_share": (0, 0.1),
    "least_contrast": (1, 255),
    "paper_window": (0, 0.5),
    "ink_percentile": (0, 100),
    "moment_width": (2, 8),
    "aspect_power": (0, 1),
    "margin": (0, 3),
    "cell": (2, 16),
    "bins": (4, 18),
    "smoothing": (0, 4),
    "contrast": (0, 2),
}

Settings = TypeVar("Settings", Preprocessing, HogSettings)


def parse_settings(kind: type[Settings], values: object) -> Settings:
    """Settings from untrusted JSON: every field present, of its type, in its range, and none besides.

    Raises:
        EdgeError: names the field that is wrong.

    >>> parse_settings(HogSettings, HogSettings()._asdict()) == HogSettings()
    True
    """
    if not isinstance(values, Mapping):
        raise EdgeError(f"{kind.__name__} settings are not a table")
    types = {name: hint for name, hint in get_type_hints(kind).items() if name in kind._fields}
    unknown = sorted(map(str, values.keys() - types.keys()))
    missing = sorted(types.keys() - values.keys())
    if unknown or missing:
        raise EdgeError(f"{kind.__name__} settings: unknown {unknown}, missing {missing}")
    return kind(**{name: _parse_field(name, types[name], values[name]) for name in types})


def _parse_field(name: str, kind: type, value: Any) -> Any:
    if kind is bool:
        if not isinstance(value, bool):
            raise EdgeError(f"setting {name} = {value!r} is not true or false")
        return value
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        raise EdgeError(f"setting {name} = {value!r} is not a {'whole ' if kind is int else ''}number")
    low, high = _BOUNDS[name]
    if not low <= value <= high:
        raise EdgeError(f"setting {name} = {value!r} is outside {low:g}..{high:g}")
    return kind(value)
