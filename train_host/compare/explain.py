"""What LpDPL learned, as features that can be drawn: its atoms, and the reconstructions of a picture by two classes."""

from typing import Any

import numpy as np

from train_host.baselines.training import train_method
from train_host.compare.bench import Bench
from train_host.compare.decide import Pupil
from train_host.method.decisions import decide
from train_host.method.statistics import Array
from train_host.method.subspace import Subspace
from train_host.recipe import Recipe
from train_host.training import Classifier

ATOMS_SHOWN = 5
"""Atoms of each class in the record."""


def glyphs(bench: Bench, methods: list[str], recipe: Recipe) -> dict[str, Any]:
    """Record of the atoms of LpDPL that each class uses most, and of the correct decision with the smallest margin."""
    chosen, test = bench.splits(recipe.seed)[0]
    pupil = Pupil("lpdpl-plain", recipe)
    samples, _ = bench.samples(pupil)
    classifier = train_method(pupil.method, samples, chosen, recipe)
    assert isinstance(classifier, Classifier)
    subspace = classifier.subspace
    seen = test[samples.features[test].any(axis=1)]
    scores = classifier.scores(samples.features[seen])
    best, second, margins = decide(scores)
    right = np.flatnonzero(best == samples.targets[seen])
    least = right[margins[right].argmin()]
    inside = subspace(samples.features[seen[least : least + 1]])
    labels = bench.dataset.labels
    rebuilt = [
        [f"as {labels[label].value}: {scores[least, label]:.3f}", _rebuilt(classifier, inside, label)]
        for label in (int(best[least]), int(second[least]))
    ]
    hog, side = recipe.profile.hog, recipe.profile.preprocessing.side
    return {
        "kind": "glyphs",
        "points": [],
        "layout": {"cells": side // hog.cell, "bins": hog.bins, "signed": bool(hog.signed)},
        "atoms": [
            _strongest(classifier, subspace, samples.features[chosen[samples.targets[chosen] == label]], label)
            for label in range(samples.class_count)
        ],
        "example": {
            "truth": int(best[least]),
            "views": [["picture", _whole(subspace, inside)[0].tolist()], *rebuilt],
        },
    }


def _strongest(classifier: Classifier, subspace: Subspace, features: np.ndarray, label: int) -> list[list[float]]:
    """Atoms (shown, n) of a class, most used by its samples (N, n) first, with the sign of their mean code."""
    synthesis, analysis, _ = classifier.pairs[label]
    codes = subspace(features) @ analysis.T
    use = np.abs(codes).mean(axis=0) * np.linalg.norm(synthesis, axis=0)
    shown = np.argsort(-use, kind="stable")[:ATOMS_SHOWN]
    signed = synthesis[:, shown] * np.sign(codes.mean(axis=0)[shown])
    return np.round(_directions(subspace, signed.T), 4).tolist()


def _rebuilt(classifier: Classifier, inside: Array, label: int) -> list[float]:
    synthesis, analysis, _ = classifier.pairs[label]
    return _whole(classifier.subspace, (inside @ analysis.T) @ synthesis.T)[0].tolist()


def _directions(subspace: Subspace, inside: Array) -> Array:
    """Directions inside the subspace (N, d) as directions of features (N, n)."""
    return inside[:, : subspace.projection.shape[1]] @ subspace.projection.T


def _whole(subspace: Subspace, inside: Array) -> Array:
    """Points of the subspace (N, d) as features (N, n); the projection's columns are orthogonal and of one length."""
    length = float(np.sum(subspace.projection[:, 0] ** 2))
    return (inside[:, : subspace.projection.shape[1]] - subspace.offset) @ subspace.projection.T / length
