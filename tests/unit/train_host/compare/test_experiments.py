"""The comparisons of docs/results.md: each is run by its name, and cheap rows give the figures of the page."""

import json

import pytest
from project import PROJECT
from real_data import real_data

from train_host.baselines.methods import METHODS
from train_host.commands.main import main
from train_host.compare.bench import Protocol
from train_host.compare.experiments import read_experiments

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
        found |= {(data, protocol, profile, plain, method) for method in one.get("methods", METHODS)}
    return found


def rows_of_the_page() -> set[tuple[str, str, str, bool, str]]:
    """The same of every row of the tables of docs/results.md."""
    method_of = {method.title: name for name, method in METHODS.items()}
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
        assert set(experiment.get("methods", [])) <= set(METHODS)

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
    accuracy, errors = row_of_the_page("usps, standard, profile edge, no augmented copies", METHODS[method].title)
    assert (f"{row['accuracy']:.2%}", row["errors"]) == (accuracy, errors)
