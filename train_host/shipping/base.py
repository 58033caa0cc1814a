"""Own pictures beside the data of a model, or beside a model alone, and whether what they make is worse than the base.

A model file holds no pictures. Where only a model is given, numerals by synthetic writers stand in for its data.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import binom

from edge_lpdpl.errors import DatasetError, TrainingError
from edge_lpdpl.library.models import find_model
from edge_lpdpl.library.shipped import shipped_models
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.datasets import Dataset, open_datasets
from train_host.datasets.combined import combine
from train_host.recipe import Recipe
from train_host.rejection.calibration import HeldOut, held_out_splits
from train_host.samples.prepare import Samples, drawn_beside
from train_host.shipping.score import classes_of
from train_host.splits import Split
from train_host.training import train

OWN_SHARE, MOST_REPEATS = 0.25, 8
"""Own pictures count as a quarter of the data of the base, unless each would have to count more than eight times."""
STAND_IN_WRITERS = 40
CHANCE = 0.05
"""How likely it may be that as many more own pictures are right by chance."""
OWN = "own pictures"


class Base(NamedTuple):
    """What own pictures are added to: data, a model, or both."""

    data: Dataset | None
    model: Path | None


class Beside(NamedTuple):
    """How many pictures are right with a new model and with the base; none of them was trained on."""

    what: str
    rival: str
    n: int
    right: int
    before: int
    gained: int
    """How many are right with the new model only."""

    @property
    def lost(self) -> int:
        """How many are right with the base only."""
        return self.gained - (self.right - self.before)


def open_base(names: Sequence[str]) -> Base:
    """The base that is named: names and files of models, and data sets of `open_datasets`.

    Raises:
        DatasetError, ModelError: one cannot be read, or there are two models.
    """
    models = [name for name in names if name in shipped_models() or name.endswith(".safetensors")]
    data = [name for name in names if name not in models]
    if len(models) > 1:
        raise DatasetError(f"{models[1]}: --base takes one model; give one")
    return Base(open_datasets(data) if data else None, find_model(models[0]) if models else None)


def put_beside(own: Dataset, base: Base) -> Dataset:
    """The own pictures, and behind them those of the base.

    Raises:
        DatasetError: the classes do not fit.
    """
    if base.model is not None:
        model = Recogniser.load(base.model).model
        classes_of(own, model)
        lacking = [label.character for label in model.labels if label not in own.labels]
        if lacking and base.data is None:
            all_of_them = "give pictures of all that it reads, or also --base DATA"
            raise DatasetError(f"{own.name}: has no {' '.join(lacking)}, which {model.name} reads; {all_of_them}")
    if base.data is None:
        return own
    unknown = [label.character for label in own.labels if label not in base.data.labels]
    if unknown:
        raise DatasetError(f"{own.name}: {base.data.name} has no {' '.join(unknown)}; use data of the same classes")
    return combine([own, base.data])


def weigh(samples: Samples, own: int, others: int) -> Samples:
    """The same samples, of which the first `own` count several times beside as many `others`."""
    times = int(np.clip(round(OWN_SHARE * others / own), 1, MOST_REPEATS))
    return samples._replace(repeats=np.where(np.arange(len(samples.targets)) < own, times, 1))


def compare_with_base(
    base: Base,
    dataset: Dataset,
    own: int,
    samples: Samples,
    chosen: NDArray[np.intp],
    recipe: Recipe,
    held_out: HeldOut,
) -> list[Beside]:
    """Count on held-out pictures: own ones, and those of the base or those that stand in for them.

    Args:
        dataset: as from `put_beside`, with `own` own pictures.
        chosen: (M,) indices of the pictures that are trained on.
        held_out: of the training with own pictures, on the same folds.
    """
    mine, theirs = chosen[chosen < own], chosen[chosen >= own]
    found = []
    if base.data is not None:
        splits, _ = held_out_splits(dataset, chosen, recipe.seed)
        alone = samples._replace(repeats=np.ones_like(samples.repeats))
        parts = Parallel(max_nbytes="1M")(delayed(_right_without)(alone, split, own, recipe) for split in splits)
        before = np.isin(np.arange(len(samples.targets)), np.concatenate(parts))
        for what, places in ((OWN, mine), (f"pictures of {base.data.name}", theirs)):
            found.append(_beside(what, f"{base.data.name} alone", places, held_out, before))
    if base.model is not None:
        recogniser = Recogniser.load(base.model)
        before = np.zeros(len(samples.targets), np.bool_)
        before[mine] = _right_of(recogniser, dataset.subset(mine))
        found.append(_beside(OWN, recogniser.model.name, mine, held_out, before))
        if base.data is None:
            before[samples.drawn] = _right_of(recogniser, drawn_beside(dataset.labels, recipe))
            what = "drawn numerals, which stand in for its data,"
            found.append(_beside(what, recogniser.model.name, samples.drawn, held_out, before))
    return found


def check_not_worse(found: Sequence[Beside]) -> None:
    """Refuse what is worse than the base, and what is not better with own pictures by more than chance: then nothing
    speaks for it, and on other pictures it may well be worse.

    Raises:
        TrainingError: it is; says by how much.
    """
    to_do = "give more own pictures or more data with --base, or teach them: edge-lpdpl teach"
    for one in found:
        counted = f"of {one.n:,} held-out {one.what} {one.right:,} are right instead of {one.before:,}"
        if one.right < one.before:
            raise TrainingError(f"not written, because it is worse than {one.rival}: {counted}; {to_do}")
        if one.what == OWN and not _is_better(one):
            told = f"{counted}, {one.gained} gained and {one.lost} lost, which may be chance"
            raise TrainingError(f"not written, because it is not shown to be better than {one.rival}: {told}; {to_do}")


def _is_better(one: Beside) -> bool:
    """Whether more are gained than lost, by a sign test.

    >>> [_is_better(Beside(OWN, "latin10", 200, 190 + gained - 1, 190, gained)) for gained in (6, 7)]
    [False, True]
    """
    return bool(binom.sf(one.gained - 1, one.gained + one.lost, 0.5) <= CHANCE)


def _right_without(samples: Samples, split: Split, own: int, recipe: Recipe) -> NDArray[np.intp]:
    """The pictures of the test part that a training without own pictures reads right."""
    classifier = train(samples, split[0][split[0] >= own], recipe)
    seen = split[1][samples.features[split[1]].any(axis=1)]
    return seen[classifier.scores(samples.features[seen]).argmin(axis=1) == samples.targets[seen]]


def _right_of(recogniser: Recogniser, dataset: Dataset) -> list[bool]:
    values = [dataset.labels[target].value for target in dataset.targets]
    return [recogniser.recognise(picture).value == value for picture, value in zip(dataset.images, values, strict=True)]


def _beside(what: str, rival: str, places: NDArray[np.intp], held_out: HeldOut, before: NDArray[np.bool_]) -> Beside:
    right, was = held_out.right[places], before[places]
    return Beside(what, rival, len(places), int(right.sum()), int(was.sum()), int((right & ~was).sum()))
