"""`lpdpl-train compare`: the table, the command and its workers, on drawn digits."""

import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from project import PROJECT
from real_data import real_data
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import TrainingError
from train_host.baselines.methods import METHODS as KNOWN
from train_host.commands.main import main
from train_host.compare import KINDS, STUDIES, studies
from train_host.compare.bench import Bench, Protocol
from train_host.compare.run import read_experiments, read_records, run_comparison, workers
from train_host.compare.table import evaluate, usual_methods
from train_host.report import study_figures

pytestmark = pytest.mark.slow

DIGITS = drawn_digits(writers=4)
METHODS = ["lpdpl", "dpl", "knn"]
PROTOCOL = Protocol("between-subject", groups=2)


@pytest.fixture(scope="module")
def table(bench):
    return run_comparison(bench, METHODS, QUICK, ["table"])[0]


class TestTable:
    @pytest.mark.parametrize("method", METHODS)
    def test_accuracy_is_that_of_evaluate(self, table, method):
        (row,) = (row for row in table["rows"] if row["method"] == method)
        alone = evaluate(DIGITS, QUICK, "between-subject", method=method, groups=2)
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


class TestCommand:
    ARGUMENTS = ("compare", "synthetic:writers=4,samples=1,script=latin,size=48", "--protocol", "between-subject")
    QUICKLY = ("--groups", "2", "--methods", "lpdpl,knn", "--atoms", "3", "--no-copies", "--plain", "--jobs", "1")

    def test_tells_people_a_table_and_programs_the_records(self, tmp_path, capsys):
        arguments = [*self.ARGUMENTS, *self.QUICKLY, "--folder", str(tmp_path / "kept"), "--quiet"]
        assert main(arguments) == 0
        head, titles, *rows = capsys.readouterr().out.splitlines()
        assert head.startswith("synthetic, between-subject --groups 2, table, seed 0")
        assert titles.split()[:2] == ["method", "accuracy"]
        assert [row.split("  ")[0] for row in rows] == ["LpDPL", "k nearest neighbours"]
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
        assert len(list((tmp_path / "cells").rglob("output.pkl"))) == 4

    def test_a_plan_counts_cells_and_estimates_from_those_that_are_kept(self, tmp_path, capsys):
        arguments = [*self.ARGUMENTS, *self.QUICKLY, "--folder", str(tmp_path / "kept"), "--quiet"]
        assert main([*arguments, "--plan"]) == 0
        assert not (tmp_path / "kept").exists()
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

    @pytest.mark.parametrize("command", ["compare", "evaluate"])
    @pytest.mark.parametrize("option", ["--folds", "--groups"])
    def test_fewer_than_two_parts_are_refused(self, command, option, capsys):
        with pytest.raises(SystemExit):
            main([command, "digits", "--protocol", "conventional", option, "-3"])
        assert "'-3' is not a whole number of 2 or more" in capsys.readouterr().err

    def test_every_study_has_its_work_and_its_figure(self):
        assert all(callable(getattr(studies, kind)) for kind in STUDIES)
        assert {kind for kind in STUDIES if not hasattr(study_figures, kind)} == {"unseen"}  # it is a table

    def test_help_names_every_kind(self, capsys):
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

    def test_a_missing_dask_is_named_with_the_command_that_installs_it(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        with (
            pytest.raises(TrainingError, match=r"pip install -e '\.\[cluster\]' in the project's folder$"),
            workers(1, "dask", "tcp://localhost:8786"),
        ):
            pass


def test_two_workers_of_a_dask_cluster_find_the_same_numbers(bench, table, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs dask: pip install -e '.[cluster]'")
    elsewhere = replace(bench, folder=tmp_path)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        workers(-1, "dask", cluster.scheduler_address),
    ):
        (found,) = run_comparison(elsewhere, METHODS, QUICK, ["table"])
    assert found["pictures"] == table["pictures"]
    for ours, theirs in zip(found["rows"], table["rows"], strict=True):
        same = ("accuracy", "errors", "interval", "rejecting", "mcnemar", "bytes")
        assert [ours[key] for key in same] == [theirs[key] for key in same]


EXPERIMENTS = read_experiments()


def row_of_the_page(section: str, title: str) -> tuple[str, int]:
    """Accuracy and errors in the row of a table of docs/results.md."""
    page = (PROJECT / "docs" / "results.md").read_text()
    table = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    (cells,) = [line.split(" | ") for line in table.splitlines() if line.startswith(f"| {title} |")]
    return cells[1], int(cells[3])


NAMES = {"chinese_mnist.zip": "chinese", "madbase.zip": "madbase", "usps.h5": "usps"}
"""What records call the data of a file."""
COLUMNS = (("edge", False, "lpdpl"), ("edge", False, "lpdpl-plain"), ("paper", True, "lpdpl"))
"""Profile, without copies, and method of the columns of README's table of accuracy."""


def runs() -> set[tuple[str, str, str, bool, str]]:
    """Data, protocol, profile, without copies, and method of every row that the experiments make."""
    found = set()
    for one in EXPERIMENTS.values():
        if "kinds" in one:
            continue
        protocol = Protocol(one["protocol"], groups=one.get("groups"), first=one.get("splits")).title
        profile = one.get("profile", "edge")
        plain = one.get("no-copies", False) or profile == "paper"  # the profile has no copies
        data = NAMES.get(one["data"], "synthetic traditional")
        found |= {(data, protocol, profile, plain, method) for method in one.get("methods", KNOWN)}
    return found


def rows_of_the_page() -> set[tuple[str, str, str, bool, str]]:
    """The same of every row of the tables of docs/results.md."""
    method_of = {method.title: name for name, method in KNOWN.items()}
    found = set()
    for section in (PROJECT / "docs" / "results.md").read_text().split("\n## ")[1:]:
        title, *lines = section.splitlines()
        parts = title.split(", ")
        if len(parts) != 4 or ":" in title:
            continue
        data, protocol, profile, copies = parts
        titles = [line.split(" | ")[0].removeprefix("| ").split(" (from")[0] for line in lines if line.startswith("| ")]
        for name in titles[1:]:
            method = "lpdpl" if (profile, name) == ("profile paper", "LpDPL") else method_of[name]
            found.add((data, protocol, profile.removeprefix("profile "), copies == "no augmented copies", method))
    return found


def test_every_row_of_the_page_is_made_by_an_experiment():
    assert len(rows_of_the_page()) > 100
    assert rows_of_the_page() - runs() == set()


def test_every_figure_of_the_readme_is_made_by_an_experiment():
    text = (PROJECT / "README.md").read_text()
    table = text.split("| data, protocol |")[1].split("\n\n")[0]
    assert table.count("\n") == 6
    wanted = (
        *(("chinese", "conventional --folds 10"), ("chinese", "within-subject")),
        *(("chinese", "between-subject --groups 10"), ("usps", "standard"), ("madbase", "between-subject --groups 10")),
    )
    assert {(*of, *column) for of in wanted for column in COLUMNS} - runs() == set()


class TestFile:
    @pytest.mark.parametrize("name", EXPERIMENTS)
    def test_names_data_protocol_seed_and_known_methods(self, name):
        experiment = EXPERIMENTS[name]
        assert experiment.keys() >= {"data", "protocol", "seed"}
        assert set(experiment.get("methods", [])) <= set(KNOWN)

    @pytest.mark.parametrize("name", [name for name, one in EXPERIMENTS.items() if "synthetic" not in one["data"]])
    def test_each_is_a_command_that_lacks_only_its_data(self, name, tmp_path, capsys):
        assert main(["compare", str(tmp_path), "--only", name, "--folder", str(tmp_path)]) == 2
        assert f"{tmp_path}/{EXPERIMENTS[name]['data']}" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["data", "--only", "magic"], "there is no experiment 'magic': use chinese-every-writer"),
            (["data", "--only", "claim-usps/knn"], "experiment claim-usps has no row 'knn': use lpdpl-plain, dpl"),
            (["data", "more", "--only", "usps"], "--only needs one folder of data sets"),
            (["data", "--only", "usps", "--protocol", "standard"], "--only needs one folder of data sets"),
            (["digits"], "name a --protocol, or an experiment with --only"),
        ],
    )
    def test_what_cannot_be_run_is_said(self, arguments, message, capsys):
        assert main(["compare", *arguments]) == 2
        assert capsys.readouterr().err.startswith(f"lpdpl-train: {message}")


@pytest.mark.parametrize("method", ["lpdpl-plain", "dpl", "knn"])
def test_a_fresh_run_of_a_row_gives_the_figure_of_the_page(method, tmp_path, capsys):
    folder = real_data("usps.h5").parent
    arguments = ["--only", f"usps/{method}", "--folder", str(tmp_path), "--jobs", "1", "--quiet", "--json"]
    assert main(["compare", str(folder), *arguments]) == 0
    ((row,),) = [record["rows"] for record in json.loads(capsys.readouterr().out)]
    accuracy, errors = row_of_the_page("usps, standard, profile edge, no augmented copies", KNOWN[method].title)
    assert (f"{row['accuracy']:.2%}", row["errors"]) == (accuracy, errors)
