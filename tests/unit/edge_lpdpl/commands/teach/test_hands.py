"""Teach, show, export and forget, as a person types it."""

import json

import jsonschema
import numpy as np
import pytest
from cards import cut_out_of_845
from messages import message_schema
from PIL import Image, ImageDraw, ImageFilter
from taught_hands import drawn

from edge_lpdpl.commands.main import main
from edge_lpdpl.library.hands import hand_file, load_hand

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _own_place(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path / "hands"))


@pytest.fixture
def picture(tmp_path):
    """A function that writes a drawn numeral as a picture."""

    def write(character, writer=5, name="picture.png"):
        path = tmp_path / name
        Image.fromarray(drawn(character, writer)).save(path)
        return str(path)

    return write


def run(capsys, *arguments):
    """The exit status, and what a command prints as JSON."""
    status = main([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out or "null")


def error(capsys, *arguments):
    """The one line of an error, after exit status 2."""
    assert main(list(arguments)) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    return line


def test_pictures_are_taught_and_shown(capsys, picture):
    one, other = picture("七", 5, "a.png"), picture("七", 9, "b.png")
    status, told = run(capsys, "teach", one, other, "七")
    assert (status, told["samples"], told["hand"]) == (0, 2, str(hand_file("auto")))
    assert run(capsys, "hand", "show")[1] == {
        "hand": str(hand_file("auto")),
        "names": ["mine"],
        "samples": [{"sample": sample, "label": "七"} for sample in told["taught"]],
    }


def test_recognise_reads_with_the_hand_unless_told_otherwise(capsys, picture):
    path = picture("七")
    before = run(capsys, "recognise", path)[1]["numerals"][0]
    other = before["alternatives"][0]["label"]
    run(capsys, "teach", path, other, "--yes")
    scores = [run(capsys, "recognise", path, "--hand", hand)[1]["numerals"][0] for hand in ("auto", "off")]
    changed, alone = scores
    assert (alone["label"], alone["confidence"], alone["taught"]) == (before["label"], before["confidence"], False)
    assert changed["taught"] == (changed["label"] == other)
    assert changed["confidence"] != alone["confidence"]


def test_what_contradicts_is_asked_about_and_nothing_is_taught(capsys, picture):
    path, fresh = picture("七"), picture("三", 7, "c.png")
    run(capsys, "teach", path, "七")
    line = error(capsys, "teach", fresh, path, "亿")
    assert f"{path}: a picture like this one was taught as 七" in line
    assert "--yes" in line
    assert len(load_hand("auto")) == 1
    taught = run(capsys, "teach", path, "亿", "--yes")[1]
    assert (taught["samples"], len(taught["taught"]), len(taught["forgotten"])) == (1, 1, 1)
    assert [sample.label for sample in load_hand("auto").samples] == ["亿"]


def test_a_label_of_another_model_is_refused_and_that_model_named(capsys, picture):
    assert "7: chinese15 does not know it; --model latin10 does" in error(capsys, "teach", picture("七"), "7")
    assert "Q: chinese15 does not know it; only 零 一 二" in error(capsys, "teach", picture("七"), "Q")
    assert run(capsys, "teach", picture("7"), "7", "--model", "latin10", "--yes")[1]["samples"] == 1


def test_forgetting_and_clearing(capsys, picture):
    sample = run(capsys, "teach", picture("七"), "七")[1]["taught"][0]
    assert f"{hand_file('auto')}: holds no sample x" in error(capsys, "hand", "forget", "x")
    assert run(capsys, "hand", "forget", sample)[1]["samples"] == 0
    run(capsys, "teach", picture("七"), "七")
    hand_file("auto").write_bytes(b"damaged!")
    assert "mine.hand" in error(capsys, "hand", "show")
    assert run(capsys, "hand", "clear")[1]["samples"] == 0
    assert run(capsys, "hand", "show")[1]["samples"] == []
    for change in (("clear",), ("forget", "x")):
        assert "ana.hand: is not there; check the name" in error(capsys, "hand", *change, "--hand", "ana")


def test_what_teaching_cannot_change_is_said(capsys, picture):
    """A 七 that is taught as 一 is unlike any, or still a 七."""
    assert run(capsys, "teach", picture("七"), "一", "--yes")[1]["read"][0]["reason"] != "unsure"
    assert main(["teach", picture("七", 3, "d.png"), "一", "--yes"]) == 0
    assert "more like it do not change that" in capsys.readouterr().out


def test_a_hand_that_is_switched_off_is_not_shown(capsys):
    assert main(["hand", "show", "--hand", "off"]) == 0
    assert capsys.readouterr().out == "no hand is shown: it is switched off\n"


def test_a_damaged_hand_that_nobody_named_keeps_nothing_from_being_read(capsys, picture):
    hand_file("auto").parent.mkdir(parents=True, exist_ok=True)
    hand_file("auto").write_bytes(b"damaged!")
    path = picture("七")
    assert main(["recognise", path, path, "--json", "--hand", "off"]) == 0
    expected = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert main(["recognise", path, path, "--json"]) == 0
    out, err = capsys.readouterr()
    answers = [json.loads(line) for line in out.splitlines()]
    assert [one["numerals"] for one in answers] == [one["numerals"] for one in expected]
    assert err.count("\n") == 1
    assert err.startswith(f"edge-lpdpl: {answers[0]['hand_problem']}; reads without")
    assert err.endswith("begin anew: edge-lpdpl hand clear; reads without it\n")
    for answer in answers:
        jsonschema.validate(answer, {"$defs": message_schema()["$defs"], "$ref": "#/$defs/picture"})
    assert f"{hand_file('mine')}: " in error(capsys, "recognise", path, "--hand", "mine")


def test_an_exported_hand_reads_elsewhere(capsys, picture, tmp_path, monkeypatch):
    run(capsys, "teach", picture("七"), "七", "--hand", "anna")
    file = str(tmp_path / "anna.hand")
    assert run(capsys, "hand", "export", file, "--hand", "anna")[1] == {"file": file, "samples": 1}
    expected = load_hand("anna")
    monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path / "elsewhere"))
    assert load_hand(file) == expected
    assert "is read; name another place" in error(capsys, "hand", "export", file, "--hand", file)
    assert f"{file}: exists, and is not overwritten" in error(capsys, "hand", "export", file)


def test_a_file_that_is_no_hand_is_not_cleared(capsys, tmp_path):
    file = tmp_path / "five.png"
    file.write_bytes(b"a picture")
    assert "it is not cleared" in error(capsys, "hand", "clear", "--hand", str(file))
    assert file.read_bytes() == b"a picture"


def test_a_page_of_one_numeral_is_taught_and_one_of_two_is_refused(capsys, tmp_path):
    page = np.full((300, 400), 230, np.uint8)
    for place, character in ((60, "七"), (240, "五")):
        numeral = np.asarray(Image.fromarray(drawn(character, 1, 90)).filter(ImageFilter.MaxFilter(5)))
        page[100:190, place : place + 90][numeral > numeral.max() / 2] = 40
    Image.fromarray(page).save(tmp_path / "two.png")
    Image.fromarray(page[:, :200]).save(tmp_path / "one.png")
    assert "shows 2 numerals; give a picture of one" in error(capsys, "teach", str(tmp_path / "two.png"), "七")
    assert run(capsys, "teach", str(tmp_path / "one.png"), "七")[1]["samples"] == 1


def test_a_small_picture_of_two_digits_is_not_taught_as_one(capsys, tmp_path):
    Image.fromarray(cut_out_of_845()).save(tmp_path / "number.png")
    line = error(capsys, "teach", str(tmp_path / "number.png"), "4", "--model", "latin10")
    assert "shows 3 numerals; give a picture of one" in line


def test_what_is_still_read_otherwise_is_said(capsys, picture):
    """So far from the pictures of its label that one sample is not enough."""
    read = run(capsys, "teach", picture("五"), "亿", "--yes")[1]["read"]
    assert [one["label"] for one in read] == ["五"]
    main(["teach", picture("五"), "亿", "--yes"])
    assert capsys.readouterr().out.endswith(
        "picture.png: this picture is still read as 五, perhaps in doubt; more like it do not change that\n"
    )


def test_what_is_still_in_doubt_is_said(capsys, tmp_path):
    """A Latin 7 is no 七, though it is read as one then."""
    image = Image.new("L", (200, 200), 225)
    ImageDraw.Draw(image).line([(60, 50), (140, 50), (90, 160)], fill=50, width=12, joint="curve")
    image.save(tmp_path / "seven.png")
    main(["teach", str(tmp_path / "seven.png"), "七", "--yes"])
    assert "seven.png is still in doubt (unlike a 七: " in capsys.readouterr().out


def test_a_sheet_shows_every_sample(capsys, picture, tmp_path):
    for writer in range(13):
        run(capsys, "teach", picture("七", writer), "七")
    run(capsys, "teach", picture("亿"), "亿")
    assert run(capsys, "hand", "show", "--sheet", str(tmp_path / "sheet.png"))[0] == 0
    sheet = np.asarray(Image.open(tmp_path / "sheet.png").convert("L"))
    samples = load_hand("auto").samples
    assert sheet.max() > 150
    assert sheet.shape[0] > 3 * 64, "two rows of 七 and one of 亿"
    assert len(samples) == 14
