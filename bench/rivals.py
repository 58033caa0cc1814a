"""Other methods on the same features: each as a call that decides on the features of one picture.

They are trained on drawn characters. The time of the nearest neighbours and of the RBF SVM grows with the pictures that
they were trained on; that of the others does not.
"""

from dataclasses import replace

from contestant import Contestant

from train_host.baselines.methods import find_method
from train_host.compare.bench import Bench, Protocol
from train_host.compare.latency import decide_one
from train_host.datasets import open_dataset
from train_host.recipe import EDGE_RECIPE

SOURCE = "synthetic:writers=20,samples=10"
RIVALS = ("lpdpl-plain", "dpl", "indpl", "linear-svm", "rbf-svm", "knn")


def build() -> list[Contestant]:
    """The contestants, trained on nine tenths of the drawn pictures."""
    bench = Bench(open_dataset(SOURCE), Protocol("conventional"))
    recipe = replace(EDGE_RECIPE, jitter=None, camera=None, novelty=None)
    trained_on = len(bench.splits(recipe.seed)[0][0])
    contestants = []
    for name in RIVALS:
        timed = decide_one(bench, name, recipe)
        settings = f"features of one picture in, scores out: {timed.form}; {trained_on:,} pictures"
        contestants.append(Contestant(name=f"{find_method(name).title}, decision", settings=settings, call=timed.call))
    return contestants
