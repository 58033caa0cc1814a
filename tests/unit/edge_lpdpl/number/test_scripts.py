"""Several models read a page: each line counts as the one reads it whose characters it looks most like."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageFilter

from edge_lpdpl import Recogniser, read, shipped_model
from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ModelError
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.number.line_reader import SCRIPT, Line, Number, Numeral, best_of
from edge_lpdpl.number.pictures.reader import PictureReader
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.numeral.recogniser import UNSURE, Recognition
from edge_lpdpl.page.boxes import Box, Unread

BOX = Box(0, 0, 10, 10)


@pytest.fixture(scope="module")
def models() -> dict[str, Recogniser]:
    return {name: Recogniser.load(shipped_model(name)) for name in ("latin10", "chinese15", "arabic10")}


@pytest.fixture(scope="module")
def page(models) -> np.ndarray:
    """四二 above 73."""
    frame = np.full((480, 640), 205, np.uint8)
    for name, top, values in (("chinese15", 60, (4, 2)), ("latin10", 280, (7, 3))):
        pictures = {one.label.value: one.path for one in specimens(models[name].model.labels) if one.look == "screen"}
        for place, value in enumerate(values):
            ink = Image.fromarray(read_picture(pictures[value])).resize((140, 140), Image.Resampling.BICUBIC)
            dark = np.minimum(np.asarray(ink.filter(ImageFilter.MaxFilter(5))), 160)
            left = 120 + (100 if name == "latin10" else 160) * place
            frame[top : top + 140, left : left + 140] -= dark
    return frame


@pytest.mark.parametrize("first", ["latin10", "chinese15"])
def test_each_line_is_read_in_its_own_script(models, page, first):
    other = next(name for name in ("latin10", "chinese15") if name != first)
    reading = PageReader(models[first], 480, 640, also=[models[other]]).read(page)
    read_as = [(one.text, one.reason, model.name) for one, model in zip(reading.numbers, reading.models, strict=True)]
    assert read_as == [("四二", None, "chinese15"), ("73", None, "latin10")]
    assert [place for one in reading.numbers for place in one.numerals] == list(range(len(reading.numerals)))


def test_it_reads_as_one_model_does_where_the_other_has_nothing_to_say(models, page):
    alone = PageReader(models["latin10"], 480, 640).read(page)
    beside = PageReader(models["latin10"], 480, 640, also=[models["chinese15"]]).read(page)
    here, there = beside.numbers[1], alone.numbers[-1]
    assert here._replace(numerals=()) == there._replace(numerals=())
    assert [beside.numerals[one].box for one in here.numerals] == [alone.numerals[one].box for one in there.numerals]
    assert not alone.models


def test_each_numeral_has_its_cut_out(models, page):
    reader = PageReader(models["latin10"], 480, 640, also=[models["chinese15"]])
    reading, pictures = reader.read(page), reader.cut_outs()
    recognisers = [models["chinese15"]] * 2 + [models["latin10"]] * 2
    again = [one.recognise(picture, "light").label for one, picture in zip(recognisers, pictures, strict=True)]
    assert again == [one.recognition.label for one in reading.numerals]


def test_constraints_are_those_of_every_model(models, page):
    reader = PageReader(models["latin10"], 480, 640, constraints=Constraints(maximum=50), also=[models["chinese15"]])
    assert [one.rejected for one in reader.read(page).numbers] == [False, True]


def test_the_models_share_the_readings_of_a_frame(models, page):
    reader = PageReader(models["latin10"], 480, 640, also=[models["chinese15"]])
    reader.read(page, share=0.02)
    assert 0 < reader.taken <= 0.03


@pytest.mark.parametrize("script", ["latin10", "chinese15"])
def test_a_picture_of_one_numeral_is_read_by_the_model_of_its_script(models, script):
    reader = PictureReader(models["latin10"], also=[models["chinese15"]])
    values = {"latin10": range(2, 10), "chinese15": range(3, 10)}[script]
    for one in specimens(models[script].model.labels):
        if one.look == "screen" and one.label.value in values:
            (number,), (model,) = (reading := reader.read(read_picture(one.path))).numbers, reading.models
            assert (number.text, model.name) == (one.label.character, script)


class TestWhichReadingCounts:
    def line(self, text: str, novelty: float, reason: str | None = None, left_out: int = 0) -> Line:
        read = Recognition(text, 1, 0.9, False, None, np.zeros(2, np.float32), 0.0, novelty)
        number = Number(text, int(text), 0.9, reason, BOX, (0,))
        return Line([Numeral(BOX, read)], number, [Unread(BOX, "no_numeral")] * left_out)

    def test_the_one_that_looks_most_like_its_characters(self):
        assert best_of([self.line("1", 0.9), self.line("2", 0.2)]).number.text == "2"

    def test_though_it_is_in_doubt(self):
        assert best_of([self.line("1", 0.9), self.line("2", 0.2, UNSURE)]).number.reason == UNSURE

    def test_ink_that_is_left_out_speaks_against_it(self):
        assert best_of([self.line("1", 0.3), self.line("2", 0.2, left_out=1)]).number.text == "1"

    def test_it_is_in_doubt_where_another_looks_as_much_like_its_own(self):
        assert best_of([self.line("1", 0.3), self.line("2", 0.2)]).number.reason == SCRIPT

    def test_unless_both_mean_the_same(self):
        assert best_of([self.line("1", 0.3), self.line("1", 0.2)]).number.reason is None

    def test_a_doubtful_reading_raises_no_doubt(self):
        assert best_of([self.line("1", 0.3, UNSURE), self.line("2", 0.2)]).number.reason is None

    def test_where_no_model_reads_the_ink_is_unread(self):
        nothing = Line([], None, [Unread(BOX, "no_numeral")])
        assert best_of([nothing, Line([], None, [])]) == nothing
        assert best_of([nothing, self.line("1", 3.0)]).number.text == "1"


def test_a_ring_alone_is_in_doubt_between_two_scripts(models):
    """It is the 0 of Latin digits and the 5 of Arabic-Indic ones."""
    ring = np.hypot(*np.mgrid[-32:32, -32:32])
    picture = (220 * ((ring > 16) & (ring < 20))).astype(np.uint8)
    reading = PictureReader(models["latin10"], also=[models["arabic10"]]).read(picture)
    alone = {name: models[name].recognise(picture) for name in ("latin10", "arabic10")}
    assert {one.value for one in alone.values()} == {0, 5}
    assert reading.numbers[0].rejected


def test_a_model_without_distances_cannot_be_compared(models):
    blind = Recogniser(replace(models["latin10"].model, novelty=None, unsure_share=1.0))
    with pytest.raises(ModelError, match=r"^latin10 has no distances, so it cannot be compared with another model"):
        PageReader(blind, 480, 640, also=[models["chinese15"]])
    PageReader(blind, 480, 640)


class TestAsAUser:
    def picture(self, tmp_path, page) -> str:
        Image.fromarray(page).save(tmp_path / "page.png")
        return str(tmp_path / "page.png")

    def test_one_call(self, tmp_path, page):
        reading = read(self.picture(tmp_path, page), "latin10", also=["chinese15"])
        assert [number.value for number in reading.numbers] == [42, 73]

    def test_the_command(self, tmp_path, page, capsys):
        command = ["recognise", self.picture(tmp_path, page), "--model", "latin10", "--also", "chinese15", "--json"]
        assert main(command) == 0
        numbers = json.loads(capsys.readouterr().out)["numbers"]
        assert [(one["text"], one["model"]) for one in numbers] == [("四二", "chinese15"), ("73", "latin10")]

    @pytest.mark.parametrize("beside", [["--fields", "form.toml"], ["--explain", "drawing.png"]])
    def test_what_does_not_go_together(self, tmp_path, page, capsys, beside):
        assert main(["recognise", self.picture(tmp_path, page), "--also", "chinese15", *beside]) == 2
        assert capsys.readouterr().err == (f"edge-lpdpl: --also does not go with {beside[0]}; leave one of them out\n")
