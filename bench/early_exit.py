"""Measures how much work an exact early exit would save the classifier: how many classes a bound rules out early.

    python bench/early_exit.py [--model MODEL] [--data DATA] [--pictures N] [--json]

A class score is a sum over the factors of its quadratic form (`edge_lpdpl.numeral.kernels.classify`). After some
factors, the remaining energy of the features bounds what the other factors can add. A class is ruled out, without any
error, if its least possible score is above the score of another class. There are two questions:

- `label`: which classes can still win? One to three are left after a third of the factors, hardly more than one after
  two thirds.
- `decision`: which classes can still win or come second? Confidence, rejection and the alternative need the margin to
  the second class, and the scores of all losing classes are similar.

The measurement favours the early exit: the bound is the tightest that the energy allows, the factors whose terms vary
most come first, and the best and second score are taken as known. None of this costs anything here; a kernel would have
to pay for all of it.
"""

import argparse
import json
import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl import Recogniser
from edge_lpdpl.commands.program import OK, run_command
from edge_lpdpl.errors import DatasetError
from edge_lpdpl.library.models import find_model
from edge_lpdpl.model.model import Model
from train_host.datasets import open_dataset

Array = NDArray[np.float64]

STEPS = 12
LEAST_PICTURES = 2  # one for the order of the factors, one for the measurement
PRICES = np.concatenate([[0.0], np.logspace(-4, 3, 160)])  # multipliers for which the bound is computed


class Form(NamedTuple):
    """Score of one class: floor + sum over j of squares[j] y[j]**2 + linears[j] y[j], with y = features @ basis."""

    floor: float
    basis: Array
    """(dimensions, rank) orthonormal columns."""
    squares: Array
    linears: Array

    def terms(self, features: Array) -> tuple[Array, Array]:
        """What each factor adds to the score (N, rank), and the energy of the features along it (N, rank)."""
        responses = features @ self.basis
        return (self.squares * responses + self.linears) * responses, responses**2

    def in_order(self, order: NDArray[np.intp]) -> "Form":
        return Form(self.floor, self.basis[:, order], self.squares[order], self.linears[order])


def forms_of(model: Model) -> list[Form]:
    """The quadratic forms of a model's classes, with the constant input folded in."""
    vectors, squares, linears = (array.astype(np.float64) for array in (model.vectors, model.squares, model.linears))
    return [
        _without_constant(vectors[:, :, label], squares[:, label], linears[:, label], model.constant)
        for label in range(model.class_count)
    ]


def _without_constant(vectors: Array, squares: Array, linears: Array, constant: float) -> Form:
    rest, offset = (vectors[:-1], constant * vectors[-1]) if constant else (vectors, np.zeros(len(squares)))
    basis, triangle = np.linalg.qr(rest)
    values, turn = np.linalg.eigh((triangle * squares) @ triangle.T)
    return Form(
        floor=float(1 + np.sum((squares * offset + linears) * offset)),
        basis=basis @ turn,
        squares=values,
        linears=turn.T @ triangle @ (2 * squares * offset + linears),
    )


def least_rest(squares: Array, linears: Array, energy: Array) -> Array:
    """Lower bound (N,) of the sum over j of squares[j] y[j]**2 + linears[j] y[j], for any y with |y|**2 <= energy (N,).

    For each price >= -min(squares), the Lagrange dual -sum linears**2 / 4 (squares + price) - price * energy is a lower
    bound. The largest of these bounds is the minimum itself.

    >>> float(least_rest(np.array([-2.0]), np.array([0.0]), np.array([9.0]))[0])  # at y = 3
    -18.0
    """
    if not len(squares):
        return np.zeros(len(energy))
    prices = max(0.0, -squares.min()) + PRICES
    curved = squares + prices[:, None]
    flat = curved <= 0
    slopes = np.where(flat & (linears != 0), np.inf, linears**2 / np.where(flat, 1, 4 * curved))
    bounds: Array = np.max(-slopes.sum(axis=1)[:, None] - prices[:, None] * energy, axis=0)
    return bounds


def least_scores(forms: list[Form], features: Array, factors: int) -> Array:
    """Lower bounds (N, Q) of the scores of features (N, dimensions), from the first `factors` of each class."""
    energy = np.sum(features**2, axis=1)
    bounds = np.empty((len(features), len(forms)))
    for label, form in enumerate(forms):
        added, taken = form.terms(features)
        left = np.maximum(energy - taken[:, :factors].sum(axis=1), 0)
        rest = least_rest(form.squares[factors:], form.linears[factors:], left)
        bounds[:, label] = form.floor + added[:, :factors].sum(axis=1) + rest
    return bounds


def read_share(bounds: Array, limits: Array, done: float, needed: int) -> tuple[float, float]:
    """Mean count of classes left, at least `needed`, and the share of all weights that is read."""
    left = float(np.maximum(np.sum(bounds <= limits[:, None], axis=1), needed).mean())
    return left, done + (1 - done) * left / bounds.shape[1]


def classified_inputs(recogniser: Recogniser, pictures: NDArray[np.uint8]) -> Array:
    """Inputs (N, dimensions) of the device's classifier, without the constant, for pictures with ink.

    Raises:
        DatasetError: there are fewer than LEAST_PICTURES of them.
    """
    inputs = [
        recogniser.engine.responses.inputs[: recogniser.model.dimensions].copy()
        for picture in pictures
        if recogniser.recognise(picture).label is not None
    ]
    if len(inputs) < LEAST_PICTURES:
        raise DatasetError(f"{len(inputs)} pictures with writing on them are too few: at least {LEAST_PICTURES}")
    return np.array(inputs, np.float64)


def measure(model: str, data: str, count: int, seed: int = 0) -> dict[str, Any]:
    """Classes left and weights read, one row per number of factors that are first read of all classes."""
    recogniser = Recogniser.load(find_model(model))
    pictures = open_dataset(data).images
    chosen = np.random.default_rng(seed).permutation(len(pictures))[:count]
    features = classified_inputs(recogniser, pictures[chosen])
    ordering, tested = features[::2], features[1::2]
    forms = [form.in_order(np.argsort(-form.terms(ordering)[0].std(axis=0))) for form in forms_of(recogniser.model)]
    rank = recogniser.model.rank
    scores = np.sort(least_scores(forms, tested, rank), axis=1)
    places = {"best": scores[:, :1], "second": scores[:, 1:2], "others": scores[:, 2:]}
    rows = []
    for factors in sorted({round(rank * step / STEPS) for step in range(1, STEPS)}):
        bounds = least_scores(forms, tested, factors)
        row: dict[str, float] = {"factors": factors}
        for question, place in (("label", 0), ("decision", 1)):
            left, share = read_share(bounds, scores[:, place], factors / rank, place + 1)
            row |= {f"{question}_classes_left": round(left, 2), f"{question}_weights_read": round(share, 4)}
        rows.append(row)
    return {
        "model": recogniser.model.name,
        "data": data,
        "pictures": len(tested),
        "seed": seed,
        "classes": recogniser.model.class_count,
        "rank": rank,
        "scores": {place: round(float(some.mean()), 4) for place, some in places.items() if some.size},
        "rows": rows,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", default="chinese15", help="a shipped model or a file (default: %(default)s)")
    parser.add_argument("--data", default="synthetic", help="the data set to read (default: %(default)s)")
    parser.add_argument(
        "--pictures", type=int, default=3000, help="half set the order of the factors, half are measured"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    return run_command("early_exit.py", lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    result = measure(options.model, options.data, max(options.pictures, 0))
    if options.json:
        print(json.dumps(result))
    else:
        _print(result)
    return OK


def _print(result: dict[str, Any]) -> None:
    scores = result["scores"]
    print(f"{result['model']} on {result['pictures']} pictures of {result['data']}, seed {result['seed']}")
    print("mean score of " + ", ".join(f"the {place} {score:.3f}" for place, score in scores.items()) + "\n")
    print("factors read   classes that  weights   that can win or  weights")
    print(f"of {result['rank']:2} a class  can win          read   come second         read")
    for row in result["rows"]:
        print(
            f"{row['factors']:12}   {row['label_classes_left']:12}  {row['label_weights_read']:7.1%}   "
            f"{row['decision_classes_left']:15}  {row['decision_weights_read']:7.1%}"
        )


if __name__ == "__main__":
    sys.exit(main())
