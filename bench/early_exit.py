"""Would an exact early exit spare the classifier work? How many classes a bound rules out before all factors are read.

    python bench/early_exit.py [--model MODEL] [--data DATA] [--pictures N] [--json]

A class score is a sum over the factors of its quadratic form
(`edge_lpdpl.numeral.kernels.classify`). After some of them, the energy of
the features that is not yet accounted for bounds what the others can still add; a class whose least possible score lies
above another's score is out, exactly. Two questions differ:

- `label`: which classes can still win? One to three are left after a third of the factors, hardly more than one
  after two thirds.
- `decision`: which can still win or come second? The margin to the second is what the confidence, the rejection and
  the runner-up are made of, and all the classes that lose score alike.

The bound is as tight as one can be had from that energy, the factors whose terms vary most come first, neither costs
anything here, and the best and the second score are taken as known: a kernel pays for all of that.
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
LEAST_PICTURES = 2  # one to order the factors by, one to measure with
PRICES = np.concatenate([[0.0], np.logspace(-4, 3, 160)])  # multipliers that the bound is tried with


class Form(NamedTuple):
    """Score of one class: floor + sum over j of squares[j] y[j]**2 + linears[j] y[j], with y = features @ basis."""

    floor: float
    basis: Array
    """(dimensions, rank) orthonormal columns."""
    squares: Array
    linears: Array

    def terms(self, features: Array) -> tuple[Array, Array]:
        """What each factor adds (N, rank), and the energy (N, rank) of the features that it takes up."""
        responses = features @ self.basis
        return (self.squares * responses + self.linears) * responses, responses**2

    def in_order(self, order: NDArray[np.intp]) -> "Form":
        return Form(self.floor, self.basis[:, order], self.squares[order], self.linears[order])


def forms_of(model: Model) -> list[Form]:
    """The quadratic forms of a model's classes without the constant input, which is known beforehand."""
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
    """Below what sum over j of squares[j] y[j]**2 + linears[j] y[j] can be for any y with |y|**2 <= energy (N,).

    For each price from -min(squares) on, the Lagrange dual -sum linears**2 / 4 (squares + price) - price * energy is a
    bound, and the largest of them is the minimum itself.

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
    """(N, Q) below what no score can be, from the first so many factors of each class and the features' energy."""
    energy = np.sum(features**2, axis=1)
    bounds = np.empty((len(features), len(forms)))
    for label, form in enumerate(forms):
        added, taken = form.terms(features)
        left = np.maximum(energy - taken[:, :factors].sum(axis=1), 0)
        rest = least_rest(form.squares[factors:], form.linears[factors:], left)
        bounds[:, label] = form.floor + added[:, :factors].sum(axis=1) + rest
    return bounds


def read_share(bounds: Array, limits: Array, done: float, needed: int) -> tuple[float, float]:
    """Classes left on average, at least `needed` of them, and the share of the weights that is read in all."""
    left = float(np.maximum(np.sum(bounds <= limits[:, None], axis=1), needed).mean())
    return left, done + (1 - done) * left / bounds.shape[1]


def classified_inputs(recogniser: Recogniser, pictures: NDArray[np.uint8]) -> Array:
    """What the device classifies of each picture in which something is seen, without the constant: (N, dimensions).

    Raises:
        DatasetError: too few of them.
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
    """One row for each number of factors that are read of every class before the first class is ruled out."""
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
    parser.add_argument("--data", default="synthetic", help="what to read with it (default: %(default)s)")
    parser.add_argument("--pictures", type=int, default=3000, help="half order the factors, half are measured")
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
