"""Golden figures of a small comparison from pictures to errors, on data that comes with scikit-learn."""

import pytest

from train_host.compare.table import evaluate
from train_host.datasets import open_dataset
from train_host.recipe import EDGE_RECIPE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("method", "errors"), [("lpdpl-plain", 13), ("dpl", 15), ("knn", 13)])
def test_errors_on_the_digits_of_scikit_learn(method, errors):
    """Another processor may add in another order, which may turn one doubtful digit."""
    found = evaluate(open_dataset("digits"), EDGE_RECIPE, "conventional", method=method, folds=2)
    assert found["n"] == 1_797
    assert abs(found["errors"] - errors) <= 1
