"""Forms on the command line: printed, photographed, read, and refused with one line."""

import json

import jsonschema
import numpy as np
import pypdfium2
import pytest
from form_pictures import SCALE, View, photograph, print_area
from messages import message_schema
from PIL import Image

from edge_lpdpl.commands.main import main
from edge_lpdpl.form.sheet import Area

FIELDS = """
[model]
file = "chinese15"

[[field]]
name = "一"
region = [30, 60, 20, 14]

[[field]]
name = "empty"
region = [120, 60, 36, 12]
boxes = 3
"""


STILL = "[form]\nalign = 'none'\n" + FIELDS.replace(", 14]", ", 20]").replace(", 12]", ", 20]")


@pytest.fixture
def fields(tmp_path):
    path = tmp_path / "fields.toml"
    path.write_text(FIELDS)
    return path


@pytest.fixture
def photographed(fields, tmp_path):
    """A photograph of the printed form, with a stroke in its first field."""
    assert main(["form", str(fields), "-o", str(tmp_path / "form.pdf")]) == 0
    page = pypdfium2.PdfDocument((tmp_path / "form.pdf").read_bytes())[0]
    sheet = np.squeeze(page.render(scale=SCALE * 25.4 / 72, grayscale=True).to_numpy()) / 255 * 0.9
    print_area(sheet, Area(35, 66.5, 10, 0.9), 0.15)
    path = tmp_path / "sheet.png"
    Image.fromarray(photograph(sheet, View(turned=10, pitch=10))[0]).save(path)
    return path


def test_a_printed_form_is_read(fields, photographed, capsys):
    capsys.readouterr()
    assert main(["recognise", "--json", "--fields", str(fields), str(photographed)]) == 0
    answer = json.loads(capsys.readouterr().out)
    schema = message_schema() | {"$ref": "#/$defs/picture", "required": [], "properties": {}}
    jsonschema.validate(answer, schema)
    assert answer["fields"]["empty"] is None
    assert answer["fields"]["一"] == answer["numbers"][0]
    assert (answer["numbers"][0]["text"], answer["numbers"][0]["model"]) == ("一", "chinese15")
    assert main(["recognise", "--fields", str(fields), str(photographed)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1].split()[1] == told[1].split()[-1] == "一"
    assert told[2].endswith("empty: nothing read")


def test_a_picture_without_the_marks_says_so(fields, tmp_path, capsys):
    path = tmp_path / "blank.png"
    Image.fromarray(np.full((480, 640), 200, np.uint8)).save(path)
    assert main(["recognise", "--fields", str(fields), str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("the four marks of the form are not found")


def test_json_says_what_was_printed(fields, tmp_path, capsys):
    output = str(tmp_path / "form.pdf")
    assert main(["form", "--json", str(fields), "-o", output]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": output, "paper": "A4", "fields": 2}


@pytest.mark.parametrize(
    ("text", "output", "fault"),
    [
        ("", "form.pdf", "{file}: holds no [[field]]; see docs/forms.md"),
        (FIELDS, "form.png", "{output}: name a file that ends in .pdf"),
        (FIELDS.replace("一", "ع"), "form.pdf", "{file}: 'ع' holds 'ع', which the fonts of a form do not have"),
        (FIELDS.replace("[120,", "[45,"), "form.pdf", "{file}: [[field]] 2: region is less than 2.5 mm away from"),
        (
            FIELDS.replace("boxes = 3", 'boxes = 2\nlength = 4\nmodel = "latin10"'),
            "form.pdf",
            "{file}: field 2: boxes is 2",
        ),
        (STILL, "form.pdf", '{file}: form.align is "none"'),
    ],
)
def test_what_cannot_be_printed_is_one_line(text, output, fault, fields, tmp_path, capsys):
    fields.write_text(text)
    assert main(["form", str(fields), "-o", str(tmp_path / output)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("edge-lpdpl: " + fault.format(file=fields, output=tmp_path / output))
    assert not (tmp_path / output).exists()


@pytest.mark.parametrize(
    ("text", "options", "fault"),
    [
        (FIELDS, ["--length", "3"], "--length is not for a form; set it in {file}"),
        (FIELDS, ["--decimals", "0"], "--decimals is not for a form; set it in {file}"),
        (FIELDS, ["--single"], "--single is not for a form, which is a page; leave it out"),
        (STILL, [], "{file}: field 2: region is not inside of the 100x80 frame"),
        (FIELDS + 'model = "roman12"\n', [], "{file}: [[field]] 2: model roman12: is neither a model file"),
    ],
)
def test_what_cannot_be_read_is_one_line(text, options, fault, fields, tmp_path, capsys):
    fields.write_text(text)
    path = tmp_path / "small.png"
    Image.fromarray(np.full((80, 100), 200, np.uint8)).save(path)
    assert main(["recognise", "--fields", str(fields), *options, str(path)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("edge-lpdpl: " + fault.format(file=fields))
