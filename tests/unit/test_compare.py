"""`lpdpl-train compare`: one table, its studies and its timing, on drawn digits."""

import importlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from small_sets import QUICK, drawn_digits

import train_host
from edge_lpdpl.errors import TrainingError
from edge_lpdpl.measure.machine import version
from train_host.cli import main
from train_host.compare import KINDS, decide
from train_host.compare.bench import Bench, Protocol
from train_host.compare.decide import NOTHING_SEEN, Pupil, train_and_decide
from train_host.compare.distortions import DISTORTIONS
from train_host.compare.run import read_records, run_comparison, workers
from train_host.compare.significance import accuracy_rejecting, bootstrap_interval, difference_interval, mcnemar
from train_host.compare.studies import STUDIES, _few_of_each
from train_host.compare.table import usual_methods
from train_host.compare.unseen import scribbles, unseen_pictures
from train_host.protocols import evaluate

DIGITS = drawn_digits(writers=4)
METHODS = ["lpdpl", "dpl", "knn"]
PROTOCOL = Protocol("between-subject", groups=2)


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Bench:
    return Bench(DIGITS, PROTOCOL, tmp_path_factory.mktemp("comparison"))


@pytest.fixture(scope="module")
def table(bench):
    return run_comparison(bench, METHODS, QUICK, ["table"])[0]


class TestTable:
    @pytest.mark.parametrize("method", METHODS)
    def test_accuracy_is_that_of_evaluate(self, table, method):
        (row,) = (row for row in table["rows"] if row["method"] == method)
        alone = evaluate(DIGITS, QUICK, "between-subject", method=method, groups=2, jobs=1)
        assert (row["n"], row["errors"], row["splits"]) == (80, alone["errors"], 2)
        assert row["accuracy"] == pytest.approx(alone["accuracy"])
        assert row["interval"][0] <= row["accuracy"] <= row["interval"][1]

    def test_says_what_was_needed(self, table):
        for row in table["rows"]:
            assert row["train_seconds"] > 0
            assert row["bytes"] > 0
            assert row["peak_bytes"] is None or 0 <= row["peak_bytes"] < 2**32

    def test_bytes_count_the_subspace_and_the_folded_form(self, table):
        features, dimensions, rank, classes = 512, 20, 8, 10
        inside = features * dimensions + dimensions
        folded = classes * (rank * (dimensions + 1) + 2 * rank)
        assert table["rows"][0]["bytes"] == 4 * (inside + folded)

    def test_pictures_are_all_there_once(self, table):
        assert sorted(table["tested"]) == list(range(80))
        np.testing.assert_array_equal(table["truth"], DIGITS.targets[table["tested"]])
        decisions = np.array(table["pictures"]["lpdpl"]["decisions"])
        assert np.sum(decisions != table["truth"]) == table["rows"][0]["errors"]

    def test_says_how_to_do_it_again(self, table):
        assert {"command", "seed", "machine", "digest", "recipe", "version"} <= table.keys()
        assert {"python", "numpy", "scikit-learn", "cpu"} <= table["machine"].keys()

    def test_is_written_and_read_again(self, bench, table):
        assert table["kind"] in [record["kind"] for record in read_records(bench.folder)]
        with pytest.raises(TrainingError, match="nothing was compared here yet"):
            read_records(bench.folder / "elsewhere")

    def test_nothing_is_overwritten_but_by_the_same_again(self, tmp_path):
        def compare(dataset=DIGITS, protocol=PROTOCOL, recipe=QUICK, methods=("knn",), kind="table"):
            (record,) = run_comparison(Bench(dataset, protocol, tmp_path), list(methods), recipe, [kind])
            return record["run"]

        def of_first(number):
            return replace(DIGITS, is_test=np.arange(len(DIGITS)) >= number)

        standard = Protocol("standard")
        boxed = QUICK.profile._replace(preprocessing=QUICK.profile.preprocessing._replace(by_moments=False))
        runs = {
            compare(),
            compare(dataset=DIGITS.subset(DIGITS.samples == 1)),
            compare(protocol=Protocol("conventional", folds=2)),
            compare(recipe=replace(QUICK, dimensions=10)),
            compare(recipe=replace(QUICK, drawn=1)),
            compare(recipe=replace(QUICK, profile=boxed)),
            compare(methods=["knn", "linear-svm"]),
            compare(dataset=of_first(40), protocol=standard),
            compare(dataset=of_first(60), protocol=standard),
        }
        assert len(runs) == len(read_records(tmp_path)) == 9
        assert compare() in runs
        assert len(read_records(tmp_path)) == 9

    def test_all_methods_are_tried_unless_some_are_named(self):
        assert usual_methods(QUICK)[:3] == ["lpdpl", "dpl", "indpl"]  # QUICK has no refinement to leave out


class TestStudies:
    @pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("table", "pairs", "latency", "glyphs")])
    def test_every_point_is_an_accuracy(self, bench, kind):
        (record,) = run_comparison(bench, METHODS, QUICK, [kind])
        shares = [point.get("accuracy", point.get("accepted")) for point in record["points"]]
        assert len(shares) > 3
        assert all(0 <= share <= 1 for share in shares)
        assert max(shares) > 0.4

    @pytest.mark.parametrize("kind", ["samples", "robustness"])
    def test_curves_have_intervals_and_say_who_is_behind(self, bench, kind):
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

    def test_pairs_of_penalties_fill_six_squares(self, bench, monkeypatch):
        monkeypatch.setattr("train_host.compare.studies.DECADES", (0.01, 1.0))
        (record,) = run_comparison(bench, METHODS, QUICK, ["pairs"])
        assert len(record["points"]) == 6 * 4
        assert len({tuple(point["pair"]) for point in record["points"]}) == 6

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
        (record,) = run_comparison(bench, METHODS, QUICK, ["latency"])
        assert [point["method"] for point in record["points"]] == METHODS
        assert all(0 < point["decide_us"] < point["whole_us"] for point in record["points"])

    def test_what_is_not_there_is_named(self, bench):
        with pytest.raises(TrainingError, match="no 'magic' to compare: use table, atoms"):
            run_comparison(bench, METHODS, QUICK, ["magic"])
        with pytest.raises(TrainingError, match="no method 'magic'"):
            run_comparison(bench, ["magic"], QUICK, ["table"])


class TestDistortions:
    PICTURES = DIGITS.images[:6]

    @pytest.mark.parametrize("name", DISTORTIONS)
    def test_grow_with_their_steps_and_stay_pictures(self, name):
        distort, steps, unit = DISTORTIONS[name]
        assert unit
        distances = []
        for step in steps:
            changed = distort(self.PICTURES, step)
            assert (changed.shape, changed.dtype) == (self.PICTURES.shape, np.uint8)
            np.testing.assert_array_equal(changed, distort(self.PICTURES, step))
            distances.append(np.abs(changed.astype(float) - self.PICTURES).mean())
        assert distances == sorted(distances)
        assert distances[-1] > distances[0]

    @pytest.mark.parametrize("name", [name for name in DISTORTIONS if name != "low contrast"])
    def test_the_first_step_changes_nothing(self, name):
        np.testing.assert_array_equal(DISTORTIONS[name][0](self.PICTURES, 0), self.PICTURES)

    @pytest.mark.parametrize("name", DISTORTIONS)
    def test_dark_ink_on_light_is_distorted_as_light_ink_on_dark(self, name):
        distort, steps, _ = DISTORTIONS[name]
        mixed = self.PICTURES.copy()
        mixed[::2] = 255 - mixed[::2]
        expected = distort(self.PICTURES, steps[-1])
        expected[::2] = 255 - expected[::2]
        np.testing.assert_array_equal(distort(mixed, steps[-1]), expected)

    def test_perspective_makes_one_edge_shorter(self):
        bars = np.zeros((1, 64, 64), np.uint8)
        bars[0, 8:56] = 200
        seen = DISTORTIONS["perspective"][0](bars, 0.4)[0] > 100
        assert seen[:, 2].sum() < 0.8 * seen[:, -3].sum()


class TestUnseen:
    def test_are_numerals_of_other_scripts_and_scribbles(self):
        sets = unseen_pictures({"一", "二"})
        assert list(sets) == ["latin numerals, drawn", "arabic-indic numerals, drawn", "scribbles, drawn"]
        assert "latin numerals, drawn" not in unseen_pictures(set("0123456789"))

    def test_scribbles_are_ink_and_the_same_again(self):
        drawn = scribbles(5)
        assert (drawn.max(axis=(1, 2)) > 200).all()
        np.testing.assert_array_equal(drawn, scribbles(5))


class TestSignificance:
    def test_mcnemar_is_the_binomial_of_the_pictures_that_differ(self):
        ours = np.array([True] * 90 + [True] * 8 + [False] * 2)
        theirs = np.array([True] * 90 + [False] * 8 + [True] * 2)
        assert mcnemar(ours, theirs) == pytest.approx(2 * binom.cdf(2, 10, 0.5))
        assert mcnemar(ours, ours) == 1

    def test_interval_is_wider_where_a_writer_errs_as_a_whole(self):
        correct = np.arange(400) % 20 != 0
        alone = bootstrap_interval(correct, None)
        together = bootstrap_interval(correct, np.sort(np.arange(400) % 20)[np.argsort(np.argsort(~correct))])
        assert alone[0] < 0.95 < alone[1]
        assert together[1] - together[0] > alone[1] - alone[0]

    def test_of_one_writer_pictures_are_resampled(self):
        """Between subjects the first split tests one writer: over writers its intervals had no width."""
        correct = np.arange(400) % 20 != 0
        assert bootstrap_interval(correct, np.full(400, 7)) == bootstrap_interval(correct, None)
        assert np.ptp(difference_interval(correct, correct[::-1], np.full(400, 7))) > 0

    @pytest.mark.parametrize("groups", [np.arange(1200) % 8, np.zeros(1200), None])
    def test_where_nothing_or_everything_goes_wrong_another_picture_still_might_not(self, groups):
        """By the exact interval, so many pictures in a row are alike with 2.5 % where its end is the truth."""
        right, wrong = np.ones(1200, np.bool_), np.zeros(1200, np.bool_)
        low, high = bootstrap_interval(right, groups)
        assert (low**1200, high) == (pytest.approx(0.025), 1)
        assert bootstrap_interval(wrong, groups) == (0, pytest.approx(1 - low))
        assert difference_interval(right, right, groups) == pytest.approx((low - 1, 1 - low))
        assert difference_interval(wrong, right, groups) == pytest.approx((-1, 1 - 2 * low))

    def test_a_difference_on_the_same_pictures_is_narrower_than_two_intervals(self):
        theirs = np.arange(400) % 20 != 0
        ours = theirs | (np.arange(400) % 40 == 0)
        low, high = difference_interval(ours, theirs, None)
        assert 0 < low < 0.025 < high
        assert high - low < sum(np.ptp(bootstrap_interval(correct, None)) for correct in (ours, theirs))

    def test_rejecting_takes_the_least_sure_first(self):
        correct, margins = np.arange(100) >= 5, np.arange(100.0)
        assert accuracy_rejecting(correct, margins, 0.05) == 1
        assert accuracy_rejecting(correct, margins, 0.0) == 0.95


def test_a_picture_in_which_nothing_is_seen_is_no_decision(bench):
    samples, _ = bench.samples(Pupil("knn", QUICK))
    blank = np.zeros((2, samples.features.shape[1]), np.float32)
    found = train_and_decide(Pupil("knn", QUICK), samples, np.arange(80), {"blank": blank})
    assert found["tests"]["blank"] == {"decisions": [NOTHING_SEEN] * 2, "margins": [0.0] * 2}


def test_settings_and_copies_are_other_cells(bench):
    split = bench.splits(0)[0]
    cells = [
        bench.cell(pupil, split)
        for pupil in (Pupil("dpl", QUICK), Pupil("dpl", QUICK, {"atoms": 2}), Pupil("dpl", replace(QUICK, seed=1)))
    ]
    assert len({cell.digest for cell in cells}) == 3


class TestCellsOfRivals:
    def test_weights_that_appear_make_another_cell(self, bench, tmp_path, monkeypatch):
        pytest.importorskip("torch", reason="networks need PyTorch: pip install '.[deep]'")
        monkeypatch.setenv("EDGE_LPDPL_WEIGHTS", str(tmp_path))
        split = bench.splits(0)[0]
        from_scratch = bench.cell(Pupil("squeezenet", QUICK), split)
        (tmp_path / "squeezenet1_1.pth").write_bytes(b"weights")
        assert bench.cell(Pupil("squeezenet", QUICK), split).digest != from_scratch.digest

    def test_weights_are_those_of_the_key_wherever_the_cell_is_worked_off(self, bench, tmp_path, monkeypatch):
        """A worker of a cluster has an environment and files of its own."""
        torch = pytest.importorskip("torch", reason="networks need PyTorch: pip install 'edge-lpdpl[deep]'")
        architectures = importlib.import_module("train_host.baselines.network").ARCHITECTURES
        weights = tmp_path / "squeezenet1_1.pth"
        torch.save(architectures["squeezenet1_1"][0](1000).state_dict(), weights)
        pupil, split = Pupil("squeezenet", QUICK, {"epochs": 1, "least_steps": 0}), bench.splits(0)[0]
        from_scratch = bench.cell(pupil, split)
        monkeypatch.setenv("EDGE_LPDPL_WEIGHTS", str(tmp_path))
        from_weights = bench.cell(pupil, split)
        assert from_scratch.work(*from_scratch.arguments)["note"].startswith("from scratch")
        monkeypatch.delenv("EDGE_LPDPL_WEIGHTS")
        assert from_weights.work(*from_weights.arguments)["note"].startswith("from ImageNet weights")
        torch.save(architectures["squeezenet1_1"][0](1000).state_dict(), weights)
        with pytest.raises(TrainingError, match=f"{weights}: is missing on this machine, or differs from"):
            from_weights.work(*from_weights.arguments)
        weights.unlink()
        with pytest.raises(TrainingError, match=f"{weights}: is missing on this machine, or differs from"):
            from_weights.work(*from_weights.arguments)

    @pytest.mark.parametrize(
        ("method", "package", "matters"),
        [("lpdpl", "numpy", True), ("knn", "scikit-learn", True), ("knn", "torch", False), ("lenet-5", "torch", True)],
    )
    def test_other_versions_of_what_they_compute_with_make_another_cell(
        self, bench, monkeypatch, method, package, matters
    ):
        if method == "lenet-5":
            pytest.importorskip("torch", reason="networks need PyTorch: pip install 'edge-lpdpl[deep]'")
        split = bench.splits(0)[0]
        before = bench.cell(Pupil(method, QUICK), split)
        monkeypatch.setattr(decide, "version", lambda name: "0.1" if name == package else version(name))
        assert (bench.cell(Pupil(method, QUICK), split).digest != before.digest) == matters
        if matters:
            with pytest.raises(TrainingError, match=rf"a worker has .*{package} 0\.1.* and not "):
                before.work(*before.arguments)

    @pytest.mark.parametrize("source", ["training.py", "baselines/__init__.py"])
    @pytest.mark.parametrize("method", ["dpl", "knn"])
    def test_another_source_of_what_prepares_their_rows_makes_another_cell(self, bench, monkeypatch, method, source):
        split = bench.splits(0)[0]
        before, read = bench.cell(Pupil(method, QUICK), split), Path.read_text
        changed = Path(train_host.__file__).parent / source
        monkeypatch.setattr(
            Path, "read_text", lambda path, *of, **how: read(path, *of, **how) + "#" * (path == changed)
        )
        assert bench.cell(Pupil(method, QUICK), split).digest != before.digest


class TestCommand:
    ARGUMENTS = ("compare", "synthetic:writers=4,samples=1,script=latin,size=48", "--protocol", "between-subject")
    QUICKLY = ("--groups", "2", "--methods", "lpdpl,knn", "--atoms", "3", "--no-copies", "--plain", "--jobs", "1")

    def test_tells_people_a_table_and_programs_the_records(self, tmp_path, capsys):
        arguments = [*self.ARGUMENTS, *self.QUICKLY, "--folder", str(tmp_path / "kept"), "--quiet"]
        assert main(arguments) == 0
        head, titles, *rows = capsys.readouterr().out.splitlines()
        assert head.startswith("synthetic, between-subject --groups 2, table, seed 0")
        assert titles.split()[:3] == ["method", "right", "errors"]
        assert [row.split()[0] for row in rows] == ["lpdpl", "knn"]
        assert main([*arguments, "--json"]) == 0
        (record,) = json.loads(capsys.readouterr().out)
        assert [row["method"] for row in record["rows"]] == ["lpdpl", "knn"]

    def test_an_interrupt_keeps_what_is_done(self, tmp_path, capsys, monkeypatch):
        def interrupt(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("train_host.compare.table._row", interrupt)
        arguments = [*self.ARGUMENTS, *self.QUICKLY, "--folder", str(tmp_path), "--quiet"]
        assert main(arguments) == 130
        assert "interrupted, finished cells are kept: the same command continues" in capsys.readouterr().err
        assert len(list((tmp_path / "cells").glob("*.json"))) == 4

    def test_a_plan_counts_cells_and_estimates_from_those_that_are_kept(self, tmp_path, capsys):
        arguments = [*self.ARGUMENTS, *self.QUICKLY, "--folder", str(tmp_path), "--quiet"]
        assert main([*arguments, "--plan"]) == 0
        assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
            ["method", "cells", "missing", "minutes"],
            ["lpdpl", "2", "2", "?"],
            ["knn", "2", "2", "?"],
        ]
        assert main([*arguments, "--splits", "1"]) == 0
        capsys.readouterr()
        assert main([*arguments, "--plan", "--json"]) == 0
        plan = json.loads(capsys.readouterr().out)
        assert [(row["method"], row["missing"]) for row in plan] == [("lpdpl", 1), ("knn", 1)]
        assert all(0 < row["seconds"] < 60 for row in plan)

    def test_the_first_splits_are_a_table_of_their_own(self, tmp_path, capsys):
        arguments = [*self.ARGUMENTS, *self.QUICKLY, "--folder", str(tmp_path), "--quiet", "--splits"]
        assert main([*arguments, "1", "--json"]) == 0
        (record,) = json.loads(capsys.readouterr().out)
        assert record["protocol"] == "between-subject --groups 2 --splits 1"
        assert [(row["n"], row["splits"]) for row in record["rows"]] == [(20, 1), (20, 1)]
        assert main([*arguments, "0"]) == 2
        assert capsys.readouterr().err == "lpdpl-train: --splits must be 1 or more\n"

    @pytest.mark.parametrize("command", ["compare", "tune"])
    @pytest.mark.parametrize("option", ["--folds", "--groups"])
    def test_fewer_than_two_parts_are_refused(self, command, option, capsys):
        with pytest.raises(SystemExit):
            main([command, "digits", "--protocol" if command == "compare" else "--test", "conventional", option, "-3"])
        assert "'-3' is not a whole number of 2 or more" in capsys.readouterr().err

    def test_help_names_every_kind(self, capsys):
        assert ("table", *STUDIES, "latency") == KINDS
        with pytest.raises(SystemExit, match="0"):
            main(["compare", "--help"])
        assert f"{', '.join(KINDS)}; several with commas, or all (table)" in " ".join(capsys.readouterr().out.split())

    def test_dask_needs_a_scheduler_that_answers(self, tmp_path, capsys):
        arguments = [*self.ARGUMENTS, *self.QUICKLY, "--folder", str(tmp_path), "--backend", "dask"]
        assert main(arguments) == 2
        assert re.search(r"--backend dask needs --scheduler ADDRESS", capsys.readouterr().err)

    @pytest.mark.parametrize(
        ("option", "wrong"),
        [
            (["--folds", "2"], "--folds applies only to the protocol conventional"),
            (["--scheduler", "tcp://localhost:8786"], "--scheduler needs --backend dask"),
            (["--methods", ""], "there is no method ''"),
        ],
    )
    def test_an_option_that_would_do_nothing_is_refused(self, option, wrong, tmp_path, capsys):
        assert main([*self.ARGUMENTS, *self.QUICKLY, *option, "--folder", str(tmp_path)]) == 2
        assert capsys.readouterr().err.startswith(f"lpdpl-train: {wrong}")
        assert list(tmp_path.iterdir()) == []

    def test_dask_is_had_from_the_projects_folder(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        with (
            pytest.raises(TrainingError, match=r"pip install '\.\[cluster\]' in the project's folder$"),
            workers("dask", "tcp://localhost:8786"),
        ):
            pass


def test_two_workers_of_a_dask_cluster_find_the_same_numbers(bench, table, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs dask: pip install '.[cluster]'")
    elsewhere = replace(bench, folder=tmp_path, jobs=-1)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        workers("dask", cluster.scheduler_address),
    ):
        (found,) = run_comparison(elsewhere, METHODS, QUICK, ["table"])
    assert found["pictures"] == table["pictures"]
    for ours, theirs in zip(found["rows"], table["rows"], strict=True):
        same = ("accuracy", "errors", "interval", "rejecting", "mcnemar", "bytes")
        assert [ours[key] for key in same] == [theirs[key] for key in same]
