"""Small data sets and quick recipes, enough to test how trainings are arranged."""

from dataclasses import replace

import numpy as np

from edge_lpdpl.model.labels import LATIN
from train_host.compare.decide import Pupil, train_and_decide
from train_host.datasets import Dataset
from train_host.datasets.bundled import synthesise_dataset
from train_host.recipe import EDGE_RECIPE, PAPER_RECIPE, Recipe
from train_host.samples.prepare import prepare
from train_host.splits import Split

QUICK = replace(
    EDGE_RECIPE, dimensions=20, atoms=4, iterations=3, jitter=None, camera=None, refinement=None, novelty=None
)
QUICK_PAPER = replace(PAPER_RECIPE, atoms=4, iterations=2)


def drawn_digits(writers: int = 6, samples: int = 2, classes: int = 10) -> Dataset:
    """The first Latin digits, drawn."""
    drawn = synthesise_dataset(f"writers={writers},samples={samples},script=latin,size=48")
    return replace(drawn.subset(drawn.targets < classes), labels=LATIN[:classes])


def listed(people: int = 6, times: int = 4, classes: int = 3, **columns: np.ndarray | None) -> Dataset:
    """A data set with blank pictures: every sample of every class by every writer. Columns may be replaced."""
    writers, samples, targets = np.indices((people, times, classes)).reshape(3, -1)
    known = {"writers": writers + 1, "samples": samples + 1} | columns
    return Dataset("listed", np.zeros((len(targets), 8, 8), np.uint8), LATIN[:classes], targets, **known)


def count_correct(dataset: Dataset, split: Split, recipe: Recipe) -> int:
    """Test pictures of a split that LpDPL reads correctly after training on the rest."""
    chosen, test = split
    samples = prepare(dataset, recipe)
    found = train_and_decide(Pupil("lpdpl", recipe), samples, chosen, {"test": samples.features[test]})
    return int(np.sum(np.array(found["tests"]["test"]["decisions"]) == dataset.targets[test]))
