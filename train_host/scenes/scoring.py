"""How a model reads scenes: what was found and read, in which order, and what was decided where nothing stands."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tqdm import tqdm

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.reader import Numeral, PageReader
from edge_lpdpl.page.settings import LocateSettings
from train_host.scenes.folder import KnownScene

LEAST_OVERLAP = 0.5
"""Two boxes show the same numeral where they share this part of the area that they cover together."""


COUNTED = (
    *("scenes", "numerals", "found", "read", "read_in_order"),
    *("wrong", "order_errors", "false_decisions", "whole_scenes"),
)


class Outcome(NamedTuple):
    """How one scene was read."""

    scene: KnownScene
    numerals: list[Numeral]
    truth_of: list[int | None]
    """Which of the scene's numerals each one is, None where none stands there."""

    def is_right(self, place: int) -> bool:
        """Whether a numeral is accepted and has the right value."""
        truth, recognition = self.truth_of[place], self.numerals[place].recognition
        return truth is not None and not recognition.rejected and recognition.value == self.scene.values[truth]

    @property
    def right(self) -> list[int]:
        """The scene's numerals that were read right, in the order in which they were read."""
        return [truth for place, truth in enumerate(self.truth_of) if truth is not None and self.is_right(place)]

    @property
    def false(self) -> list[Numeral]:
        """What was accepted where nothing stands."""
        pairs = zip(self.numerals, self.truth_of, strict=True)
        return [numeral for numeral, truth in pairs if truth is None and not numeral.recognition.rejected]

    @property
    def wrong(self) -> int:
        """Numerals that were accepted with another value."""
        accepted = sum(
            truth is not None and not numeral.recognition.rejected
            for numeral, truth in zip(self.numerals, self.truth_of, strict=True)
        )
        return accepted - len(self.right)

    @property
    def is_whole(self) -> bool:
        """Every numeral read right, in the right order, and nothing else."""
        return self.right == list(range(len(self.scene.values))) and not self.false and not self.wrong


def score_scenes(
    model: str | os.PathLike[str],
    scenes: Iterable[KnownScene],
    *,
    settings: LocateSettings = LocateSettings(),  # noqa: B008
    backend: str = "auto",
    watch: Callable[[Outcome], object] = lambda outcome: None,
    progress: bool = False,
) -> dict[str, Any]:
    """Read every scene with a model, as the service does, and count.

    Args:
        watch: is called with every outcome.

    Returns:
        scenes, numerals; found (a box at the right place), read (the right value, accepted), read_in_order (of these,
        as many as stand in the right order), wrong (accepted with another value), order_errors (scenes),
        false_decisions (accepted where nothing stands), false_by_kind, whole_scenes (all right and nothing else).

    Raises:
        ModelError: the model file cannot be believed.
        DatasetError: the scenes cannot be read, or one has a numeral that the model does not know.
    """
    recogniser = Recogniser.load(model, backend)
    known = {label.value for label in recogniser.model.labels}
    readers: dict[tuple[int, ...], PageReader] = {}
    counts: Counter[str] = Counter()
    by_kind: Counter[str] = Counter()
    for scene in tqdm(scenes, desc="scenes", disable=None if progress else True):
        if unknown := sorted(set(scene.values) - known):
            values = " ".join(map(str, unknown))
            raise DatasetError(f"{scene.file}: the model does not know {values}; use scenes of its classes")
        shape = height, width = scene.picture.shape
        if shape not in readers:
            readers[shape] = PageReader(recogniser, height, width, settings)
        outcome = compare(scene, readers[shape].read(scene.picture).numerals)
        in_order = longest_rise(outcome.right)
        counts["scenes"] += 1
        counts["numerals"] += len(scene.values)
        counts["found"] += sum(truth is not None for truth in outcome.truth_of)
        counts["read"] += len(outcome.right)
        counts["read_in_order"] += in_order
        counts["order_errors"] += in_order < len(outcome.right)
        counts["wrong"] += outcome.wrong
        counts["false_decisions"] += len(outcome.false)
        counts["whole_scenes"] += outcome.is_whole
        by_kind[scene.kind] += len(outcome.false)
        watch(outcome)
    if not counts["scenes"]:
        raise DatasetError("there are no scenes to read")
    return {**{name: counts[name] for name in COUNTED}, "false_by_kind": dict(by_kind)}


def compare(scene: KnownScene, numerals: Sequence[Numeral]) -> Outcome:
    """Match what was found with what stands there, the best overlaps first."""
    pairs = sorted(
        (-overlap(numeral.box, box), place, truth)
        for place, numeral in enumerate(numerals)
        for truth, box in enumerate(scene.boxes)
    )
    truth_of: list[int | None] = [None] * len(numerals)
    for worth, place, truth in pairs:
        if -worth >= LEAST_OVERLAP and truth_of[place] is None and truth not in truth_of:
            truth_of[place] = truth
    return Outcome(scene, list(numerals), truth_of)


def overlap(one: Box, other: Box) -> float:
    """Area that two boxes share over the area that they cover, both widened by a tenth of the larger one's side, so
    that a pixel more or less is not half of a thin stroke.

    >>> overlap(Box(0, 0, 100, 8), Box(0, 0, 100, 8)), overlap(Box(0, 0, 10, 10), Box(50, 50, 10, 10))
    (1.0, 0.0)
    """
    margin = max(4, max(*one[2:], *other[2:]) // 10)
    width = min(one.right, other.right) - max(one.x, other.x) + 2 * margin
    height = min(one.bottom, other.bottom) - max(one.y, other.y) + 2 * margin
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box.width + 2 * margin) * (box.height + 2 * margin) for box in (one, other)]
    return width * height / (sum(areas) - width * height)


def longest_rise(places: Sequence[int]) -> int:
    """Length of the longest part of a sequence, gaps allowed, that rises.

    >>> longest_rise([0, 2, 1, 3])
    3
    """
    best: list[int] = []
    for at, place in enumerate(places):
        best.append(1 + max((best[before] for before in range(at) if places[before] < place), default=0))
    return max(best, default=0)
