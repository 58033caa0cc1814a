"""Settings turned into whole numbers for one size of frame, as both backends take them."""

from typing import NamedTuple

from edge_lpdpl.locate.parts_table import WORKING_SIDE
from edge_lpdpl.locate.settings import LocateSettings


class Limits(NamedTuple):
    """Lengths in pixels of the reduced frame, contrasts from 0 to 255, shares in 256ths."""

    factor: int
    window: int
    least_contrast: int
    least_peak: int
    faintest: int
    smallest: int
    largest: int
    smallest_dot: int
    largest_dot: int
    boldest: int
    least_area: int


def limits_of(settings: LocateSettings, height: int, width: int) -> Limits:
    """The limits for frames of that size.

    >>> limits_of(LocateSettings(), 480, 640).factor
    2
    """
    longer = max(height, width)
    factor = -(-longer // WORKING_SIDE)
    small = longer // factor
    smallest_dot = max(3, round(settings.smallest_dot * small))
    return Limits(
        factor=factor,
        window=round(settings.widest_stroke * small) | 1,
        least_contrast=round(settings.least_contrast * 255),
        least_peak=round(settings.least_peak * 255),
        faintest=round(settings.faintest * 256),
        smallest=max(4, round(settings.smallest * small)),
        largest=round(settings.largest * small),
        smallest_dot=smallest_dot,
        largest_dot=round(settings.largest_dot * small),
        boldest=round(settings.boldest * 256),
        least_area=4,
    )
