"""The numbers that decide how a picture becomes features, each with its range. A profile is data, not code.

A model file holds both tuples, so the device repeats exactly what the trainer did. They are tuples of plain numbers
because the compiled kernels take them as they are. How numerals are found on a page is not part of a model file yet:
see `edge_lpdpl.page.settings` and `edge_lpdpl.page.rejection`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from edge_lpdpl.errors import ModelError


class Preprocessing(NamedTuple):
    """How a grey picture becomes a centred square of ink (the paper's section 2.2)."""

    side: Annotated[int, 8, 64] = 32
    """Side of the square in pixels."""
    low_ratio: Annotated[float, 0.05, 1] = 0.2
    """Ink grows from above Otsu's threshold down to this share of it, within `most_growth`; 1 is plain Otsu."""
    speck_share: Annotated[float, 0, 0.1] = 1 / 2048
    """Connected ink smaller than this share of the picture is noise."""
    least_contrast: Annotated[float, 1, 255] = 10.0
    """Grey levels between the mean ink and the mean paper below which there is nothing here."""
    paper_window: Annotated[float, 0, 0.5] = 0.2
    """Uneven paper is taken off by an opening this wide, as a share of the longer side; 0 is never."""
    ink_percentile: Annotated[int, 0, 100] = 50
    """Grey inside the ink counts, full ink at this percentile; 0 makes all ink equal."""
    by_moments: bool = True
    """Centre on the ink's centroid and size by its spread; else centre and size by the box around it."""
    moment_width: Annotated[float, 2, 8] = 4.5
    """Standard deviations of the ink that fill the square."""
    aspect_power: Annotated[float, 0, 1] = 0.5
    """Short side of the result over its long side, as a power of what it was: 1 keeps, 0 stretches."""
    margin: Annotated[int, 0, 3] = 1
    """Pixels kept free around the square."""
    longest_side: Annotated[int, 32, 160] = 160
    """A picture with a longer side is reduced first, by means of whole blocks of pixels."""
    most_growth: Annotated[float, 0, 10] = 1.0
    """Ink grows by at most this share of its pixels below Otsu's threshold: soft edges and faint strokes have no more,
    uneven paper has."""
    least_speck: Annotated[int, 1, 100] = 2
    """Connected ink of fewer pixels is noise, however small the picture."""
    most_ink: Annotated[float, 0.1, 1] = 0.78
    """A picture with a larger share of ink is a covered lens or a blot. The boldest writing is a zero that fills its
    picture, which is less than a disc (pi / 4)."""
    faint_peak: Annotated[float, 0, 1] = 0.5
    """A detached stroke below Otsu's threshold is ink where it reaches this share of the way from the paper to it,"""
    faint_share: Annotated[float, 0, 0.1] = 3 / 4096
    """has at least this share of the picture's pixels,"""
    faint_reach: Annotated[float, 0, 2] = 0.5
    """is no farther from the ink than this share of the ink's longer side, and does not touch the picture's border."""
    photograph_level: Annotated[int, 0, 255] = 8
    """A picture whose paper is brighter than this (ink is light) at `photograph_percentile` is a photograph."""
    photograph_percentile: Annotated[int, 0, 100] = 25
    """Of the paper's grey levels, from the darkest on."""
    pixel_spread: Annotated[float, 0.01, 1] = 1 / 12
    """Variance of one pixel about its own centre: a stroke one pixel wide has a width, too."""


class HogSettings(NamedTuple):
    """How the square becomes a histogram of oriented gradients (the paper's section 2.3)."""

    cell: Annotated[int, 2, 16] = 4
    """Side of a cell in pixels."""
    bins: Annotated[int, 4, 18] = 8
    """Orientation bins."""
    signed: bool = True
    """Directions over 360 degrees; else orientations over 180."""
    soft_bins: bool = True
    """Share a gradient between its two nearest bin directions; else the whole of it goes to the bin it falls in."""
    soft_cells: bool = True
    """Share a pixel between its nearest cells, bilinearly; else the whole of it goes to the cell it lies in."""
    smoothing: Annotated[int, 0, 4] = 1
    """Passes of the binomial 1-2-1 blur before the gradient."""
    square_root: bool = True
    """Take the root of every number, which evens out long strokes and short ones."""
    contrast: Annotated[int, 0, 2] = 0
    """What a histogram is divided by: 0 nothing, 1 the picture's largest number, 2 the cell's Euclidean norm."""
    least_norm: Annotated[float, 1e-6, 1] = 1e-5
    """Its square is added to that of a cell's norm, as scikit-image does, so that an empty cell stays empty."""

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

NEW_IN_SCHEMA_4 = {
    name: default
    for kind, first in ((Preprocessing, "longest_side"), (HogSettings, "least_norm"))
    for name, default in list(kind._field_defaults.items())[kind._fields.index(first) :]
}
"""Settings that files before schema 4 do not hold. Those files are read with these values, so the defaults of these
fields never change; another choice needs another profile."""

Settings = TypeVar("Settings", Preprocessing, HogSettings)


def parse_settings(kind: type[Settings], values: object, added: Mapping[str, object] = {}) -> Settings:
    """Settings from untrusted JSON: every field present, of its type, in its range, and none besides.

    Args:
        added: fields that `values` must not hold, with their values (`NEW_IN_SCHEMA_4`); others are ignored.

    Raises:
        ModelError: names the field that is wrong.

    >>> parse_settings(HogSettings, HogSettings()._asdict()) == HogSettings()
    True
    """
    if not isinstance(values, Mapping):
        raise ModelError(f"{kind.__name__} settings are not a table")
    wanted = set(kind._fields) - added.keys()
    unknown = sorted(map(str, values.keys() - wanted))
    missing = sorted(wanted - values.keys())
    if unknown or missing:
        raise ModelError(f"{kind.__name__} settings: unknown {unknown}, missing {missing}")
    fields: dict[str, Any] = {name: added.get(name, values.get(name)) for name in kind._fields}
    numbers = checked_numbers(kind, fields, "setting ")
    for name in fields.keys() - numbers:
        if not isinstance(fields[name], bool):
            raise ModelError(f"setting {name} = {fields[name]!r} is not true or false")
    return kind(**fields | numbers)


def checked_numbers(kind: type, values: Mapping[str, object], what: str = "") -> dict[str, Any]:
    """Those of the values that are numbers: the class `kind` is annotated with their types and ranges.

    Raises:
        ModelError: as for `checked_number`; the name of a value comes after `what`.
    """
    hints = get_type_hints(kind, include_extras=True)
    ranges = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    return {name: checked_number(what + name, values[name], *limits) for name, limits in ranges.items()}


def checked_number(what: str, value: Any, kind: type = float, low: float = 0, high: float = 1) -> Any:
    """A number from untrusted JSON as an int or a float (`kind`), from `low` to `high`.

    Raises:
        ModelError: another type, or out of its range.

    >>> checked_number("threshold", 1)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        raise ModelError(f"{what} = {value!r} is not a {'whole ' if kind is int else ''}number")
    if not low <= value <= high:
        raise ModelError(f"{what} = {value!r} is outside {low}..{high}")
    return kind(value)
