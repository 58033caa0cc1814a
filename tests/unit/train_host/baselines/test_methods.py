"""Golden values of the rivals: the settings that docs/results.md names for each method."""

from dataclasses import replace

import pytest

from train_host.baselines.methods import METHODS, find_method, method_recipe
from train_host.method.lpdpl import Penalties
from train_host.recipe import EDGE_RECIPE

SETTINGS = {
    "dpl": {"atoms": 30, "tau": 0.05, "discrimination": 0.003, "gamma": 1e-4, "max_iter": 20},
    "indpl": {"atoms": 30, "tau": 0.05, "discrimination": 0.003, "gamma": 1e-4, "max_iter": 20, "eta": 1e-3},
    "src": {"penalty": 0.01, "most_each": None},
    "dlsi": {"atoms": 60, "penalty": 0.02, "eta": 1e-3, "max_iter": 50},
    "lc-ksvd1": {"atoms": 30, "nonzeros": 10, "label_consistency": 16.0, "start_iterations": 20, "max_iter": 50},
    "lc-ksvd2": {"atoms": 30, "nonzeros": 10, "label_consistency": 16.0, "start_iterations": 20, "max_iter": 50}
    | {"classification": 4.0},
    "knn": {"k": 3},
    "linear-svm": {"penalty": 1.0},
    "rbf-svm": {"penalty": 10.0, "width": "scale"},
}
NETWORKS = {
    "depthwise-cnn": ("depthwise_cnn", 12, 2e-3),
    "lenet-5": ("lenet5", 12, 2e-3),
    "squeezenet": ("squeezenet1_1", 12, 1e-3),
    "mobilenet-v2": ("mobilenet_v2", 6, 2e-3),
    "googlenet": ("googlenet", 6, 2e-3),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_of_a_rival(name):
    shared = {"constant", "random_state"} | ({"ridge"} if name.startswith("lc") else set())
    found = find_method(name).build().get_params()
    assert {key: value for key, value in found.items() if key not in shared} == SETTINGS[name]


@pytest.mark.parametrize("name", NETWORKS)
def test_each_setting_of_a_network(name):
    architecture, epochs, rate = NETWORKS[name]
    assert METHODS[name].settings == {"architecture": architecture, "epochs": epochs, "rate": rate}


def test_no_other_method_is_compared():
    assert set(METHODS) == {"lpdpl", "lpdpl-plain", "lpdpl-unlabelled", "dpl-refined", *SETTINGS, *NETWORKS}


def test_the_recipes_of_the_own_methods():
    plain = replace(EDGE_RECIPE, refinement=None)
    no_labels = Penalties(lambda1=1e-5, lambda2=0.0, lambda3=1.0, gamma=1e-4)
    dpl = Penalties(lambda1=0.003, lambda2=0.0, lambda3=0.05, gamma=1e-4)
    assert method_recipe("lpdpl", EDGE_RECIPE) == EDGE_RECIPE
    assert method_recipe("lpdpl-plain", EDGE_RECIPE) == plain
    assert method_recipe("lpdpl-unlabelled", EDGE_RECIPE) == replace(plain, penalties=no_labels)
    assert method_recipe("dpl-refined", EDGE_RECIPE) == replace(EDGE_RECIPE, atoms=30, iterations=20, penalties=dpl)
