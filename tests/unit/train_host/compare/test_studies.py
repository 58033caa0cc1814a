"""The studies beside the table: curves, pairs of penalties, glyphs, times."""

from dataclasses import replace

import numpy as np
import pytest
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import TrainingError
from train_host.compare import KINDS
from train_host.compare.run import run_comparison
from train_host.compare.studies import _few_of_each, _threshold, scribbles, unseen_pictures

pytestmark = pytest.mark.slow

DIGITS = drawn_digits(writers=4)
METHODS = ["lpdpl", "dpl", "knn"]


class TestStudies:
    @pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("table", "pairs", "latency", "glyphs")])
    def test_every_point_is_an_accuracy(self, bench, kind):
        (record,) = run_comparison(bench, METHODS, QUICK, [kind])
        shares = [point.get("accuracy", point.get("accepted")) for point in record["points"]]
        assert len(shares) >= 2
        assert all(0 <= share <= 1 for share in shares)
        assert max(shares) > 0.4

    @pytest.mark.parametrize("kind", ["samples", "robustness"])
    def test_curves_have_intervals_and_say_which_methods_are_behind(self, bench, kind):
        (record,) = run_comparison(bench, ["lpdpl", "dpl"], QUICK, [kind])
        place = {(point["method"], point.get("distortion"), point["x"]): point for point in record["points"]}
        for (method, *where), point in place.items():
            low, high = point["interval"]
            assert low <= point["accuracy"] <= high
            assert ("behind" in point) == (method == "dpl")
            if method == "dpl":
                assert point["behind"] == pytest.approx(place["lpdpl", *where]["accuracy"] - point["accuracy"])
                low, high = point["behind_interval"]
                assert low - 1e-9 <= point["behind"] <= high + 1e-9

    def test_no_more_pictures_are_told_of_than_the_smallest_class_has(self, bench, monkeypatch):
        monkeypatch.setattr("train_host.compare.studies.EACH", (1, 2, 1000))
        (record,) = run_comparison(bench, ["knn"], QUICK, ["samples"])
        assert [point["x"] for point in record["points"]] == [1, 2]

    def test_pairs_of_penalties_fill_six_squares(self, bench, monkeypatch):
        monkeypatch.setattr("train_host.compare.studies.DECADES", (0.01, 1.0))
        (record,) = run_comparison(bench, METHODS, QUICK, ["pairs"])
        assert len(record["points"]) == 6 * 4
        assert len({tuple(point["pair"]) for point in record["points"]}) == 6

    @pytest.mark.parametrize("kind", ["pairs", "sensitivity"])
    def test_each_penalty_is_swept_over_all_decades_and_trained_with(self, bench, monkeypatch, kind):
        decades = (0.01, 1.0)
        monkeypatch.setattr("train_host.compare.studies.DECADES", decades)
        trained = []
        cell = bench.cell
        monkeypatch.setattr(bench, "cell", lambda pupil, *more: trained.append(pupil) or cell(pupil, *more))
        (record,) = run_comparison(bench, METHODS, QUICK, [kind])
        for point, pupil in zip(record["points"], trained, strict=True):
            names = point.get("pair") or [point["penalty"]]
            wanted = dict(zip(names, (point["x"], point.get("y")), strict=False))
            assert pupil.recipe.penalties == replace(QUICK.penalties, **wanted)
        swept = {(*point.get("pair", [point.get("penalty")]), point["x"], point.get("y")) for point in record["points"]}
        assert len(swept) == len(record["points"]) == (6 * 4 if kind == "pairs" else 4 * 2)

    def test_the_threshold_for_the_unseen_rejects_a_hundredth_of_the_right(self, bench):
        margins = np.arange(1000.0)
        decisions = np.zeros(1000, int)
        assert _threshold({"margins": margins, "decisions": decisions}, decisions) == pytest.approx(9.99)
        wrong_below = np.where(margins < 500, 1, 0)  # misread pictures do not count
        assert _threshold({"margins": margins, "decisions": wrong_below}, decisions) == pytest.approx(504.99)
        (record,) = run_comparison(bench, METHODS, QUICK, ["unseen"])
        (table,) = run_comparison(bench, METHODS, QUICK, ["table"])
        accepted = {point["method"]: point["accepted"] for point in record["points"] if point["set"] == "known"}
        right = {row["method"]: row["accuracy"] for row in table["rows"]}
        assert accepted
        assert all(share >= 0.98 * right[method] for method, share in accepted.items())

    def test_a_threshold_that_rejects_all_that_is_right_accepts_hardly_anything(self, bench, monkeypatch):
        monkeypatch.setattr("train_host.compare.studies.FALSE_REJECTS", 1.0)
        (record,) = run_comparison(bench, ["lpdpl"], QUICK, ["unseen"])
        assert all(point["accepted"] < 0.2 for point in record["points"])

    def test_glyphs_are_features_of_every_class_and_of_one_example(self, bench):
        (record,) = run_comparison(bench, METHODS, QUICK, ["glyphs"])
        assert record["layout"] == {"cells": 8, "bins": 8, "signed": True}
        assert np.array(record["atoms"]).shape == (10, QUICK.atoms, 512)
        picture, own, other = (np.array(features) for _, features in record["example"]["views"])
        assert np.linalg.norm(picture - own) < np.linalg.norm(picture - other)

    def test_fewer_pictures_are_part_of_more(self):
        chosen = np.arange(80)
        few, more = (_few_of_each(DIGITS.targets, chosen, count, 0) for count in (2, 5))
        assert set(few) <= set(more)
        assert np.bincount(DIGITS.targets[few]).tolist() == [2] * 10

    def test_timing_has_every_method_and_the_whole_is_more(self, bench, monkeypatch):
        monkeypatch.setattr("train_host.compare.latency.ROUNDS", 3)
        methods = ["lpdpl", "dpl", "indpl", "linear-svm", "knn"]
        (record,) = run_comparison(bench, methods, QUICK, ["latency"])
        assert [point["method"] for point in record["points"]] == methods
        assert record["square_us"] < record["features_us"]
        for point in record["points"]:
            assert point["whole_us"] - point["decide_us"] == pytest.approx(record["features_us"])
            assert point["decide_us"] > 0
        folded = ["folded, on the device's engine"] * 3
        assert [point["form"] for point in record["points"]] == [*folded, "one matrix, NumPy", "scikit-learn"]

    def test_what_is_not_there_is_named(self, bench):
        with pytest.raises(TrainingError, match="no 'magic' to compare: use table, atoms"):
            run_comparison(bench, METHODS, QUICK, ["magic"])
        with pytest.raises(TrainingError, match="no method 'magic'"):
            run_comparison(bench, ["magic"], QUICK, ["table"])


class TestUnseen:
    def test_are_numerals_of_other_scripts_and_scribbles(self):
        sets = unseen_pictures({"一", "二"})
        assert list(sets) == ["latin numerals, drawn", "arabic-indic numerals, drawn", "scribbles, drawn"]
        assert "latin numerals, drawn" not in unseen_pictures(set("0123456789"))

    def test_scribbles_are_ink_and_the_same_again(self):
        drawn = scribbles(5)
        assert (drawn.max(axis=(1, 2)) > 200).all()
        np.testing.assert_array_equal(drawn, scribbles(5))
