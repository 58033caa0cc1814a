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
from edge_lpdpl.number.grammar import marks_for
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.number.weights import STRICTNESS, USUAL_STRICTNESS, Grounds, line_model
from train_host.commands.main import main
from train_host.datasets.bundled import synthesise_dataset
from train_host.lines.drawing import labels_of_points
from train_host.lines.make import as_table, make_lines
from train_host.lines.pictures import LABELS, read_labelled
from train_host.lines.score import NEVER, Outcome, Share, calibrate, share_at
from train_host.scenes.compose import make_scene
from train_host.scenes.folder import TRUTH
from train_host.scenes.inks import Inks
from train_host.scenes.options import SceneOptions

pytestmark = pytest.mark.slow


def ones(count):
    """A page with so many strokes beside each other."""
    frame = np.full((240, 320), 200, np.uint8)
    for place in range(count):
        frame[100:140, 100 + 30 * place : 104 + 30 * place] = 40
    return frame


@pytest.fixture
def folder(tmp_path):
    """Two pages with the right numbers, and one with a wrong label."""
    for name, count in enumerate((1, 2, 2), 1):
        Image.fromarray(ones(count)).save(tmp_path / f"{name}.png")
    (tmp_path / LABELS).write_text("1.png,1\n2.png,11\n3.png,77\n", "utf-8")
    return tmp_path


def test_numbers_are_scored_as_the_reader_accepts_them(folder, tmp_path_factory, capsys):
    drawing = tmp_path_factory.mktemp("drawn") / "accepted.png"
    assert main(["score-numbers", "latin10", str(folder), "--json", "--drawing", str(drawing)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["pictures"], found["read"]) == (3, 2)
    assert [row["wrong_per_thousand"] for row in found["settings"]] == list(STRICTNESS)
    usual = next(row for row in found["settings"] if row["wrong_per_thousand"] == USUAL_STRICTNESS)
    assert (usual["right"], usual["wrong"]) == (pytest.approx(2 / 3, abs=1e-5), pytest.approx(1 / 3, abs=1e-5))
    assert Image.open(drawing).width > 300


def test_a_number_that_is_in_doubt_however_sure_it_is_counts_as_none(tmp_path, capsys):
    page = ones(2)
    page[80:160, 116:118] = 150  # a wall between two cells of a table
    Image.fromarray(page).save(tmp_path / "1.png")
    (tmp_path / LABELS).write_text("1.png,11\n", "utf-8")
    assert main(["score-numbers", "latin10", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["read"] == 1
    assert [(row["right"], row["wrong"]) for row in found["settings"]] == [(0, 0)] * len(STRICTNESS)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1.png\n", "line 1 is not FILE,NUMBER"),
        ("1.png,1\n2.png,11\n1.png,1\n", "line 3 names 1.png, as line 1 does; leave one of them out"),
        ("1.png,1\n./1.png,7\n", "line 2 names ./1.png, as line 1 does; leave one of them out"),
        ("1.png,1\n2.png, \n", "line 2 is not"),
        ("picture,number\n1.png,1\n", "line 1 names picture, which is not there; a line is .*, and there is no header"),
        (None, "cannot"),
    ],
)
def test_damaged_labels_are_named(folder, text, fault):
    if text is None:
        (folder / LABELS).unlink()
    else:
        (folder / LABELS).write_text(text, "utf-8")
    with pytest.raises(DatasetError, match=fault):
        list(read_labelled(folder))


def test_a_name_that_the_system_refuses_is_told_of(tmp_path):
    with pytest.raises(DatasetError, match=r"cannot be read \(File name too long\); write a line"):
        list(read_labelled(tmp_path / ("x" * 300)))


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        ("1.png,1\n2.png,abc\n", "2.png: 'abc' is no number of latin10; correct it, or take another model"),
        ("1.png,1\n2.png,1-1\n", "2.png: '1-1' is no number of latin10"),
    ],
)
def test_labels_that_are_no_numbers_of_the_model_are_named(folder, capsys, labels, fault):
    (folder / LABELS).write_text(labels, "utf-8")
    assert main(["score-numbers", "latin10", str(folder)]) == 2
    assert fault in capsys.readouterr().err


def test_scenes_without_numbers_are_not_scored(folder, capsys):
    scene = {"file": "1.png", "kind": "nothing", "numerals": []}
    (folder / TRUTH).write_text(json.dumps(scene), "utf-8")
    assert main(["score-numbers", "latin10", str(folder)]) == 2
    assert "shows no number; make the scenes with --kind numbers" in capsys.readouterr().err


def test_equal_points_of_a_drawing_have_one_label():
    settings = {1: Share(0.5, 0.0), 2: Share(0.5, 0.0), 5: Share(0.75, 0.0)}
    assert labels_of_points(settings) == {(0.0, 50.0): "1, 2", (0.0, 75.0): "5"}


def test_a_share_counts_right_and_wrong_numbers():
    outcomes = [
        Outcome("a", "1", ["1"], 0.9, Grounds(0.9), True),
        Outcome("b", "7", ["1"], 0.8, Grounds(0.8), False),
        Outcome("c", "", [], 0, Grounds(0.0), False),
    ]
    assert share_at(outcomes, 0.85) == (pytest.approx(1 / 3), 0)
    assert share_at(outcomes, 0.5) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


WEIGHTS = (1.5, 2, 0.3, 1)
"""Of a calibration."""


@pytest.fixture(scope="module")
def outcomes():
    """Numbers that are right as often as a logistic curve of their grounds says."""
    dice, count = np.random.default_rng(1), 40_000
    shares, sure = (1 / (1 + np.exp(-dice.uniform(-2, 9, count))) for _ in range(2))
    novelties = dice.uniform(0, 2.5, count)
    grounds = [Grounds(*map(float, one)) for one in zip(shares, novelties, sure, strict=True)]
    weighed = np.array([one.evidence for one in grounds]) @ WEIGHTS[:-1] + WEIGHTS[-1]
    right = dice.uniform(size=count) < 1 / (1 + np.exp(-weighed))
    return [Outcome("", "1", ["1"], one.share, one, bool(fits)) for one, fits in zip(grounds, right, strict=True)]


class TestCalibration:
    def test_it_finds_how_often_a_share_is_right(self, outcomes):
        assert calibrate(outcomes).calibration == pytest.approx(WEIGHTS, rel=0.15)

    def test_so_many_of_the_accepted_numbers_are_wrong(self, outcomes):
        found = calibrate(outcomes)
        for allowed, least in zip(STRICTNESS[4:], found.sure[4:], strict=True):
            sure = [found.calibration.confidence(one.grounds) >= least for one in outcomes]
            accepted = [one.is_right for one, accept in zip(outcomes, sure, strict=True) if accept]
            assert 1000 * (1 - np.mean(accepted)) == pytest.approx(allowed, rel=0.25)

    def test_what_is_never_so_sure_is_not_accepted(self, outcomes):
        doubtful = [one for one in outcomes if one.confidence < 0.9]
        assert calibrate(doubtful).sure[0] == NEVER

    @pytest.mark.parametrize("is_right", [True, False])
    def test_numbers_that_are_all_right_or_all_wrong_say_nothing(self, is_right):
        with pytest.raises(DatasetError, match="all right, or all wrong; give more scenes"):
            calibrate([Outcome("a", "1", ["1"], 0.9, Grounds(0.9), is_right)] * 50)


@pytest.mark.parametrize(("name", "labels", "usual"), [("digits", LATIN, "0"), ("chinese", CHINESE, "五")])
def test_the_shipped_tables_are_as_the_command_writes_them(name, labels, usual):
    characters = [*(label.character for label in labels), *marks_for(labels)]
    table = as_table(line_model(labels), characters, usual)
    shipped = Path(weights.__file__).parent / f"shipped_lines/{name}.json"
    assert json.loads(shipped.read_text("utf-8")) == table


def test_too_few_lines_are_refused(folder):
    recogniser = Recogniser.load(shipped_model("latin10"))
    pictures = [one._replace(boxes=[]) for one in read_labelled(folder) if one.text == "0"]
    with pytest.raises(DatasetError, match="only 0 lines can be learned from"):
        make_lines(recogniser, pictures, 0.55, 1.35)


def test_pictures_of_which_nobody_knows_where_the_characters_are_are_refused(folder):
    with pytest.raises(DatasetError, match="it is not known where its characters are; give scenes"):
        make_lines(Recogniser.load(shipped_model("latin10")), list(read_labelled(folder)), 0.55, 1.35)


@pytest.fixture(scope="module")
def marked():
    """Numbers of drawn digits with points, commas and signs."""
    inks = Inks(synthesise_dataset("writers=6,samples=1,script=latin"))
    options = SceneOptions(kind="numbers", fewest=2, most=5, seed=8, gap=(0.15, 0.3), marked=1)
    return [make_scene(inks, options, number) for number in range(20)]


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_points_commas_and_signs_are_read(marked, backend):
    """A number is right or in doubt, if its points have the four pixels across that are seen."""
    reader, right = PageReader(Recogniser.load(shipped_model("latin10"), backend), 480, 640), 0
    for scene in marked:
        found = reader.read(scene.picture).numbers
        if all(min(mark.box.width, mark.box.height) >= 4 for mark in scene.marks):
            assert all(one.text == scene.text for one in found if not one.rejected)
        right += scene.text in {one.text for one in found}
    assert right >= 12
