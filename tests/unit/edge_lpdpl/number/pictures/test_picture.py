"""A picture is read in one call: from a file, an image of Pillow, or an array, and with any model."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cards import cut_out, cut_out_of_845, sheet
from PIL import Image, ImageDraw, ImageFilter
from project import PROJECT

import edge_lpdpl
from edge_lpdpl.errors import ConfigError, HandError, ImageError, ModelError
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import shipped_pictures
from edge_lpdpl.model.labels import LATIN
from edge_lpdpl.number.line_reader import least_confidence
from edge_lpdpl.number.weights import line_model
from edge_lpdpl.numeral.hand import Hand, Sample, write_hand

SHIPPED = {path.stem: path for path in shipped_pictures()}


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    """A sheet of paper with 42 on it."""
    return written("42")


def written(digits: str) -> np.ndarray:
    """A sheet of paper with two digits on it."""
    sheet = np.full((240, 320), 210, np.uint8)
    for place, digit in enumerate(digits):
        ink = read_picture(SHIPPED[f"latin_{digit}_screen"])
        height, width = ink.shape
        sheet[80 : 80 + height, 90 + 45 * place : 90 + 45 * place + width] -= np.minimum(ink, 160)
    return sheet


def said(reading: edge_lpdpl.Reading) -> list[tuple[str, int | None, bool]]:
    return [(number.text, number.value, number.rejected) for number in reading.numbers]


def test_files_images_and_arrays_are_read_alike(page, tmp_path):
    file = tmp_path / "page.png"
    Image.fromarray(page).save(file)
    given = [page, Image.fromarray(page), Image.fromarray(page).convert("RGB"), file, str(file)]
    readings = [edge_lpdpl.read(one, model="latin10") for one in given]
    assert said(readings[0]) == [("42", 42, False)]
    for reading in readings:
        assert said(reading) == said(readings[0])
        assert [one.box for one in reading.numerals] == [one.box for one in readings[0].numerals]
    assert [one.recognition.value for one in readings[0].numerals] == [4, 2]
    assert readings[0].unread == []


def test_an_image_is_turned_upright_and_stays_as_it_is(page):
    image = Image.fromarray(np.rot90(page))
    image.getexif()[0x0112] = 6  # upright after a quarter turn
    assert said(edge_lpdpl.read(image)) == [("42", 42, False)]
    assert (image.size, image.getexif()[0x0112]) == ((240, 320), 6)


def test_a_small_picture_is_one_numeral_and_the_model_may_be_a_file():
    assert said(edge_lpdpl.read(SHIPPED["latin_5_screen"])) == [("5", 5, False)]
    chinese = edge_lpdpl.shipped_model("chinese15")
    for model in ("chinese15", chinese, str(chinese)):
        assert said(edge_lpdpl.read(SHIPPED["chinese_5_screen"], model)) == [("五", 5, False)]


@pytest.fixture(scope="module")
def crop() -> np.ndarray:
    """A sheet of paper with 845 on it, no side above 160 pixels."""
    return cut_out_of_845()


@pytest.mark.parametrize(("cut", "reason"), [(0, None), (10, "ink_unread")])
def test_a_digit_that_the_border_cuts_is_a_doubt_beside_that_of_a_small_picture(cut, reason):
    page = sheet((90, 200), 60, {(12, 15): "2", (72, 15): "8"})
    (number,) = edge_lpdpl.read(page[:, : 72 + cut]).numbers
    assert (number.text, number.reason) == ("2", reason)


STROKES = {
    "2": [(0.1, 0.2), (0.3, 0.03), (0.7, 0.03), (0.9, 0.2), (0.85, 0.4), (0.1, 0.97), (0.95, 0.97)],
    "3": [(0.1, 0.1), (0.7, 0.03), (0.85, 0.2), (0.4, 0.48), (0.8, 0.58), (0.92, 0.75), (0.75, 0.95), (0.08, 0.85)],
}
"""Where a pen goes, from the left and from the top of a digit."""


@pytest.mark.parametrize("number", ["22", "23", "32", "33"])
def test_two_digits_of_a_small_picture_are_a_number(number):
    """Together they are hardly wider than high; read as one numeral 22 and 23 look like a 0."""
    paper = Image.new("L", (120, 100), 225)
    for place, digit in enumerate(number):
        path = [(20 + 44 * place + 34 * x, 20 + 60 * y) for x, y in STROKES[digit]]
        ImageDraw.Draw(paper).line(path, 30, 5, "curve")
    picture = np.asarray(paper.filter(ImageFilter.GaussianBlur(0.7)))
    rows, columns = np.nonzero(picture < 150)
    assert 1 < np.ptp(columns) / np.ptp(rows) < 1.35
    assert said(edge_lpdpl.read(picture)) == [(number, int(number), False)]


def test_a_small_cut_out_around_a_number_is_read_as_a_page(crop):
    reader = edge_lpdpl.PictureReader(edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10")))
    reading = reader.read(crop)
    assert said(reading) == [("845", 845, False)]
    assert [one.recognition.label for one in reading.numerals] == ["8", "4", "5"]
    assert (reader.as_page, len(reader.cut_outs())) == (True, 3)
    dark = crop < 150
    box, (rows, columns) = reading.numbers[0].box, (np.flatnonzero(dark.any(axis=side)) for side in (1, 0))
    ink = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    assert (box.x, box.y, box.right, box.bottom) == pytest.approx(ink, abs=3)


def test_a_small_cut_out_around_a_long_number_is_no_bar():
    row = cut_out([f"chinese_{digit}_screen" for digit in (4, 8, 3, 6, 7)], (32, 32), 28, 46)
    recogniser = edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("chinese15"))
    assert said(edge_lpdpl.PictureReader(recogniser).read(row)) == [("四八三六七", 48367, False)]
    assert edge_lpdpl.PictureReader(recogniser, single=True).read(row).numbers[0].text == "一"


@pytest.mark.parametrize("name", ["chinese_1_screen", "chinese_1_paper", "chinese_2_paper", "latin_5_paper"])
def test_a_small_picture_of_a_wide_numeral_is_one(name):
    model = "latin10" if name.startswith("latin") else "chinese15"
    reader = edge_lpdpl.PictureReader(edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model(model)))
    reading = reader.read(read_picture(SHIPPED[name]))
    assert [(number.value, number.rejected) for number in reading.numbers] == [(int(name.split("_")[1]), False)]


def test_a_small_picture_of_high_ink_may_show_a_number_with_a_sign():
    """A 1 or a minus makes the ink hardly wider than that of a numeral."""
    reader = edge_lpdpl.PictureReader(edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10")))
    for number, stroke in (("16", np.s_[40:110, 44:52]), ("-6", np.s_[70:78, 20:50])):
        picture = sheet((140, 140), 70, {(66, 40): "6"})
        picture[stroke] = 50
        assert [one[:2] for one in said(reader.read(picture))] == [(number, int(number))]
        assert reader.as_page


def test_other_ink_in_a_small_picture_is_a_doubt():
    reader = edge_lpdpl.PictureReader(edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10")))
    above = sheet((150, 150), 50, {(60, 15): "2", (62, 85): "3"})
    behind = sheet((140, 140), 70, {(40, 40): "6"})
    behind[72:80, 96:120] = 50
    for picture in (above, behind):
        assert all(number.rejected for number in reader.read(picture).numbers)


def test_a_small_picture_is_no_page_if_it_is_one_numeral_or_single(crop):
    recogniser = edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10"))
    single, reader = edge_lpdpl.PictureReader(recogniser, single=True), edge_lpdpl.PictureReader(recogniser)
    assert [len(number.numerals) for number in single.read(crop).numbers] == [1]
    reader.read(crop)
    assert said(reader.read(read_picture(SHIPPED["latin_5_screen"]))) == [("5", 5, False)]
    assert (reader.as_page, reader.cut_outs()) == (False, [])
    assert said(reader.read(np.full((60, 90), 210, np.uint8))) == []


@pytest.mark.parametrize("is_shared", ["reader", "recogniser"])
def test_threads_wait_for_each_other(is_shared):
    """The kernels let other threads run, and write into buffers of their reader and recogniser."""
    recogniser = edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10"))
    local, shared = threading.local(), edge_lpdpl.PictureReader(recogniser)

    def read(picture: np.ndarray) -> list[str]:
        if not hasattr(local, "reader"):
            local.reader = shared if is_shared == "reader" else edge_lpdpl.PictureReader(recogniser)
        return [number.text for number in local.reader.read(picture).numbers]

    texts = [f"{number:03}" for number in range(120)]
    pages = [sheet((120, 240), 60, dict(zip([(30, 20), (80, 20), (130, 20)], text, strict=True))) for text in texts]
    alone = list(map(read, pages))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, pages)) == alone


def test_what_was_taught_is_worn_if_asked_for(tmp_path):
    grey = read_picture(SHIPPED["latin_1_screen"])
    recogniser = edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10"))
    recogniser.recognise(grey)
    write_hand(tmp_path / "my.hand", Hand().with_sample(Sample("7", recogniser.square())))
    hands = {}, {"hand": None}, {"hand": str(tmp_path / "my.hand")}
    assert [said(edge_lpdpl.read(grey, **one))[0][0] for one in hands] == ["1", "1", "7"]
    with pytest.raises(HandError, match="is not there"):
        edge_lpdpl.read(grey, hand="nobody")


def test_what_is_known_about_the_numbers_counts(page):
    known = edge_lpdpl.Constraints(length=2, maximum=45), edge_lpdpl.Constraints(length=3)
    found = [edge_lpdpl.read(page, constraints=one).numbers[0] for one in known]
    assert [(number.text, number.reason) for number in found] == [("42", None), ("42", "constraint")]


def test_of_fewer_wrong_ones_more_are_in_doubt():
    least, page = {one: least_confidence(line_model(LATIN), one) for one in (1, 6, 50)}, written("41")
    found = {one: edge_lpdpl.read(page, wrong_per_thousand=one).numbers[0] for one in least}
    assert least[6] < found[6].confidence < least[1]
    assert {one: (number.text, number.reason) for one, number in found.items()} == {
        1: ("41", "unsure"),
        6: ("41", None),
        50: ("41", None),
    }
    with pytest.raises(ConfigError, match="wrong_per_thousand is 0"):
        edge_lpdpl.read(page, wrong_per_thousand=0)


def test_what_cannot_be_read_is_told(tmp_path):
    for picture, wrong in [
        ([[0, 1], [2, 3]], r"a picture is a \(height, width\) array of uint8, not list"),
        (np.zeros((480, 640, 3), np.uint8), r"array of uint8, not uint8 \(480, 640, 3\)"),
        (np.zeros((480, 640)), r"array of uint8, not float64"),
        (Image.new("L", (640, 5)), "a side of a picture has 8 to 4096 pixels, not 640x5"),
        (Image.new("F", (64, 64)), "holds fractions, .*; convert it to 8 bits"),
        (tmp_path / "none.png", "none.png: cannot be opened"),
    ]:
        with pytest.raises(ImageError, match=wrong):
            edge_lpdpl.read(picture)
    with pytest.raises(ModelError, match="roman12: is neither a model file nor a shipped model"):
        edge_lpdpl.read(SHIPPED["latin_5_screen"], "roman12")


def test_an_image_whose_file_is_damaged_is_told(page, tmp_path):
    Image.fromarray(page).save(tmp_path / "page.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "page.png").read_bytes()[:300])
    with Image.open(tmp_path / "cut.png") as image, pytest.raises(ImageError, match="the image is damaged"):
        edge_lpdpl.read(image)
    with Image.open(tmp_path / "page.png") as image:
        pass
    with pytest.raises(ImageError, match="the image has lost its file"):
        edge_lpdpl.read(image)


@pytest.mark.parametrize("strictness", [0, -1, 1001])
def test_no_other_strictness_is_taken_for_one_that_exists(page, strictness):
    recogniser = edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("latin10"))
    with pytest.raises(ConfigError, match=f"wrong_per_thousand is {strictness}, not 1 to 1000"):
        edge_lpdpl.PictureReader(recogniser, wrong_per_thousand=strictness).read(page)


def test_the_lines_in_the_readme_run(page, tmp_path, monkeypatch, capsys):
    (code,) = re.findall("```python\n(.*?)```", (PROJECT / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(list(filter(None, code.splitlines()))) == 3
    Image.fromarray(page).save(tmp_path / "page.jpg", quality=95)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    text, value, *_ = capsys.readouterr().out.split()
    assert (text, value) == ("42", "42")
