"""A rectangle of pixels."""

from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle in pixels of the frame: columns x to x + width - 1, rows y to y + height - 1."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First column after it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """First row after it."""
        return self.y + self.height

    def widened(self, margin: int, width: int, height: int) -> "Box":
        """The box with `margin` pixels more on every side, as far as a frame of `width` x `height` has them.

        >>> Box(2, 30, 10, 20).widened(5, 640, 480)
        Box(x=0, y=25, width=17, height=30)
        """
        left, top = max(self.x - margin, 0), max(self.y - margin, 0)
        return Box(left, top, min(self.right + margin, width) - left, min(self.bottom + margin, height) - top)
