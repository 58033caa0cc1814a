"""The numbers that define a numeral on paper. Lengths are shares of the frame's longer side."""

from typing import Annotated, NamedTuple, get_type_hints

from edge_lpdpl.page.parts_table import BLOCK, REDUCED_SIDE


class LocateSettings(NamedTuple):
    """How numerals are distinguished from paper and from everything else in view."""

    polarity: str = "auto"
    """`dark` ink on lighter paper, `light` ink, or `auto`: dark, unless light strokes stand out twice as much."""
    widest_stroke: float = 0.09
    """Strokes up to this width, and dots, are ink; anything wider is paper, shadow or another thing."""
    least_contrast: float = 0.1
    """Ink takes at least this share of the light that the paper around it sends back."""
    least_peak: float = 0.2
    """The strongest strokes in view take at least this share at their middle; otherwise nothing is written there."""
    faintest_peak: float = 0.17
    """All other strokes take at least this share at their middle."""
    core: float = 0.35
    """Pixels less than this share as dark as the darkest of their part do not belong to it: a ruled line under a
    numeral, a crease through it."""
    ground: float = 0.1
    """In a part that touches the border, as ruled lines and shadows do, pixels that take this share of the light that
    is left there are writing on it."""
    darkest_ground: float = 0.65
    """A part at the border that takes more than this is a thing and no shadow; nothing is written on it."""
    faintest: float = 0.5
    """A numeral shows through from the back where its strokes are fainter than this share of the strongest ones."""
    weak_stroke: float = 0.9
    """A single stroke of a numeral may be fainter: `faintest_peak` and `faintest` count times this."""
    smallest: float = 0.028
    """Longer side of the smallest numeral."""
    largest: float = 0.75
    """Longer side of the largest numeral."""
    smallest_dot: float = 0.016
    """Side of the smallest dot that is a numeral of its own, as the Arabic-Indic zero is."""
    largest_dot: float = 0.14
    """Side of the largest such dot; 0 where no numeral is a dot. Where one is, other numerals may be as bold."""
    faintest_dot: float = 0.3
    """Such a dot takes at least this share of the light: it is as wide as long, so a camera's blur takes less of its
    contrast than of a stroke's."""
    largest_mark: float = 0.08
    """Longer side of the largest part of a numeral whose boldness is not limited, such as the dot of 六."""
    longest_part: float = 0.4
    """Longer side of the longest part of a numeral over that of the numeral: where no part is so long, it is print."""
    boldest: float = 0.23
    """Mean width of the strokes over the longer side of a numeral that stands alone; anything bolder is a shape."""
    boldest_beside: float = 0.3
    """The same for a numeral beside others that are not so bold: filled loops of a thick pen."""
    boldest_bar: float = 0.34
    """The same for a single stroke that is two and a half times as long as wide."""
    thickest: float = 0.06
    """Mean width of the boldest strokes."""
    shortest_underline: float = 0.125
    """Length of the shortest line under writing that is taken out; 0 where none is, because bars are numerals."""
    single_boxes: int = 1
    """1 where a single box may be printed around a numeral; 0 where a numeral is such a frame itself, as 四 is."""
    smallest_shape: float = 0.06
    """Shorter side of the smallest filled shape, which is no numeral; a smaller one may be a bold numeral."""
    border: float = 0.01
    """Ink nearer to the border of the frame than this counts as cut off."""
    least_area: int = 4
    """Pixels of the reduced frame of the smallest part that is examined. A thin bar of 三 from afar has no more than 2,
    and a numeral whose strokes are all joined has no such parts."""


ON_PAPER = LocateSettings()
"""Pen and paper."""

GREY, SHARE = ("grey", 0), ("share", 0)
"""What a limit is measured in, and its least value: grey levels, 255 for all of the light; 256ths."""


class Limits(NamedTuple):
    """The settings as whole numbers for frames of one size: lengths in pixels of the reduced frame, contrasts in grey
    levels, all else in 256ths."""

    height: int
    """Of the reduced frame."""
    width: int
    factor: int
    """Pixels of the frame that become one, across and down."""
    stride: int
    """Bytes of a row of a map of the reduced frame."""
    block_stride: int
    """Bytes of a row of a map of its blocks."""
    window: int
    """In blocks of BLOCK x BLOCK pixels."""
    least_contrast: Annotated[int, *GREY]
    least_peak: Annotated[int, *GREY]
    faintest_peak: Annotated[int, *GREY]
    core: Annotated[int, *SHARE]
    ground: Annotated[int, *SHARE]
    darkest_ground: Annotated[int, *GREY]
    faintest: Annotated[int, *SHARE]
    weak_stroke: Annotated[int, *SHARE]
    smallest: Annotated[int, "pixels", 4]
    largest: Annotated[int, "pixels", 8]
    smallest_dot: Annotated[int, "pixels", 3]
    largest_dot: Annotated[int, "pixels", 0]
    faintest_dot: Annotated[int, *GREY]
    largest_mark: Annotated[int, "pixels", 0]
    longest_part: Annotated[int, *SHARE]
    boldest: Annotated[int, *SHARE]
    boldest_beside: Annotated[int, *SHARE]
    boldest_bar: Annotated[int, *SHARE]
    thickest: Annotated[int, "pixels", 2]
    shortest_underline: Annotated[int, "pixels", 0]
    single_boxes: Annotated[int, "count", 0]
    smallest_shape: Annotated[int, "pixels", 8]
    border: Annotated[int, "pixels", 1]
    least_area: Annotated[int, "count", 1]


def limits_of(settings: LocateSettings, height: int, width: int) -> Limits:
    """The limits for frames of that size.

    >>> limits_of(LocateSettings(), 480, 640)[:6]
    (240, 320, 2, 336, 176, 23)
    """
    factor = reduction(max(height, width))
    height, width = height // factor, width // factor
    scales = {"grey": 255, "share": 256, "pixels": max(height, width), "count": 1}
    opening = max(round(max(settings.widest_stroke, settings.largest_dot) * scales["pixels"]), 3)
    sizes = height, width, factor, stride_of(width), stride_of(-(-width // BLOCK)), -(-opening // BLOCK)
    hints = get_type_hints(Limits, include_extras=True).items()
    units = {name: hint.__metadata__ for name, hint in hints if hasattr(hint, "__metadata__")}
    scaled = {name: max(least, round(getattr(settings, name) * scales[unit])) for name, (unit, least) in units.items()}
    return Limits(*sizes, **scaled)


def reduction(longer: int) -> int:
    """Pixels of a frame that become one, across and down. Nothing is left of a frame that has fewer across.

    >>> reduction(640), reduction(4096)
    (2, 13)
    """
    return -(-longer // REDUCED_SIDE)


def stride_of(width: int) -> int:
    """Bytes of a row of a map: whole pairs of words, with at least one byte to spare.

    >>> stride_of(320), stride_of(7)
    (336, 16)
    """
    return (width + 16) // 16 * 16
