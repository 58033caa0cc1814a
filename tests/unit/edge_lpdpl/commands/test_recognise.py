"""`edge-lpdpl recognise`: folders, standard input, tables for spreadsheets, and pictures of any size."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cards import cut_out_of_845
from PIL import Image
from programs import COMMAND
from project import PROJECT
from template_models import ship_templates

from edge_lpdpl import read
from edge_lpdpl.commands.main import main
from edge_lpdpl.library.shipped import shipped_pictures
from edge_lpdpl.number.weights import USUAL_STRICTNESS

pytestmark = pytest.mark.slow

PICTURES = {path.name: path for path in shipped_pictures()}
FIVE, NINE = PICTURES["chinese_5_paper.png"], PICTURES["chinese_9_paper.png"]
RECOGNISE = [*COMMAND, "recognise"]


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "cards").mkdir()
    for name, picture in (("b.png", NINE), ("a.PNG", FIVE)):
        (tmp_path / "cards" / name).write_bytes(picture.read_bytes())
    (tmp_path / "cards" / "notes.txt").write_text("no picture")
    return tmp_path / "cards"


@pytest.fixture
def blank(tmp_path):
    Image.fromarray(np.full((40, 40), 200, np.uint8)).save(tmp_path / "=blank,.png")
    return tmp_path / "=blank,.png"


def texts(out):
    return [[one["text"] for one in json.loads(line)["numbers"]] for line in out.splitlines()]


def test_the_pictures_of_a_folder_in_the_order_of_their_names(folder, capsys):
    assert main(["recognise", "--json", str(folder), str(FIVE)]) == 0
    out, err = capsys.readouterr()
    assert f"edge-lpdpl: {folder}: left out 1 .txt; pictures end in .png, .jpg" in err
    assert [json.loads(line)["file"] for line in out.splitlines()] == [
        *map(str, sorted(folder.glob("*.[pP]*"))),
        str(FIVE),
    ]
    assert texts(out) == [["五"], ["九"], ["五"]]


def test_a_folder_without_pictures_is_named(tmp_path, capsys):
    assert main(["recognise", str(tmp_path)]) == 2
    assert f"edge-lpdpl: {tmp_path}: holds no pictures (.png, " in capsys.readouterr().err


def test_a_folder_without_pictures_does_not_keep_the_others_from_it(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["recognise", "--json", str(tmp_path / "empty"), str(FIVE)]) == 2
    out, err = capsys.readouterr()
    assert texts(out) == [["五"]]
    assert "/empty: holds no pictures" in err
    assert len(err.splitlines()) == 1


def test_a_small_picture_of_a_number_is_drawn_as_a_page(tmp_path, capsys):
    Image.fromarray(cut_out_of_845()).save(tmp_path / "crop.png")
    model = PROJECT / "edge_lpdpl" / "library" / "shipped_models" / "latin10.safetensors"
    asked = ["recognise", "--json", "--model", str(model), str(tmp_path / "crop.png")]
    assert main([*asked, "--explain", str(tmp_path / "how.png")]) == 0
    assert texts(capsys.readouterr().out) == [["845"]]
    assert Image.open(tmp_path / "how.png").width == 640


@pytest.mark.parametrize(("model", "told"), [("chinese15", True), ("latin10", False)])
def test_where_nothing_is_like_a_character_of_the_model_others_are_named(model, told, capsys):
    file = PROJECT / "edge_lpdpl" / "library" / "shipped_models" / f"{model}.safetensors"
    assert main(["recognise", "--model", str(file), str(PICTURES["latin_2_paper.png"])]) == 0
    assert (
        "nothing is like a character of chinese15; for other characters: --model" in capsys.readouterr().err
    ) == told


def test_columns_are_pointed_out_where_rows_were_read(tmp_path, capsys):
    sheet = np.full((480, 640), 210, np.uint8)
    pictures = {path.stem: path for path in shipped_pictures()}
    for row, name in ((100, "chinese_4_screen"), (170, "chinese_100_screen")):
        ink = np.asarray(Image.open(pictures[name]).convert("L").resize((60, 60)))
        sheet[row : row + 60, 300:360] -= np.minimum(ink, 160)
    Image.fromarray(sheet).save(tmp_path / "card.png")
    path = str(tmp_path / "card.png")
    assert main(["recognise", path]) == 0
    assert "characters stand below each other; --columns reads them" in capsys.readouterr().err
    assert main(["recognise", path, "--columns"]) == 0
    said = capsys.readouterr()
    assert "四百" in said.out
    assert said.err == ""


def test_a_name_that_the_system_refuses_is_one_line_and_the_others_are_read(capsys):
    assert main(["recognise", "--json", "x" * 300, str(FIVE)]) == 2
    out, err = capsys.readouterr()
    assert texts(out) == [["五"]]
    assert "cannot be opened" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(("ending", "more"), [("gif", True), ("png", True), ("webp", True), ("jpg", False)])
def test_a_file_of_several_pictures_is_told_of(tmp_path, capsys, ending, more):
    """The further pictures in a JPEG are for other programs."""
    frames = [Image.new("L", (64, 64), 255) for _ in range(3)]
    for place, frame in enumerate(frames):
        frame.paste(0, (20, 20 + 5 * place, 44, 24 + 5 * place))
    path = tmp_path / f"several.{ending}"
    kind = {"jpg": "MPO"}.get(ending, ending.upper())
    frames[0].save(path, format=kind, save_all=True, append_images=frames[1:])
    assert main(["recognise", str(path)]) == 0
    told = f"edge-lpdpl: {path}: holds several pictures, as an animation does; the first one is read\n"
    assert capsys.readouterr().err == (told if more else "")
    frames[0].save(path, format=kind)
    assert main(["recognise", str(path)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("hand", ["typo.hand", "typo"])
def test_a_hand_that_is_not_there_is_no_empty_one(hand, capsys):
    assert main(["recognise", "--hand", hand, str(FIVE)]) == 2
    assert f"{hand.removesuffix('.hand')}.hand: is not there; check the name" in capsys.readouterr().err


def test_help_names_the_usual_strictness(capsys):
    with pytest.raises(SystemExit):
        main(["recognise", "--help"])
    assert f"that may be wrong, {USUAL_STRICTNESS} where left out" in " ".join(capsys.readouterr().out.split())


def test_no_decimals_are_a_constraint(capsys):
    assert (
        main(["recognise", "--json", "--decimals", "0", "--model", "latin10", str(PICTURES["latin_5_paper.png"])]) == 0
    )
    with pytest.raises(SystemExit):
        main(["recognise", "--decimals", "16", str(FIVE)])
    assert "'16' is not a number from 0 to 15" in capsys.readouterr().err


def test_one_picture_only_is_drawn(folder, tmp_path, capsys):
    assert main(["recognise", str(folder), "--explain", str(tmp_path / "how.png")]) == 2
    assert "--explain draws one picture" in capsys.readouterr().err


def test_a_drawing_that_is_no_png_is_refused_before_anything_is_read(tmp_path, capsys):
    assert main(["recognise", str(FIVE), "--explain", str(tmp_path / "how.jpg")]) == 2
    told = capsys.readouterr()
    assert (told.out, list(tmp_path.iterdir())) == ("", [])
    assert "how.jpg: is written as PNG; give it a name that ends in .png" in told.err


def from_pipe(data, *arguments):
    return subprocess.run([*RECOGNISE, *arguments], input=data, capture_output=True, timeout=120, check=False)


def test_a_picture_from_standard_input():
    done = from_pipe(FIVE.read_bytes(), "--json", "-", str(NINE))
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["file"] for line in done.stdout.splitlines()] == ["-", str(NINE)]
    assert texts(done.stdout) == [["五"], ["九"]]


@pytest.mark.parametrize(
    ("data", "arguments", "fault"),
    [
        (b"", ["-"], "standard input: is empty; send one picture"),
        (b"no picture", ["-"], "standard input: is no picture of a kind that is read here"),
        (bytes((64 << 20) + 1), ["-"], "standard input: is larger than 64 MiB"),
        (b"", ["-", "-"], "standard input holds one picture; give one -"),
    ],
)
def test_standard_input_without_a_picture(data, arguments, fault):
    done = from_pipe(data, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"edge-lpdpl: {fault}")


def test_rows_for_a_spreadsheet(blank, capsys):
    assert main(["recognise", "--csv", str(FIVE), str(blank), str(NINE)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["file"], row["text"], row["value"]) for row in rows] == [
        (str(FIVE), "五", "5"), (str(blank), "", ""), (str(NINE), "九", "9")
    ]  # fmt: skip
    assert [row["rejected"] for row in rows] == ["false", "", "false"]
    assert [row["reason"] for row in rows] == ["", "no_ink", ""]
    (number,) = read(FIVE, "chinese15").numbers
    assert [int(rows[0][key]) for key in ("x", "y", "width", "height")] == list(number.box)
    assert float(rows[0]["confidence"]) == pytest.approx(number.confidence, abs=1e-6)


def test_csv_and_json_are_two_formats(capsys):
    assert main(["recognise", "--csv", "--json", str(FIVE)]) == 2
    assert capsys.readouterr().err == "edge-lpdpl: --csv and --json are two formats; give one\n"


def page(width):
    """A sheet with a 五 in it, in this size; and the left, top, right and bottom of the numeral's picture."""
    sheet, numeral = Image.new("L", (640, 480), 225), Image.open(FIVE).convert("L")
    sheet.paste(numeral, (200, 100))
    box = [width * side // 640 for side in (200, 100, 200 + numeral.width, 100 + numeral.height)]
    return sheet.resize((width, width * 3 // 4), Image.Resampling.BICUBIC), box


@pytest.mark.parametrize("name", ["card.jpg", "card.png"])
def test_a_large_photograph_is_scaled_and_its_boxes_are_its_own(name, tmp_path, capsys):
    sheet, (left, top, right, bottom) = page(6000)
    sheet.save(tmp_path / name)
    assert main(["recognise", "--json", str(tmp_path / name)]) == 0
    (number,) = json.loads(capsys.readouterr().out)["numbers"]
    assert number["text"] == "五"
    x, y, width, height = number["box"]
    assert left < x < x + width < right
    assert top < y < y + height < bottom
    assert width > (right - left) / 2
    assert list(read(tmp_path / name, "chinese15").numbers[0].box) == number["box"]


@pytest.mark.parametrize("size", [640, 4800])
def test_a_picture_of_a_telephone_as_it_is(size, tmp_path, capsys):
    from pillow_heif import register_heif_opener

    register_heif_opener()
    fast = {"preset": "ultrafast"}  # of x265, which else takes half a minute for the large one
    page(size)[0].convert("RGB").save(tmp_path / "card.heic", quality=80, enc_params=fast)
    assert main(["recognise", "--json", str(tmp_path / "card.heic")]) == 0
    assert texts(capsys.readouterr().out) == [["五"]]


def test_a_telephone_picture_without_the_extra(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    (tmp_path / "card.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(100))
    assert main(["recognise", str(tmp_path / "card.heic")]) == 2
    err = capsys.readouterr().err
    assert f"{tmp_path / 'card.heic'}: is HEIC, which needs pillow-heif" in err
    assert "pip install -e '.[heic]' in the project's folder, or give it as JPEG" in err


@pytest.mark.parametrize("rest", [b"", bytes(100), b"\0\0\0\x10mif1heic" + bytes(5000)])
def test_a_damaged_heic_is_one_line(rest, tmp_path, capsys):
    (tmp_path / "card.heic").write_bytes(b"\0\0\0\x18ftypheic" + rest)
    assert main(["recognise", str(tmp_path / "card.heic")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"edge-lpdpl: {tmp_path / 'card.heic'}: is ")


def test_a_file_named_like_an_option_of_standard_input_is_a_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("-").write_bytes(FIVE.read_bytes())
    assert main(["recognise", "--json", "./-"]) == 0
    assert texts(capsys.readouterr().out) == [["五"]]
