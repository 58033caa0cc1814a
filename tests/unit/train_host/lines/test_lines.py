"""Numbers are scored on labelled pictures, and what is known about lines is learned from drawn ones."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import CHINESE, LATIN
from edge_lpdpl.number import weights
from edge_lpdpl.number.weights import STRICTNESS, line_model
from train_host.commands.main import main
from train_host.lines.make import as_table, make_lines
from train_host.lines.pictures import LABELS, read_labelled
from train_host.lines.score import NEVER, Outcome, least_confidences, share_at


def ones(count):
    """A page with so many strokes beside each other."""
    frame = np.full((240, 320), 200, np.uint8)
    for place in range(count):
        frame[100:140, 100 + 30 * place : 104 + 30 * place] = 40
    return frame


@pytest.fixture
def folder(tmp_path):
    """Two pages with the right numbers, and one with a wrong label."""
    for count in (1, 2, 3):
        Image.fromarray(ones(count)).save(tmp_path / f"{count}.png")
    (tmp_path / LABELS).write_text("1.png,1\n2.png,11\n3.png,777\n", "utf-8")
    return tmp_path


def test_numbers_are_scored_as_the_reader_accepts_them(folder, tmp_path_factory, capsys):
    drawing = tmp_path_factory.mktemp("drawn") / "accepted.png"
    assert main(["score-numbers", "latin10", str(folder), "--json", "--drawing", str(drawing)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["pictures"], found["read"]) == (3, 2)
    assert [row["wrong_per_thousand"] for row in found["settings"]] == list(STRICTNESS)
    usual = next(row for row in found["settings"] if row["wrong_per_thousand"] == 5)
    assert (usual["right"], usual["wrong"]) == (pytest.approx(2 / 3, abs=1e-5), pytest.approx(1 / 3, abs=1e-5))
    assert Image.open(drawing).width > 300


@pytest.mark.parametrize(
    ("text", "fault"),
    [("1.png\n", "line 1 is not FILE,NUMBER"), ("1.png,1\n2.png, \n", "line 2 is not"), (None, "cannot")],
)
def test_damaged_labels_are_named(folder, text, fault):
    if text is None:
        (folder / LABELS).unlink()
    else:
        (folder / LABELS).write_text(text, "utf-8")
    with pytest.raises(DatasetError, match=fault):
        list(read_labelled(folder))


def test_a_share_counts_right_and_wrong_numbers():
    outcomes = [
        Outcome("a", "1", ["1"], 0.9, True),
        Outcome("b", "7", ["1"], 0.8, False),
        Outcome("c", "", [], 0, False),
    ]
    assert share_at(outcomes, 0.85)[1:] == (pytest.approx(1 / 3), 0)
    assert share_at(outcomes, 0.5)[1:] == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_the_least_confidence_leaves_out_what_is_wrong_too_often():
    sure = [Outcome("a", "1", ["1"], 0.9, True)] * 600
    doubtful = [Outcome("b", "1", ["7"], 0.6, False)] * 600
    assert least_confidences(sure) == (0.9,) * len(STRICTNESS)
    assert set(least_confidences(sure + doubtful)) == {0.9}
    assert set(least_confidences(doubtful)) == {NEVER}


@pytest.mark.parametrize(("name", "labels", "usual"), [("digits", LATIN, "0"), ("chinese", CHINESE, "五")])
def test_the_shipped_tables_are_as_the_command_writes_them(name, labels, usual):
    table = as_table(line_model(labels), [label.character for label in labels], usual)
    shipped = Path(weights.__file__).parent / f"shipped_lines/{name}.json"
    assert json.loads(shipped.read_text("utf-8")) == table


def test_too_few_lines_are_refused(folder):
    recogniser = Recogniser.load(shipped_model("latin10"))
    pictures = [one._replace(boxes=[]) for one in read_labelled(folder) if one.text == "0"]
    with pytest.raises(DatasetError, match="only 0 lines can be learned from"):
        make_lines(recogniser, pictures, 0.55)
