"""What a model that was trained on streamed pictures is worth on real ones."""

import os
from typing import Any

import numpy as np

from train_host.compare.significance import bootstrap_interval
from train_host.datasets import Dataset
from train_host.score import score_model


def read_real(model: str | os.PathLike[str], dataset: Dataset, progress: bool = False) -> dict[str, Any]:
    """How much of a data set a model file reads right, as the device reads it; the interval is over pictures.

    Raises:
        DatasetError: the data has a class that the model does not know.
        ModelError: the model file cannot be believed.
    """
    found = score_model(model, dataset, progress=progress)
    correct = np.arange(found["n"]) < found["correct"]
    kept = {key: found[key] for key in ("n", "correct", "accuracy", "rejected", "accuracy_accepted")}
    return {"data": dataset.name, "interval": bootstrap_interval(correct, None)} | kept
