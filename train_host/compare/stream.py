"""Accuracy on real pictures of a model that was trained on streamed ones."""

import os
from typing import Any

import numpy as np

from train_host.compare.significance import bootstrap_interval
from train_host.datasets import Dataset
from train_host.shipping.score import score_model


def read_real(model: str | os.PathLike[str], dataset: Dataset, progress: bool = False) -> dict[str, Any]:
    """Accuracy of a model file on a data set, read as the device reads it. The 95 % interval is over pictures.

    Raises:
        DatasetError: the data set has a class that the model does not know.
        ModelError: the model file is not valid.
    """
    found = score_model(model, dataset, progress=progress)
    correct = np.arange(found["n"]) < found["correct"]
    kept = {key: found[key] for key in ("n", "correct", "accuracy", "rejected", "accuracy_accepted")}
    return {"data": dataset.name, "interval": bootstrap_interval(correct, None)} | kept
