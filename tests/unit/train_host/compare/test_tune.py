"""`lpdpl-train tune`: settings are chosen on the training part alone."""

import json
from dataclasses import replace

import numpy as np
import pytest
from small_sets import QUICK, QUICK_PAPER, drawn_digits

from edge_lpdpl.errors import TrainingError
from train_host.commands.main import main
from train_host.compare.bench import Protocol
from train_host.compare.tune import USUAL_GRID, parse_grid, pipeline, tune, tune_and_test
from train_host.recipe import PAPER_RECIPE
from train_host.samples.prepare import prepare
from train_host.training import train

DIGITS = drawn_digits(writers=6, classes=4)
GRID = {"atoms": (1.0, 4.0), "lambda3": (1.0, 1e6)}


@pytest.fixture(scope="module")
def found():
    return tune(DIGITS, QUICK, GRID)


class TestTune:
    def test_tries_every_combination_and_names_the_best(self, found):
        assert len(found["trials"]) == 4
        assert found["best"] == found["trials"][0]["settings"]
        accuracies = [trial["accuracy"] for trial in found["trials"]]
        assert accuracies == sorted(accuracies, reverse=True)
        assert accuracies[0] > 0.6 > accuracies[-1]
        assert found["best"]["lambda3"] == 1.0  # a million suppresses the reconstruction
        assert found["protocol"] == "between-subject --groups 5"

    def test_the_test_part_is_never_looked_at(self):
        own = replace(DIGITS, is_test=DIGITS.writers == 6)
        spoilt = own.images.copy()
        spoilt[own.is_test] = 255 - spoilt[own.is_test][::-1]
        lied = np.where(own.is_test, (own.targets + 1) % 4, own.targets)
        first = tune(own, QUICK, GRID)
        second = tune(replace(own, images=spoilt, targets=lied), QUICK, GRID)
        assert first == second
        assert first["left_out"] == own.is_test.sum()

    def test_without_writers_pictures_are_left_out(self):
        found = tune(replace(DIGITS, writers=None), QUICK, {"atoms": (2.0,)})
        assert found["protocol"] == "conventional --folds 5"

    def test_nested_search_tests_every_picture_once(self):
        found = tune_and_test(DIGITS, QUICK, {"atoms": (1.0, 4.0)}, Protocol("between-subject", groups=2))
        assert (found["n"], len(found["chosen"])) == (len(DIGITS), 2)
        assert found["accuracy"] == pytest.approx(1 - found["errors"] / found["n"])
        assert found["accuracy"] > 0.6


class TestPipeline:
    @pytest.mark.parametrize("recipe", [QUICK, QUICK_PAPER], ids=["edge", "paper"])
    def test_it_decides_as_the_training_of_the_recipe_does(self, recipe):
        samples = prepare(DIGITS, recipe)
        everything = np.arange(len(DIGITS))
        tuned = pipeline(recipe, 4).fit(samples.features, DIGITS.targets)
        trained = train(samples, everything, recipe)
        np.testing.assert_allclose(-tuned.decision_function(samples.features), trained.scores(samples.features))


class TestGrid:
    def test_there_is_a_usual_one(self):
        assert parse_grid([]) == USUAL_GRID

    def test_a_setting_may_be_given_value_by_value(self):
        assert parse_grid(["atoms=8", "gamma=1", "atoms=12"]) == {"atoms": (8.0, 12.0), "gamma": (1.0,)}

    @pytest.mark.parametrize(
        "word", ["atoms", "magic=1", "atoms=a", "atoms=1.5", "gamma=-1", "gamma=0", "gamma=nan", "atoms=inf", "atoms="]
    )
    def test_what_is_no_value_is_refused(self, word):
        with pytest.raises(TrainingError, match=word.partition("=")[0]):
            parse_grid([word])

    def test_the_paper_has_no_dimensions(self):
        with pytest.raises(TrainingError, match="profile paper has no subspace"):
            tune(DIGITS, PAPER_RECIPE, {"dimensions": (8.0,)})

    def test_a_subspace_has_no_more_dimensions_than_there_are_features(self):
        with pytest.raises(TrainingError, match="513 dimensions of 512 features"):
            tune(DIGITS, QUICK, {"dimensions": (8.0, 513.0)})


class TestCommand:
    ARGUMENTS = ("tune", "synthetic:writers=5,samples=1,script=latin,size=48", "--jobs", "1")

    def test_tells_people_and_programs(self, capsys):
        arguments = [*self.ARGUMENTS, "--dimensions", "16", "--try", "atoms=2,3", "--quiet"]
        assert main(arguments) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("best of 2 on synthetic, between-subject --groups 5: atoms=")
        assert main([*arguments, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["best"]["atoms"] in (2, 3)

    @pytest.mark.parametrize("option", [["--folds", "2"], ["--test", "within-subject", "--groups", "2"]])
    def test_parts_of_no_protocol_are_refused(self, option, capsys):
        assert main([*self.ARGUMENTS, *option]) == 2
        assert "applies only to the protocol" in capsys.readouterr().err

    def test_nested_is_another_protocol_around_it(self, capsys):
        arguments = [*self.ARGUMENTS, "--try", "atoms=2", "--quiet"]
        assert main([*arguments, "--test", "conventional", "--folds", "2"]) == 0
        assert "with the settings chosen inside each training part" in capsys.readouterr().out
