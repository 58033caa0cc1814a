"""What all cells of a comparison share: data set, protocol, features per recipe, folder of results."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

import joblib
import numpy as np
from numpy.typing import NDArray

from train_host.baselines.methods import method_recipe
from train_host.compare.cells import Cell, Cells, Result
from train_host.compare.decide import Pupil, training_cell
from train_host.datasets import Dataset
from train_host.samples.features import extract_features
from train_host.samples.prepare import Samples, prepare
from train_host.splits import BETWEEN_SUBJECT, CONVENTIONAL, Split, make_splits


@dataclass(frozen=True)
class Protocol:
    """Defines which pictures are trained on and which are tested."""

    name: str
    folds: int = 10
    groups: int | None = None
    first: int | None = None
    """Number of splits to run, from the first; None runs all. For methods that take too long on all splits."""

    @property
    def title(self) -> str:
        """Name and options of the protocol, as on the command line.

        >>> Protocol("between-subject", groups=10, first=1).title
        'between-subject --groups 10 --splits 1'
        """
        title = self.name
        if self.name == CONVENTIONAL:
            title += f" --folds {self.folds}"
        if self.name == BETWEEN_SUBJECT and self.groups:
            title += f" --groups {self.groups}"
        return f"{title} --splits {self.first}" if self.first else title


@dataclass
class Bench:
    """One data set with a protocol, on which methods are compared."""

    dataset: Dataset
    protocol: Protocol
    folder: Path | None = None
    """Folder of the results of cells and of the records; None keeps nothing."""
    _samples: dict[str, tuple[Samples, str]] = field(default_factory=dict, repr=False)

    def splits(self, seed: int) -> list[Split]:
        """The splits of the protocol that are run: (training, test) indices of pictures."""
        protocol = self.protocol
        return make_splits(self.dataset, protocol.name, protocol.folds, protocol.groups, seed)[: protocol.first]

    def splits_digest(self, seed: int) -> str:
        """Digest of the splits.

        The digest of the data set does not cover them: it includes neither its standard split nor sample numbers.
        """
        return joblib.hash(self.splits(seed))

    def samples(self, pupil: Pupil) -> tuple[Samples, str]:
        """Samples for the pupil and their digest. They are extracted once for all pupils that see the same features."""
        recipe = method_recipe(pupil.method, pupil.recipe)
        seen = repr((recipe.profile, recipe.features, recipe.jitter, recipe.camera, recipe.seed))
        if seen not in self._samples:
            samples = prepare(self.dataset, recipe)
            self._samples[seen] = samples, joblib.hash(samples)
        return self._samples[seen]

    def cell(self, pupil: Pupil, split: Split, tests: dict[str, NDArray[np.uint8]] | None = None) -> Cell:
        """A cell that trains on a split's training pictures and decides on its test pictures, or on other pictures.

        Args:
            tests: name to pictures (N, height, width), uint8, to decide on; None takes the split's test pictures.
        """
        samples, name = self.samples(pupil)
        recipe = method_recipe(pupil.method, pupil.recipe)
        seen = {"test": samples.features[split[1]]}
        if tests is not None:
            seen = {title: extract_features(images, recipe.profile, recipe.features) for title, images in tests.items()}
        return training_cell(pupil, samples, name, split[0], seen)

    @cached_property
    def cells(self) -> Cells:
        """The results that are kept."""
        return Cells(self.folder and self.folder / "cells")

    def run(self, cells: list[Cell], title: str) -> list[Result]:
        """Results of cells, in their order. Kept results are read; the other cells are run."""
        return self.cells.run(cells, title)

    def across_splits(self, pupils: list[Pupil], title: str) -> list[list[Result]]:
        """Results of each pupil, one for every split."""
        cells = [cell for pupil in pupils for cell in self.split_cells(pupil)]
        found = iter(self.run(cells, title))
        return [list(islice(found, len(cells) // len(pupils))) for _ in pupils]

    def split_cells(self, pupil: Pupil) -> list[Cell]:
        """A cell for every split."""
        return [self.cell(pupil, split) for split in self.splits(pupil.recipe.seed)]

    def count_right(self, results: list[Result], splits: list[Split]) -> NDArray[np.intp]:
        """Right decisions on the test pictures of each split, of which each has its result."""
        decided = [np.array(result["tests"]["test"]["decisions"]) for result in results]
        targets = [self.dataset.targets[test] for _, test in splits]
        return np.array([np.sum(own == true) for own, true in zip(decided, targets, strict=True)])
