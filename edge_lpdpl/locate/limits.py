"""Settings turned into whole numbers for one size of frame, as both backends take them."""

from typing import NamedTuple

from edge_lpdpl.locate.parts_table import BLOCK, WORKING_SIDE
from edge_lpdpl.locate.settings import LocateSettings


class Limits(NamedTuple):
    """Lengths in pixels of the reduced frame, contrasts from 0 to 255, shares in 256ths; see `LocateSettings`."""

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
    least_contrast: int
    least_peak: int
    faintest_peak: int
    core: int
    ground: int
    darkest_ground: int
    faintest: int
    light_stroke: int
    smallest: int
    largest: int
    smallest_dot: int
    largest_dot: int
    faintest_dot: int
    largest_mark: int
    """Side of the largest part that may be as bold as it likes, such as the dot of 六."""
    longest_part: int
    widest_gap: int
    boldest: int
    boldest_bar: int
    thickest: int
    smallest_shape: int
    rim: int
    least_area: int
    """Pixels of the smallest part that is looked at."""


def limits_of(settings: LocateSettings, height: int, width: int) -> Limits:
    """The limits for frames of that size.

    >>> limits_of(LocateSettings(), 480, 640)[:6]
    (240, 320, 2, 336, 176, 23)
    """
    factor = reduction(max(height, width))
    longer = max(height, width) // factor

    def pixels(share: float, least: int) -> int:
        return max(least, round(share * longer))

    return Limits(
        height=height // factor,
        width=width // factor,
        factor=factor,
        stride=stride_of(width // factor),
        block_stride=stride_of(-(-(width // factor) // BLOCK)),
        window=-(-pixels(max(settings.widest_stroke, settings.largest_dot), 3) // BLOCK),
        least_contrast=round(settings.least_contrast * 255),
        least_peak=round(settings.least_peak * 255),
        faintest_peak=round(settings.faintest_peak * 255),
        core=round(settings.core * 256),
        ground=round(settings.ground * 256),
        darkest_ground=round(settings.darkest_ground * 255),
        faintest=round(settings.faintest * 256),
        light_stroke=round(settings.light_stroke * 256),
        smallest=pixels(settings.smallest, 4),
        largest=pixels(settings.largest, 8),
        smallest_dot=pixels(settings.smallest_dot, 3),
        largest_dot=pixels(settings.largest_dot, 0),
        faintest_dot=round(settings.faintest_dot * 255),
        largest_mark=pixels(settings.largest_mark, 0),
        longest_part=round(settings.longest_part * 256),
        widest_gap=round(settings.widest_gap * 256),
        boldest=round(settings.boldest * 256),
        boldest_bar=round(settings.boldest_bar * 256),
        thickest=pixels(settings.thickest, 2),
        smallest_shape=pixels(settings.smallest_shape, 8),
        rim=pixels(settings.rim, 1),
        least_area=4,
    )


def reduction(longer: int) -> int:
    """Pixels of a frame that become one, across and down; of a frame that has fewer across than that, nothing is left.

    >>> reduction(640), reduction(4096)
    (2, 13)
    """
    return -(-longer // WORKING_SIDE)


def stride_of(width: int) -> int:
    """Bytes of a row of a map: whole pairs of words, with at least one byte to spare.

    >>> stride_of(320), stride_of(7)
    (336, 16)
    """
    return (width + 16) // 16 * 16
