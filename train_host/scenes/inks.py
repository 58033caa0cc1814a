"""Characters of a data set as ink that is drawn on paper at any size."""

from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from edge_lpdpl.files.grey import INK_AUTO
from edge_lpdpl.model.labels import Label
from edge_lpdpl.model.settings import EDGE
from edge_lpdpl.numeral.buffers import HEIGHT, LEVEL, WIDTH, make_workspace
from edge_lpdpl.numeral.plain.ink import binarise
from train_host.datasets import Dataset
from train_host.datasets.pictures import box_of
from train_host.synthetic.dice import Array, Dice

_SAMPLE = 40  # pictures from which a writer's usual size is estimated


class Inks:
    """The characters of a data set.

    A character is drawn in proportion to the others of its writer: the usual side is one em, so the Arabic-Indic zero,
    a dot, is much smaller.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._there = np.unique(dataset.targets)  # the chosen writers may have left out a class
        self._buffers = make_workspace(EDGE.preprocessing, EDGE.hog)

    @cached_property
    def turned(self) -> "Inks":
        """The same characters, turned by a quarter against the clock: those of a column that is written as a row."""
        return _TurnedInks(self.dataset)

    def throw(self, dice: Dice) -> int:
        """Index of a random picture; all classes that have pictures are equally likely."""
        members = np.flatnonzero(self.dataset.targets == self._there[int(dice.between(0, len(self._there)))])
        return int(members[int(dice.between(0, len(members)))])

    def label(self, index: int) -> Label:
        """The class of a picture."""
        return self.dataset.labels[int(self.dataset.targets[index])]

    def draw(self, index: int, em: float, boldness: float = 0.0) -> Array:
        """Ink on each pixel of a picture, float64 (height, width) in 0 to 1, cut out with a small margin.

        Args:
            em: longer side of a usual character, in pixels.
            boldness: -1 for a third less ink, to 1 for a third more.
        """
        ink = self._ink(index)
        left, top, right, bottom = box_of(ink > 0)
        ink = np.pad(ink[top:bottom, left:right], 3)
        scale = em / self._usual_side(None if self.dataset.writers is None else int(self.dataset.writers[index]))
        size = max(3, round(ink.shape[1] * scale)), max(3, round(ink.shape[0] * scale))
        smooth = Image.fromarray(gaussian_filter(ink, 0.6)).resize(size, Image.Resampling.BICUBIC)
        drawn = np.asarray(smooth, np.float64)
        # Pixels below this level get no ink. The level keeps the amount of ink, or changes it by boldness.
        covered = float(ink.mean()) * (1 + boldness / 3)
        edge = max(0.08, float(np.quantile(drawn, 1 - min(covered, 0.9))))
        steepness = max(0.5 / edge, scale / 1.5)  # no ink where the picture has none
        return np.clip((drawn - edge) * steepness + 0.5, 0, 1)

    @cache  # noqa: B019, the data set outlives its inks
    def _usual_side(self, writer: int | None) -> float:
        """Upper quartile of the longer sides of a writer's characters, in pixels."""
        numbers = np.arange(len(self.dataset))
        if writer is not None and self.dataset.writers is not None:
            numbers = numbers[self.dataset.writers == writer]
        sides = []
        for index in numbers[:: max(1, len(numbers) // _SAMPLE)]:
            left, top, right, bottom = box_of(self._ink(int(index)) > 0)
            sides.append(max(right - left, bottom - top))
        return float(np.percentile(sides, 75))

    def _ink(self, index: int) -> NDArray[np.float32]:
        """Ink of a picture as the recogniser sees it, 0 to 1, with faint strokes made stronger to keep them."""
        buffers = self._buffers
        if binarise(self.dataset.images[index], INK_AUTO, EDGE.preprocessing, buffers) == 0:
            return np.ones((3, 3), np.float32)
        height, width = int(buffers.found[HEIGHT]), int(buffers.found[WIDTH])
        level = max(int(buffers.found[LEVEL]), 1)
        ink = np.minimum(buffers.ink[: height * width].reshape(height, width) / np.float32(level), np.float32(1))
        return np.sqrt(ink)


class _TurnedInks(Inks):
    def draw(self, index: int, em: float, boldness: float = 0.0) -> Array:
        return np.rot90(super().draw(index, em, boldness))
