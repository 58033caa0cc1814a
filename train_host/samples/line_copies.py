"""Copies of characters as they stand in numbers: drawn in a line with others, photographed, found and cut out again.

A character that is cut out of a number has remains of its neighbours and of printed boxes, lacks what a seam took, and
has been turned level. A model that has never seen such is in doubt about them.
"""

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from edge_lpdpl.number.grammar import marks_for
from edge_lpdpl.number.lattice import LatticeBuilder, levelled
from edge_lpdpl.number.weights import line_model
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LIFTED_SIDE
from train_host.datasets import Dataset
from train_host.progress import bar
from train_host.samples.camera_copies import in_the_middle
from train_host.samples.true_path import true_line
from train_host.scenes.compose import make_scene
from train_host.scenes.inks import Inks
from train_host.scenes.options import SceneOptions

FEWEST, MOST = 2, 8
"""Characters of a number."""
BOXED = 0.3
"""Share of the numbers that are written into printed boxes."""
MOST_COPIES = 2
"""Of one picture."""
_TOGETHER = 25  # numbers that a process draws at a time

CutOut = tuple[int, NDArray[np.uint8]]
"""Index of a picture, and its copy."""


def line_copies(dataset: Dataset, numbers: int, seed: int) -> NDArray[np.uint8]:
    """Copies of the pictures of a data set, cut out of drawn numbers, on one processor or several with the same result.

    The numbers are drawn with random pictures. Those of the set's own test part are left out.

    Args:
        numbers: how many are drawn.

    Returns:
        uint8 (MOST_COPIES, N, LIFTED_SIDE, LIFTED_SIDE): light ink on black; black where a picture has no such copy.

    Raises:
        DatasetError: the labels are not those of numbers.

    >>> from train_host.datasets.bundled import synthesise_dataset
    >>> digits = synthesise_dataset("writers=2,samples=1,script=latin")
    >>> copies = line_copies(digits, 3, seed=1)
    >>> copies.shape, bool(0 < copies.any(axis=(2, 3)).sum() <= 20)
    ((2, 20, 64, 64), True)
    """
    copies = np.zeros((MOST_COPIES, len(dataset), LIFTED_SIDE, LIFTED_SIDE), np.uint8)
    known = np.arange(len(dataset)) if dataset.is_test is None else np.flatnonzero(~dataset.is_test)
    shown, starts = dataset.subset(known), range(0, numbers, _TOGETHER)
    parts = Parallel(return_as="generator", max_nbytes="1M")(
        delayed(cut_out)(shown, range(start, min(start + _TOGETHER, numbers)), seed) for start in starts
    )
    made = np.zeros(len(dataset), np.intp)
    for part in bar("numbers", parts, total=len(starts), unit_scale=_TOGETHER):
        for index, picture in part:
            place = known[index]
            if made[place] < MOST_COPIES:
                copies[made[place], place] = picture
                made[place] += 1
    return copies


def cut_out(dataset: Dataset, numbers: range, seed: int) -> list[CutOut]:
    """The characters of these numbers; none of a number that is not found as it was drawn."""
    inks, lines = Inks(dataset), line_model(dataset.labels)
    options = SceneOptions(kind="numbers", fewest=FEWEST, most=MOST, boxed=BOXED, seed=seed)
    locator = Locator(options.height, options.width)
    builder = LatticeBuilder(locator, None, lines.widest, lines.joined, bool(marks_for(dataset.labels)))
    found = []
    for number in numbers:
        scene = make_scene(inks, options, number)
        builder.start()
        line = true_line(locator, builder, scene.picture, [numeral.box for numeral in scene.numerals])
        if line is None:
            continue
        lattice, path = line
        for numeral, place in zip(scene.numerals, path.candidates, strict=True):
            lifted = locator.lift(lattice.candidates[place].members)
            picture = levelled(lifted.picture, builder.tilt) if lifted is not None else np.zeros((0, 0), np.uint8)
            if 0 < max(picture.shape) <= LIFTED_SIDE:
                found.append((numeral.source, in_the_middle(picture)))
    return found
