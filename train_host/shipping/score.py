"""Score an exported model on labelled pictures, with the code of the device."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.datasets import Dataset
from train_host.method.decisions import NOTHING_SEEN
from train_host.progress import bar

POLARITY_OF_INVERT = {"auto": "auto", "yes": "dark", "no": "light"}


def score_model(model: str | os.PathLike[str], dataset: Dataset, invert: str = "auto") -> dict[str, Any]:
    """Read every picture with a model and count.

    Classes are matched by value. A picture without visible ink counts as wrong and as rejected.

    Args:
        invert: whether ink is dark on light paper: `yes`, `no`, or `auto` to detect it.

    Returns:
        n, correct, accuracy, rejected, accuracy_accepted (None if all are rejected), confusion (rows are the true
        classes, columns the decided ones, in the order of `labels`), labels, nothing_seen (pictures without
        visible ink), test_part (n and correct in the set's own test part; None if it has none), and twins (as of
        `Dataset`).

    Raises:
        DatasetError: the data has a class that the model does not know.
        ModelError: the model file is not valid.
    """
    recogniser = Recogniser.load(model)
    values = [label.value for label in recogniser.model.labels]
    true = classes_of(dataset, recogniser.model)
    polarity = POLARITY_OF_INVERT[invert]
    read = [recogniser.recognise(picture, polarity) for picture in bar("score", dataset.images)]
    decided = np.array([NOTHING_SEEN if one.value is None else values.index(one.value) for one in read])
    accepted, correct = np.array([not one.rejected for one in read]), decided == true
    test = dataset.is_test
    return {
        "n": len(dataset),
        "correct": int(correct.sum()),
        "accuracy": float(correct.mean()),
        "rejected": int(np.sum(~accepted)),
        "accuracy_accepted": float(correct[accepted].mean()) if accepted.any() else None,
        "confusion": confusion_matrix(true, decided, labels=range(len(values))).tolist(),
        "labels": [label.character for label in recogniser.model.labels],
        "nothing_seen": int(np.sum(decided == NOTHING_SEEN)),
        "test_part": None if test is None else {"n": int(test.sum()), "correct": int(correct[test].sum())},
        "twins": dataset.twins,
    }


def classes_of(dataset: Dataset, model: Model) -> NDArray[np.intp]:
    """(N,) the class of each picture among the labels of a model; they are matched by value.

    Raises:
        DatasetError: the data has a class that the model does not know.
    """
    values = [label.value for label in model.labels]
    unknown = [label.character for label in dataset.labels if label.value not in values]
    if unknown:
        raise DatasetError(f"{dataset.name}: the model does not know {' '.join(unknown)}; use data of its classes")
    return np.array([values.index(label.value) for label in dataset.labels])[dataset.targets]
