"""Golden values of the recipes: every number behind a published figure is written down twice, here and in `recipe`.

A change of a recipe is a change of method: repeat the figures of README and docs/method.md, then change these numbers.
"""

import json
from dataclasses import replace

import pytest

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.model.settings import PROFILES
from train_host.recipe import EDGE_RECIPE, PAPER_RECIPE, RECIPES, WIDE, Jitter, Recipe

EDGE_NUMBERS = {
    "profile": "edge",
    "features": "hog",
    "dimensions": 72,
    "constant": 1.0,
    "atoms": None,
    "penalties": {"lambda1": 1e-5, "lambda2": 0.1, "lambda3": 1.0, "gamma": 1e-4, "rho": 1.0},
    "iterations": 10,
    "jitter": {"copies": 2, "rotation": 6.0, "shear": 0.15, "stretch": 0.12, "bend": 0.0},
    "camera": {
        "copies": 2,
        "least_side": 24,
        "most_side": 160,
        "blur": 1.3,
        "boldness": 0.5,
        "darkness": 0.53,
        "noise": 5.0,
    },
    "refinement": {
        "epochs": 20,
        "rate": 1e-3,
        "subspace_rate": 0.3,
        "sharpness": 10.0,
        "label_smoothing": 0.1,
        "batch": 256,
    },
    "novelty": {
        "is_class": True,
        "factors": 24,
        "strangers": 3.0,
        "least_side": 14,
        "most_strangers": 20_000,
        "epochs": 12,
        "rate": 0.02,
        "sharpness": 0.05,
        "balance": 0.5,
        "others": 0.2,
        "batch": 256,
    },
    "drawn": 0,
    "lines": 0,
    "seed": 0,
}
PAPER_NUMBERS = EDGE_NUMBERS | {
    "profile": "paper",
    "dimensions": None,
    "constant": 0.0,
    "atoms": 340,
    "penalties": {"lambda1": 0.1, "lambda2": 0.1, "lambda3": 1.0, "gamma": 1.0, "rho": 1.0},
    "iterations": 5,
    "jitter": None,
    "camera": None,
    "refinement": None,
    "novelty": None,
}


@pytest.mark.parametrize(("recipe", "numbers"), [(EDGE_RECIPE, EDGE_NUMBERS), (PAPER_RECIPE, PAPER_NUMBERS)])
def test_each_number_of_a_recipe(recipe, numbers):
    assert recipe.to_json() == numbers


def test_the_hog_and_the_square_of_each_profile():
    edge, paper = PROFILES["edge"], PROFILES["paper"]
    assert edge.hog[:7] == (4, 8, True, True, True, 1, True)
    assert paper.hog[:7] == (3, 9, False, True, True, 0, False)
    assert (edge.preprocessing.side, edge.preprocessing.by_moments, edge.preprocessing.low_ratio) == (32, True, 0.2)
    assert (paper.preprocessing.side, paper.preprocessing.by_moments, paper.preprocessing.low_ratio) == (32, True, 1.0)


@pytest.mark.parametrize(("classes", "atoms"), [(2, 18), (10, 18), (15, 12), (60, 3), (500, 1)])
def test_180_atoms_are_divided_among_the_classes(classes, atoms):
    assert EDGE_RECIPE.atoms_of(classes) == atoms


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"atoms": 0}, "atoms is 0; give None or a whole number from 1 on"),
        ({"atoms": -3}, "atoms is -3; give None or a whole number from 1 on"),
        ({"atoms": 2.5}, "atoms is 2.5; give None or a whole number from 1 on"),
        ({"atoms": True}, "atoms is True; give None or a whole number from 1 on"),
        ({"atoms": "7"}, "atoms is '7'; give None or a whole number from 1 on"),
        ({"dimensions": 1}, "dimensions is 1; give None or a whole number from 2 on"),
        ({"iterations": 0}, "iterations is 0; give a whole number from 1 on"),
        ({"iterations": None}, "iterations is None; give a whole number from 1 on"),
        ({"drawn": -1}, "drawn is -1; give a whole number from 0 on"),
        ({"lines": 0.5}, "lines is 0.5; give a whole number from 0 on"),
        ({"seed": -1}, "seed is -1; give a whole number from 0 on"),
        ({"jitter": Jitter(copies=-1)}, "copies is -1; give 0 or more, or None instead of the copies"),
    ],
)
def test_impossible_numbers_are_refused(settings, fault):
    with pytest.raises(TrainingError) as raised:
        replace(EDGE_RECIPE, **settings)
    assert str(raised.value) == fault


def test_the_wide_copies():
    assert Jitter(copies=6, rotation=10.0, shear=0.3, stretch=0.18) == WIDE


def test_there_is_one_a_profile():
    assert {name: recipe.profile for name, recipe in RECIPES.items()} == PROFILES


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_recipe_is_told_in_full_in_json(recipe):
    told = recipe.to_json()
    assert json.loads(json.dumps(told)) == told
    assert told.keys() == Recipe.__dataclass_fields__.keys()
