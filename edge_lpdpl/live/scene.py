"""Whether the scene has changed: a coarse view of a frame, how two views differ, and the decision that stands."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.number.line_reader import Number
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import UNSURE
from edge_lpdpl.page.boxes import Box, covered

LEAST_BLOCKS = 2
"""Number of 8x8 blocks that must differ: a numeral covers more, a dead pixel or a fly fewer."""

BLOCK = 8
"""Pixels a side of one block of a view."""

_DARKEST, _BRIGHTEST = 0.5, 2.0  # factors of the light beyond which the scene counts as changed


class View(NamedTuple):
    """A frame as mean grey levels of blocks."""

    blocks: NDArray[np.float32]
    """(height // 8, width // 8): mean grey level of every block."""
    light: float
    """Their median, the grey level of the paper."""

    def under(self, light: float) -> "View":
        """The same scene in another light, within limits."""
        factor = min(max((light + 1) / (self.light + 1), _DARKEST), _BRIGHTEST)
        return View(self.blocks * np.float32(factor), self.light * factor)

    def towards(self, other: "View", share: float) -> "View":
        """A view between this one and another."""
        mine = self.under(other.light).blocks
        return View(mine + (other.blocks - mine) * np.float32(share), other.light)


def view_of(grey: NDArray[np.uint8]) -> View:
    """Mean grey level of every 8x8 block; rows and columns that do not fill a block are left out.

    Args:
        grey: (height, width) uint8, at least one block.

    >>> view_of(np.full((20, 16), 7, np.uint8))
    View(blocks=array([[7., 7.],
           [7., 7.]], dtype=float32), light=7.0)
    """
    rows, columns = grey.shape[0] // BLOCK, grey.shape[1] // BLOCK
    blocks = grey[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns * BLOCK)
    sums = np.add.reduce(blocks, axis=1, dtype=np.uint16)  # at most 8 * 255, and 64 * 255 at the end
    for _ in range(3):  # neighbours are added three times: several times faster than a sum along a short axis
        sums = sums[:, ::2] + sums[:, 1::2]
    middle = sums.size // 2
    light = float(np.partition(sums, middle, axis=None)[middle])
    return View(sums.astype(np.float32) / np.float32(BLOCK * BLOCK), light / (BLOCK * BLOCK))


def changed_blocks(now: View, before: View, sensitivity: float) -> int:
    """Number of blocks that differ by more than `sensitivity` grey levels, after a change of the light is compensated.

    >>> before = View(np.float32([[100, 100, 50]]), light=100)
    >>> changed_blocks(View(np.float32([[90, 90, 90]]), light=90), before, sensitivity=8)
    1
    """
    return int(np.count_nonzero(np.abs(now.blocks - before.under(now.light).blocks) > sensitivity))


class Sight(NamedTuple):
    """What a trigger saw since it wanted the last frame."""

    has_moved: bool = False
    """Whether something has moved, if only a hand that passed by."""
    is_moving: bool = False
    """Whether it still does."""


UNTOUCHED = Sight()


class StandingDecision:
    """The latest decision, and a view of its scene.

    Args:
        sensitivity: grey levels by which an 8x8 block has to change for the scene to count as changed.
    """

    def __init__(self, sensitivity: int) -> None:
        self._sensitivity = sensitivity
        self._reading: Reading | None = None
        self._view: View | None = None
        self._contradicted = list[Box]()
        """Where different numbers were accepted, although nothing had changed."""

    def forget(self) -> None:
        """Accept the next reading in any case, for example because the model is another one."""
        self._reading = self._view = None

    def settle(
        self, reading: Reading, view: View, sight: Sight = UNTOUCHED, *, is_asked: bool = False
    ) -> tuple[Reading, bool]:
        """Compare a reading with the decision that stands.

        The reading replaces it if the scene has changed; if fewer of its numbers are rejected; or if its numbers are
        others, and somebody asked for it or something has moved, if only a finger that wrote a point. Where nothing
        has changed and another number is accepted at one place, one of the two is wrong: from then on the number is
        in doubt.

        Args:
            sight: what has moved since the last reading.
            is_asked: whether a person asked for the reading.

        Returns:
            the decision that stands now, and whether it is new.
        """
        if self._reading is None or self._view is None:
            return self._stand(reading, view)
        changed = changed_blocks(view, self._view, self._sensitivity)
        if changed >= LEAST_BLOCKS and not sight.is_moving:
            return self._stand(reading, view)
        is_other = [one.text for one in reading.numbers] != [one.text for one in self._reading.numbers]
        if sight.has_moved or changed:
            self._contradicted = []
        else:
            found = _contradictions(self._reading.numbers, reading.numbers)
            new = [box for box in found if not covered(box, self._contradicted)]
            self._contradicted += new
            reading = reading._replace(numbers=[self._judged(one) for one in reading.numbers])
            is_other = bool(new) or (is_other and is_asked)
        if is_other or _doubts(reading) < _doubts(self._reading):
            self._reading, self._view = reading, view
            return reading, True
        return self._reading, False

    def _stand(self, reading: Reading, view: View) -> tuple[Reading, bool]:
        self._reading, self._view, self._contradicted = reading, view, []
        return reading, True

    def _judged(self, number: Number) -> Number:
        """The number, in doubt where others were accepted."""
        is_known = not number.rejected and covered(number.box, self._contradicted)
        return number._replace(reason=UNSURE) if is_known else number


def _contradictions(before: Sequence[Number], now: Sequence[Number]) -> list[Box]:
    """Boxes of accepted numbers that are at the place of another accepted one."""
    accepted = [one for one in before if not one.rejected]
    others = [(one, [known.box for known in accepted if known.text != one.text]) for one in now if not one.rejected]
    return [one.box for one, boxes in others if covered(one.box, boxes)]


def _doubts(reading: Reading) -> int:
    return sum(number.rejected for number in reading.numbers)
