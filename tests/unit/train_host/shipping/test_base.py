"""Own pictures beside a base: they count more, and nothing is written that reads worse than the base alone."""

from dataclasses import replace

import numpy as np
import pytest
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import DatasetError, TrainingError
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.files import read_model
from train_host.datasets.bundled import synthesise_dataset
from train_host.samples.prepare import prepare
from train_host.shipping.base import (
    MOST_REPEATS,
    OWN,
    Base,
    Beside,
    check_not_worse,
    open_base,
    put_beside,
    weigh,
)
from train_host.shipping.fit import fit_model

pytestmark = pytest.mark.slow

OTHERS = "synthetic:writers=8,samples=2,script=latin,size=48,seed=9"


def own_digits(classes=10):
    return replace(drawn_digits(writers=3, classes=classes), name="own")


@pytest.fixture(scope="module")
def others():
    return synthesise_dataset(OTHERS.partition(":")[2])


class TestTheBase:
    def test_names_of_models_are_models_and_all_else_is_data(self):
        base = open_base(["latin10", OTHERS])
        assert base.model == shipped_model("latin10")
        assert len(base.data) == 160

    def test_two_models_are_one_too_many(self):
        with pytest.raises(DatasetError, match="--base takes one model"):
            open_base(["latin10", "chinese15"])

    def test_classes_that_the_data_of_the_base_lacks_are_refused(self, others):
        few = Base(replace(drawn_digits(classes=8), name="few"), None)
        with pytest.raises(DatasetError, match="own: few has no 8 9; use data of the same classes"):
            put_beside(own_digits(), few)

    def test_a_model_alone_needs_pictures_of_all_that_it_reads(self):
        with pytest.raises(DatasetError, match="own: has no 8 9, which latin10 reads"):
            put_beside(own_digits(8), Base(None, shipped_model("latin10")))

    def test_a_model_of_another_script_is_refused(self):
        with pytest.raises(DatasetError, match="which cheque15 reads"):
            put_beside(own_digits(), Base(None, shipped_model("cheque15")))

    def test_own_pictures_of_few_classes_go_beside_data_of_more(self, others):
        both = put_beside(own_digits(4), Base(others, None))
        assert len(both) == len(own_digits(4)) + len(others)
        assert len(both.labels) == 10


class TestWeights:
    @pytest.mark.parametrize(("own", "others", "times"), [(10, 80, 2), (10, 1_000_000, MOST_REPEATS), (100, 80, 1)])
    def test_own_pictures_count_as_a_quarter_of_the_others(self, own, others, times):
        samples = prepare(drawn_digits(), QUICK)
        assert weigh(samples, own, others).repeats[: own + 1].tolist() == ([times] * own + [1])[: len(samples.targets)]

    def test_a_row_that_counts_twice_is_trained_on_twice_with_its_copies(self):
        samples = prepare(drawn_digits(writers=2), QUICK)
        twice = samples._replace(repeats=np.where(np.arange(len(samples.targets)) == 3, 2, 1))
        rows, targets = twice.for_training(np.arange(5))
        assert targets.tolist() == samples.targets[[0, 1, 2, 3, 3, 4]].tolist()
        assert sum(np.array_equal(row, samples.features[3]) for row in rows) == 2


class TestNotWorse:
    def test_better_with_own_pictures_and_as_good_with_others_passes(self):
        check_not_worse([Beside(OWN, "latin10", 200, 196, 190, 7), Beside("x", "latin10", 50, 50, 50, 3)])

    @pytest.mark.parametrize(("right", "gained"), [(190, 0), (190, 9), (194, 4), (200, 40)])
    def test_what_may_be_better_by_chance_is_refused(self, right, gained):
        """At 200 of 200 with 40 gained, 30 are lost."""
        with pytest.raises(TrainingError, match="not shown to be better than latin10: of 200 held-out own pictures"):
            check_not_worse([Beside(OWN, "latin10", 200, right, 190, gained)])

    def test_one_more_error_is_refused_and_says_by_how_much(self):
        with pytest.raises(TrainingError) as caught:
            check_not_worse([Beside(OWN, "latin10", 200, 189, 190, 30)])
        assert str(caught.value).startswith(
            "not written, because it is worse than latin10: of 200 held-out own pictures 189 are right instead of 190; "
        )


class TestFit:
    def test_what_is_not_worse_is_written_with_both_counts(self, others, tmp_path, monkeypatch):
        monkeypatch.setattr("train_host.shipping.fit.check_not_worse", lambda found: None)  # so few are read by chance
        path, own = tmp_path / "it.safetensors", own_digits()
        found = fit_model(own, path, QUICK, name="it", base=Base(others, None))
        assert read_model(path).name == "it"
        mine, theirs = found["base"]
        assert (mine["what"], mine["rival"], mine["n"]) == ("own pictures", "synthetic alone", len(own))
        assert (theirs["what"], theirs["n"]) == ("pictures of synthetic", len(others))
        right = mine["right"] + theirs["right"]
        assert right / (len(own) + len(others)) == pytest.approx(found["held_out_accuracy"])

    def test_what_is_worse_than_a_model_is_not_written(self, tmp_path):
        path = tmp_path / "it.safetensors"
        weak = replace(QUICK, dimensions=3, atoms=1)
        with pytest.raises(TrainingError, match="not written, because it is worse than latin10: of 60 held-out own"):
            fit_model(own_digits(), path, weak, name="it", base=Base(None, shipped_model("latin10")))
        assert not path.exists()

    def test_beside_a_model_drawn_numerals_stand_in_for_its_data(self, tmp_path, monkeypatch):
        monkeypatch.setattr("train_host.shipping.fit.check_not_worse", lambda found: None)
        base = Base(None, shipped_model("latin10"))
        found = fit_model(own_digits(), tmp_path / "it.safetensors", QUICK, name="it", base=base)
        mine, stand_in = found["base"]
        assert mine["before"] >= 55  # of 60, by a model that is good at such numerals
        assert stand_in["n"] == 40 * 3 * 10
        assert stand_in["before"] > 0.95 * stand_in["n"]
