"""`lpdpl-train tune`: settings are chosen on the training part alone."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import TrainingError
from train_host import LpDPL
from train_host.commands.main import main
from train_host.compare.tune import tune
from train_host.method.subspace import principal_subspace
from train_host.recipe import PAPER_RECIPE, parse_grid, parse_settings, with_settings
from train_host.samples.prepare import prepare
from train_host.splits import make_splits

pytestmark = pytest.mark.slow

DIGITS = drawn_digits(writers=6, classes=4)
GRID = {"atoms": (1.0, 4.0), "lambda3": (1.0, 1e6)}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return tune(DIGITS, QUICK, GRID, tmp_path_factory.mktemp("cells"))


class TestTune:
    def test_tries_every_combination_and_names_the_best(self, found):
        assert len(found["trials"]) == 4
        assert found["best"] == found["trials"][0]["settings"]
        errors = [trial["errors"] for trial in found["trials"]]
        assert errors == sorted(errors)
        assert found["best"]["lambda3"] == 1.0  # a million suppresses the reconstruction
        assert found["protocol"] == "between-subject --groups 5"

    def test_the_test_part_is_never_looked_at(self, tmp_path):
        own = replace(DIGITS, is_test=DIGITS.writers == 6)
        spoilt = own.images.copy()
        spoilt[own.is_test] = 255 - spoilt[own.is_test][::-1]
        lied = np.where(own.is_test, (own.targets + 1) % 4, own.targets)
        first = tune(own, QUICK, GRID, tmp_path / "first")
        second = tune(replace(own, images=spoilt, targets=lied), QUICK, GRID, tmp_path / "second")
        assert first == second
        assert first["left_out"] == own.is_test.sum()

    def test_without_writers_pictures_are_left_out(self, tmp_path):
        found = tune(replace(DIGITS, writers=None), QUICK, {"atoms": (2.0,)}, tmp_path)
        assert found["protocol"] == "conventional --folds 5"


class PrincipalSubspace(TransformerMixin, BaseEstimator):
    """The subspace of the recipe as a step of a pipeline."""

    def fit(self, X, y=None):
        self.subspace_ = principal_subspace(X, QUICK.dimensions, constant=0.0)
        return self

    def transform(self, X):
        return self.subspace_(X)


def test_without_refinement_and_copies_it_is_a_grid_search_of_scikit_learn(found):
    assert (QUICK.refinement, QUICK.jitter) == (None, None)
    model = LpDPL(max_iter=QUICK.iterations, random_state=QUICK.seed, **asdict(QUICK.penalties))
    steps = Pipeline([("subspace", PrincipalSubspace()), ("lpdpl", model)])
    grid = {"lpdpl__atoms": [1, 4], "lpdpl__lambda3": [1.0, 1e6]}
    folds = make_splits(DIGITS, "between-subject", folds=0, groups=5, seed=QUICK.seed)
    search = GridSearchCV(steps, grid, cv=folds, error_score="raise", refit=False)
    tried = search.fit(prepare(DIGITS, QUICK).features, DIGITS.targets).cv_results_
    sizes = [len(test) for _, test in folds]
    for number, settings in enumerate(tried["params"]):
        right = sum(tried[f"split{fold}_test_score"][number] * size for fold, size in enumerate(sizes))
        own = {"atoms": settings["lpdpl__atoms"], "lambda3": settings["lpdpl__lambda3"]}
        (errors,) = (trial["errors"] for trial in found["trials"] if trial["settings"] == own)
        assert errors == round(sum(sizes) - right)
    assert len({trial["errors"] for trial in found["trials"]}) > 1, "settings make a difference"


class TestGrid:
    def test_settings_reach_the_recipe(self):
        recipe = with_settings(QUICK, {"atoms": 7.0, "lambda2": 0.3})
        assert (recipe.atoms, recipe.penalties.lambda2, recipe.dimensions) == (7, 0.3, QUICK.dimensions)

    def test_a_setting_may_be_given_value_by_value(self):
        grid = parse_grid(["atoms=8", "gamma=1", "atoms=12"])
        assert repr(grid) == "{'atoms': (8, 12), 'gamma': (1.0,)}"

    def test_a_training_takes_one_value_of_each(self):
        assert parse_settings(["gamma=1e-3", "atoms=9"]) == {"gamma": 0.001, "atoms": 9}
        with pytest.raises(TrainingError, match="atoms has 2 values; give one"):
            parse_settings(["atoms=8,12"])

    @pytest.mark.parametrize(
        "word", ["atoms", "magic=1", "atoms=a", "atoms=1.5", "gamma=-1", "gamma=0", "gamma=nan", "atoms=inf", "atoms="]
    )
    def test_what_is_no_value_is_refused(self, word):
        with pytest.raises(TrainingError, match=word.partition("=")[0]):
            parse_grid([word])

    def test_the_paper_has_no_dimensions(self, tmp_path):
        with pytest.raises(TrainingError, match="profile paper has no subspace"):
            tune(DIGITS, PAPER_RECIPE, {"dimensions": (8.0,)}, tmp_path)

    def test_a_subspace_has_no_more_dimensions_than_there_are_features(self, tmp_path):
        with pytest.raises(TrainingError, match="513 dimensions of 512 features"):
            tune(DIGITS, QUICK, {"dimensions": (8.0, 513.0)}, tmp_path)


class TestCommand:
    ARGUMENTS = ("tune", "synthetic:writers=5,samples=1,script=latin,size=48", "--plain", "--no-copies", "--jobs", "1")

    def test_tells_people_and_programs(self, tmp_path, capsys):
        arguments = [*self.ARGUMENTS, "--dimensions", "16", "--try", "atoms=2,3", "--folder", str(tmp_path), "--quiet"]
        assert main(arguments) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("best of 2 on synthetic, between-subject --groups 5: atoms=")
        assert main([*arguments, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["best"]["atoms"] in (2, 3)
