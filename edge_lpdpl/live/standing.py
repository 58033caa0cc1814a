"""Hysteresis: a decision stands until the scene changes, so that what flickers between two labels is not published."""

from collections.abc import Sequence

from edge_lpdpl.live.scene import View, changed_blocks
from edge_lpdpl.live.trigger import LEAST_BLOCKS
from edge_lpdpl.page import Numeral, Page


class StandingDecision:
    """What was decided last, and of which scene.

    Args:
        sensitivity: grey levels by which an 8x8 block has to change for the scene to be another.
    """

    def __init__(self, sensitivity: int) -> None:
        self._sensitivity = sensitivity
        self._page: Page | None = None
        self._view: View | None = None

    def forget(self) -> None:
        """The next reading counts, whatever it is: the model is another, say."""
        self._page = self._view = None

    def settle(self, page: Page, view: View) -> tuple[Page, bool]:
        """Hold a reading against the decision that stands.

        A reading takes its place if the scene has changed, or if the decision that stands was not relied on (something
        in it was rejected) and this reading is better.

        Returns:
            What is decided now, and whether that is new.
        """
        if self._page is not None and self._view is not None:
            same_scene = changed_blocks(view, self._view, self._sensitivity) < LEAST_BLOCKS
            if same_scene and _doubts(page.numerals) >= _doubts(self._page.numerals):
                return self._page, False
        self._page, self._view = page, view
        return page, True


def _doubts(numerals: Sequence[Numeral]) -> int:
    return sum(numeral.recognition.rejected for numeral in numerals)
