"""The options of scenes."""

from dataclasses import dataclass

from edge_lpdpl.errors import DatasetError

NOTHING = ("blank", "shapes", "letters", "lines", "edges", "fingers")
"""Kinds of scenes without a numeral."""
KINDS = ("numerals", "numbers", *NOTHING, "nothing")
"""All kinds of scenes; `nothing` is each kind without a numeral in turn."""
LAYOUTS = ("row", "column", "any")


@dataclass(frozen=True, kw_only=True)
class SceneOptions:
    """The options of scenes; the same options and number make the same scene.

    Attributes:
        kind: one of `KINDS`.
        fewest, most: numerals per scene, 1 to 12; of a number, where the kind is `numbers`.
        layout: `row`, `column`, or `any` for one of them at random, which a number cannot have.
        width, height: of the frames in pixels, 160 to 4096.
        seed: 0 or more.
        gap: least and most free space between the numerals of a number, as shares of their height, -0.3 to 2.
        boxed: share of the numbers that are written into entry boxes, 0 to 1.
        marked: share of the numbers of Latin digits that have points, commas or a minus, 0 to 1.
        underlined: share of the numbers that are underlined, 0 to 1.

    Raises:
        DatasetError: a value is out of its range.
    """

    kind: str = "numerals"
    fewest: int = 1
    most: int = 1
    layout: str = "row"
    width: int = 640
    height: int = 480
    seed: int = 0
    gap: tuple[float, float] = (-0.05, 0.45)
    boxed: float = 0.0
    marked: float = 0.0
    underlined: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DatasetError(f"there are no scenes of kind {self.kind!r}; use {', '.join(KINDS)}")
        if self.layout not in LAYOUTS:
            raise DatasetError(f"there is no layout {self.layout!r}; use {', '.join(LAYOUTS)}")
        if self.kind == "numbers" and self.layout == "any":
            raise DatasetError("numbers are read as rows or as columns, not as any; give one of them")
        if self.layout == "column" and self.marked:
            raise DatasetError("numbers in columns have no points and signs; leave out the share of marked ones")
        if not 1 <= self.fewest <= self.most <= 12:
            raise DatasetError(f"{self.fewest}-{self.most} numerals a scene are not in 1-12")
        if not 160 <= min(self.width, self.height) <= max(self.width, self.height) <= 4096:
            raise DatasetError(f"a frame of {self.width}x{self.height} cannot be made; give 160 to 4096 pixels a side")
        if not -0.3 <= self.gap[0] <= self.gap[1] <= 2:
            raise DatasetError(f"gaps of {self.gap[0]} to {self.gap[1]} cannot be drawn; give -0.3 to 2")
        shares = {"boxed": self.boxed, "marked": self.marked, "underlined": self.underlined}
        for kind, share in shares.items():
            if not 0 <= share <= 1:
                raise DatasetError(f"a share of {share} {kind} numbers is not in 0 to 1")
        if self.seed < 0:
            raise DatasetError(f"the seed is {self.seed}, but must not be negative")

    def kind_of(self, number: int) -> str:
        """The kind of scene `number`.

        >>> [SceneOptions(kind="nothing").kind_of(number) for number in range(3)]
        ['blank', 'shapes', 'letters']
        """
        return NOTHING[number % len(NOTHING)] if self.kind == "nothing" else self.kind
