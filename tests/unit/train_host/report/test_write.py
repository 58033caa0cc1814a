"""The report: one HTML file that needs no other, and a Markdown file with its figures."""

import html.parser
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from other_users import nobody
from PIL import Image
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import TrainingError
from train_host.commands.main import main
from train_host.compare.bench import Bench, Protocol
from train_host.compare.run import read_records, run_comparison
from train_host.compare.significance import mcnemar
from train_host.report import tables
from train_host.report.document import TEXTS
from train_host.report.merge import merge_tables
from train_host.report.write import _latency_of, introduction, write_report

pytestmark = pytest.mark.slow

METHODS = ["lpdpl", "dpl", "knn"]
KINDS = ["table", "atoms", "sensitivity", "pairs", "samples", "robustness", "glyphs", "unseen", "latency"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("comparison")
    bench = Bench(drawn_digits(writers=4), Protocol("between-subject", groups=2), folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("train_host.compare.studies.DECADES", (0.01, 1.0))
        patch.setattr("train_host.compare.studies.ATOMS", (2, 4))
        patch.setattr("train_host.compare.latency.ROUNDS", 2)
        run_comparison(bench, METHODS, QUICK, KINDS)
    return folder


@pytest.fixture(scope="module")
def written(folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("docs")
    return write_report(folder, place / "page.html", place / "results.md"), place


@pytest.fixture(scope="module")
def table_alone(folder, tmp_path_factory):
    """A folder with only a table of two methods."""
    (record,) = [json.loads(path.read_text()) for path in (folder / "records").glob("*-table-*")]
    alone = tmp_path_factory.mktemp("alone") / "records"
    alone.mkdir()
    small = record | {"objective": {}, "mistakes": record["mistakes"][:2], "rows": record["rows"][:2]}
    (alone / "table.json").write_text(json.dumps(small))
    return alone.parent


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Records of two commands for one table, and of one for a table of another seed."""
    folder = tmp_path_factory.mktemp("runs")
    bench = Bench(drawn_digits(writers=4), Protocol("between-subject", groups=2), folder)
    for methods in (["lpdpl", "dpl"], ["knn", "dpl"]):
        run_comparison(bench, methods, QUICK, ["table"])
    run_comparison(bench, ["knn"], replace(QUICK, seed=1), ["table"])
    return folder


class Page(html.parser.HTMLParser):
    """What a page loads, and how its elements nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.tables = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.sources += [value for name, value in attributes if name in ("src", "href")]
        self.tables += tag == "table"


class TestPage:
    def test_keeps_pictures_of_the_data_out_of_the_repository(self, written):
        _, place = written
        assert "Misread by" in (place / "page.html").read_text()
        assert "Misread by" not in (place / "results.md").read_text()
        assert not list((place / "results").glob("*mistakes*"))

    def test_needs_no_other_file_and_no_network(self, written):
        page = Page((written[1] / "page.html").read_text())
        assert len(page.sources) >= 10
        assert all(source.startswith("data:image/png;base64,") for source in page.sources)
        assert page.tables == 6  # settings, summary, the table, two studies after the first, unseen classes

    def test_markdown_names_figures_that_are_there(self, written):
        found, place = written
        text = (place / "results.md").read_text()
        named = [line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
        assert len(named) >= 10
        for name in named:
            with Image.open(place / name) as picture:
                assert np.asarray(picture.convert("L")).std() > 1
        assert set(found["written"]) >= {str(place / name) for name in named}

    def test_says_machine_versions_seed_and_commands(self, written):
        text = (written[1] / "results.md").read_text()
        for words in ("numpy ", "python ", "seed 0", "    lpdpl-train"):
            assert words in text

    def test_says_on_what_choices_were_made(self, written):
        text = (written[1] / "results.md").read_text()
        assert (
            "Some choices were made on the reported Chinese folds themselves: the size of the model"
            in TEXTS["introduction"]["chosen"]
        )
        assert "rejects 1% of the correct decisions on the test pictures of the first split" in text

    def test_tells_what_no_method_reads(self, written, folder):
        text = (written[1] / "results.md").read_text()
        (table,) = [record for record in read_records(folder) if record["kind"] == "table"]
        shared = [
            all(of["decisions"][at] != truth for of in table["pictures"].values())
            for at, truth in enumerate(table["truth"])
        ]
        assert f"seed 0. All 3 methods misread {sum(shared)} of them; more than half" in text

    def test_every_method_has_its_row(self, written):
        text = (written[1] / "results.md").read_text()
        assert "| LpDPL + refinement | " in text
        assert "| k nearest neighbours | " in text

    def test_a_summary_has_a_column_a_table_and_a_row_a_method(self):
        rows = [{"method": "dpl", "accuracy": 0.5}, {"method": "lpdpl", "accuracy": 0.75}]
        records = [
            {"data": "usps", "protocol": "standard", "rows": rows},
            {"data": "madbase", "protocol": "between-subject --groups 10", "rows": rows[:1]},
        ]
        found = tables.summary(records)
        assert found.titles == ("method", "usps standard", "madbase between-subject, groups 10")
        assert found.rows == (("LpDPL + refinement", "75.00%", ""), ("DPL", "50.00%", "50.00%"))

    def test_the_own_method_is_called_what_was_run(self, folder):
        (table,) = [record for record in read_records(folder) if record["kind"] == "table"]
        for refinement, title in ((None, "LpDPL"), ({"epochs": 20}, "LpDPL + refinement")):
            recorded = table | {"recipe": table["recipe"] | {"refinement": refinement}}
            assert tables.accuracy(recorded, None).rows[0][0] == title
            assert tables.summary([recorded]).rows[0][0] == title

    def test_says_where_settings_come_from_and_which_methods_are_behind(self, written):
        text = (written[1] / "results.md").read_text()
        assert "| DPL | Gu et al. 2014 | the authors' defaults |" in text
        assert "| at | DPL |" in text
        assert "bands are 95 % intervals" in text

    def test_the_same_records_are_the_same_page(self, table_alone, tmp_path):
        pages = [tmp_path / "first.html", tmp_path / "second.html"]
        for page in pages:
            write_report(table_alone, page, None)
        assert pages[0].read_bytes() == pages[1].read_bytes()

    @pytest.mark.parametrize("closed", [".", "records"])
    def test_a_folder_that_is_closed_to_us_is_named(self, closed, tmp_path, monkeypatch):
        tmp_path.chmod(0o755)
        monkeypatch.chdir(tmp_path)
        Path("theirs/records").mkdir(parents=True)
        Path("theirs", closed).chmod(0)
        with nobody(), pytest.raises(TrainingError, match=r"^theirs/records: cannot be read \(Permission denied\)"):
            write_report(Path("theirs"), tmp_path / "page.html", None)

    def test_where_nothing_was_compared_it_says_so(self, tmp_path, capsys):
        assert main(["report", "--folder", str(tmp_path), "--html", str(tmp_path / "page.html")]) == 2
        assert capsys.readouterr().err.startswith(f"lpdpl-train: {tmp_path}: nothing was compared here yet")

    @pytest.mark.parametrize("content", ["{}", "[]", "3", '{"kind": "table"}', "{"])
    def test_what_is_no_record_is_named(self, tmp_path, capsys, content):
        (tmp_path / "records").mkdir()
        path = tmp_path / "records" / "damaged.json"
        path.write_text(content)
        assert main(["report", "--folder", str(tmp_path), "--html", str(tmp_path / "page.html")]) == 2
        assert capsys.readouterr().err.startswith(f"lpdpl-train: {path}: ")

    @pytest.mark.parametrize("missing", ["key", "rows", "digest", "splits_digest", "recipe"])
    def test_a_record_that_lacks_something_is_named(self, runs, tmp_path, missing):
        (tmp_path / "records").mkdir()
        record = read_records(runs)[0]
        (tmp_path / "records" / "old.json").write_text(
            json.dumps({name: value for name, value in record.items() if name != missing})
        )
        with pytest.raises(TrainingError, match=r"old\.json: is not a record of this version"):
            write_report(tmp_path, tmp_path / "page.html", None)

    def test_a_folder_that_is_not_there_is_named(self, table_alone, tmp_path):
        with pytest.raises(TrainingError, match=r"there is no folder .*none; make it first"):
            write_report(table_alone, tmp_path / "none" / "page.html", None)

    def test_command_lists_what_it_wrote(self, table_alone, tmp_path, capsys):
        arguments = ["report", "--folder", str(table_alone), "--html", str(tmp_path / "page.html"), "--quiet"]
        assert main([*arguments, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["written"] == [str(tmp_path / "page.html")]


class TestRunsOfOneTable:
    """Runs of one table with different methods are one table in the report."""

    def test_rows_come_together_with_our_own_first_against_which_all_are_held(self, runs):
        merged, other_seed = sorted(merge_tables(read_records(runs)), key=lambda record: record["seed"])
        assert [row["method"] for row in merged["rows"]] == ["lpdpl", "dpl", "knn"]
        assert list(merged["pictures"]) == list(merged["objective"]) == ["lpdpl", "dpl", "knn"]
        assert len(merged["commands"]) == 2
        right = [np.array(merged["pictures"][row["method"]]["decisions"]) == merged["truth"] for row in merged["rows"]]
        for row, correct in zip(merged["rows"], right, strict=True):
            assert row["mcnemar"] == mcnemar(right[0], correct)
        assert [row["method"] for row in other_seed["rows"]] == ["knn"]

    def test_a_row_of_several_commands_is_the_newest(self, runs):
        older, newer = ({**record, "written": written} for written, record in enumerate(read_records(runs)[:1] * 2))
        newer["rows"] = [row | {"bytes": 7} for row in newer["rows"]]
        (merged,) = merge_tables([older, newer])
        assert {row["bytes"] for row in merged["rows"]} == {7}
        assert len(merged["commands"]) == 1

    @pytest.mark.parametrize(
        ("commands", "mistaken"), [([["lpdpl"], ["dpl"]], "lpdpl"), ([["lpdpl"], ["dpl", "lpdpl"]], None)]
    )
    def test_mistakes_are_those_of_the_first_method_or_none(self, runs, commands, mistaken):
        whole = next(record for record in read_records(runs) if record["rows"][0]["method"] == "lpdpl")
        parts = [
            whole
            | {"rows": [{"method": method} for method in methods], "written": written}
            | {"mistakes": [{"truth": 0, "decided": 1, "png": methods[0]}]}
            for written, methods in enumerate(commands)
        ]
        (merged,) = merge_tables(parts)
        assert merged["rows"][0]["method"] == "lpdpl"
        assert [mistake["png"] for mistake in merged["mistakes"]] == ([mistaken] if mistaken else [])

    def test_tables_that_differ_in_the_seed_have_figures_of_their_own(self, runs, tmp_path):
        found = write_report(runs, tmp_path / "page.html", tmp_path / "results.md")
        reliability = [name for name in found["written"] if name.endswith("-reliability.png")]
        assert len(set(reliability)) == len(reliability) == 2
        text = (tmp_path / "results.md").read_text()
        assert all(name.rpartition("/")[2] in text for name in reliability)


def test_every_machine_and_version_is_named(runs, tmp_path):
    (tmp_path / "records").mkdir()
    for number, record in enumerate(read_records(runs)):
        elsewhere = record | {"machine": record["machine"] | {"cpu": f"Z{80 + number // 2}", "board": None}}
        (tmp_path / "records" / f"{number}.json").write_text(json.dumps(elsewhere))
    write_report(tmp_path, tmp_path / "page.html", tmp_path / "results.md")
    lines = (tmp_path / "results.md").read_text().splitlines()
    assert [line.split(" (")[0] for line in lines if "; edge-lpdpl " in line] == ["Z80", "Z81"]


class TestTimesOfATable:
    TABLE = {  # noqa: RUF012  # read only
        "digest": "sha256:1",
        "recipe": {"profile": "edge", "atoms": 12, "jitter": None, "camera": None},
        "rows": [{"method": "lpdpl"}, {"method": "dpl"}],
    }

    def timing(self, methods=("lpdpl",), digest="sha256:1", written=0, **recipe):
        points = [{"method": method} for method in methods]
        return {"points": points, "digest": digest, "written": written, "recipe": self.TABLE["recipe"] | recipe}

    def test_have_the_most_of_its_methods_and_are_the_newest(self):
        most, newest = self.timing(["lpdpl", "dpl"], written=1), self.timing(["lpdpl", "dpl", "knn"], written=2)
        assert _latency_of(self.TABLE, [most, newest, self.timing(written=3)]) is newest

    def test_may_be_of_a_training_on_copies(self):
        copies = self.timing(jitter={"copies": 2}, camera={"copies": 2})
        assert _latency_of(self.TABLE, [copies]) is copies

    @pytest.mark.parametrize("other", [{"digest": "sha256:2"}, {"atoms": 60}, {"methods": ["knn"]}])
    def test_are_not_those_of_other_data_another_recipe_or_other_methods(self, other):
        assert _latency_of(self.TABLE, [self.timing(**other)]) is None


def test_a_figure_whose_name_nothing_else_asks_for_is_called_by_words_alone(written):
    names = {path.name for path in (written[1] / "results").iterdir()}
    assert {
        "synthetic-between-subject-groups-2-edge-cost.png",
        "synthetic-between-subject-groups-2-edge-atoms.png",
    } < names


def test_methods_that_a_table_lacks_are_named(written):
    assert "Not run here: InDPL; SRC" in (written[1] / "results.md").read_text()


class TestTimes:
    RECORD = {  # noqa: RUF012  # read only
        "data": "mine",
        "protocol": "standard",
        "rows": [
            {"method": name, "accuracy": 0.5, "interval": (0.4, 0.6), "errors": 5, "rejecting": {"1%": 0.5, "5%": 0.5}}
            | {"mcnemar": 1.0, "bytes": 8000, "train_seconds": 2.0, "peak_bytes": None}
            for name in ("dpl", "knn")
        ],
    }

    def test_say_what_was_timed(self):
        times = {"points": [{"method": "dpl", "whole_us": 7.44, "form": "folded, on the device's engine"}]}
        found = tables.accuracy(self.RECORD, times)
        columns = dict(zip(found.titles, zip(*found.rows, strict=True), strict=True))
        assert columns["us per picture"] == ("7.4", "")
        assert columns["timed as"] == ("folded, on the device's engine", "")

    def test_have_no_column_where_there_are_none(self):
        assert not {"us per picture", "timed as", "training MB", "the paper"} & set(
            tables.accuracy(self.RECORD, None).titles
        )


class TestIntroduction:
    """The introduction says only what is true of the tables."""

    def test_own_data_and_simple_methods_need_few_words(self):
        rows = [{"method": "knn"}]
        assert list(introduction([{"data": "mine", "protocol": "conventional", "rows": rows}])) == [
            "compared",
            "reading",
        ]

    @pytest.mark.parametrize(
        ("data", "method", "said"),
        [
            ("mine", "lenet-5", {"networks"}),
            ("usps", "knn", {"chosen"}),
            ("usps", "dpl", {"chosen", "paper"}),
            ("madbase", "lenet-5", {"chosen", "networks", "paper"}),
        ],
    )
    def test_the_rest_stands_where_it_is_of_a_table(self, data, method, said):
        table = {"data": data, "protocol": "standard", "rows": [{"method": method}]}
        assert set(introduction([table])) == {"compared", "reading"} | said

    def test_without_a_table_of_the_profile_edge_there_is_no_summary(self, table_alone, tmp_path):
        (path,) = (table_alone / "records").iterdir()
        record = json.loads(path.read_text())
        record["recipe"] |= {"profile": "paper"}
        (tmp_path / "records").mkdir()
        (tmp_path / "records" / "paper.json").write_text(json.dumps(record))
        write_report(tmp_path, tmp_path / "page.html", None)
        assert "In short" not in (tmp_path / "page.html").read_text()
