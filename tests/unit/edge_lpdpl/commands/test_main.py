"""The command `edge-lpdpl`: its output for people and programs, and its exit status."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from template_models import ship_templates, template_folder

from edge_lpdpl import __version__
from edge_lpdpl.commands import main as cli
from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ImageError
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import shipped_model, shipped_pictures
from edge_lpdpl.number.pictures.reader import PictureReader

pytestmark = pytest.mark.slow

PICTURES = {path.name: str(path) for path in shipped_pictures()}
FIVE, MYRIAD = PICTURES["chinese_5_paper.png"], PICTURES["chinese_10000_screen.png"]


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.mark.parametrize(
    ("program", "loads"), [("edge_lpdpl.commands.start", "edge_lpdpl"), ("train_host.__main__", "train_host")]
)
def test_ctrl_c_while_a_program_loads_leaves_no_traceback(program, loads):
    code = f"""
import sys
class Finder:
    def find_spec(name, *_):
        if name == "{loads}.commands.main":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder)
from {program} import start
sys.exit(start())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.fixture
def blank(tmp_path: Path) -> str:
    path = tmp_path / "blank.png"
    Image.fromarray(np.full((40, 40), 200, np.uint8)).save(path)
    return str(path)


def json_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_recognise_prints_one_object_a_picture_with_exactly_these_keys(capsys, blank):
    assert main(["recognise", "--json", FIVE, blank, MYRIAD]) == 0
    five, nothing, myriad = json_lines(capsys)
    assert list(five) == ["file", "numbers", "numerals", "unread", "elapsed_us"]
    assert (five["file"], five["unread"]) == (FIVE, [])
    [numeral], [number] = five["numerals"], five["numbers"]
    assert (numeral["label"], numeral["value"], numeral["rejected"], numeral["reason"]) == ("五", 5, False, None)
    assert 0.5 < numeral["confidence"] <= 1
    assert (number["text"], number["numerals"]) == ("五", [0])
    assert all(number[key] == numeral[key] for key in ("value", "confidence", "rejected", "reason", "box"))
    assert 0 < five["elapsed_us"] < 1e6
    assert (myriad["numbers"][0]["text"], myriad["numbers"][0]["value"]) == ("万", 10_000)
    del nothing["elapsed_us"]
    assert nothing == {"file": blank, "numbers": [], "numerals": [], "unread": [], "reason": "no_ink"}


def test_recognise_prints_a_table_for_people(capsys, blank, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # short names: a name that is too long pushes its line to the right
    for name, picture in (("5.png", FIVE), ("10000.png", MYRIAD)):
        (tmp_path / name).write_bytes(Path(picture).read_bytes())
    assert main(["recognise", "5.png", Path(blank).name, "10000.png"]) == 0
    head, five, nothing, myriad = capsys.readouterr().out.splitlines()
    assert head.split() == ["file", "read", "value", "confidence", "box", "x,y,w,h"]
    assert five.split()[:3] == ["5.png", "五", "5"]
    assert nothing.endswith("nothing here: no strokes seen")
    assert myriad.split()[1:3] == ["万", "10,000"]
    assert five.index("%") + 1 == myriad.index("%") + 1 == head.index("confidence") + len("confidence") - 1


@pytest.mark.parametrize(("script", "picture", "label"), [("arabic10", "arabic_7", "٧"), ("latin10", "latin_7", "7")])
def test_other_models_by_name_or_by_file(script, picture, label, capsys):
    file = PICTURES[f"{picture}_paper.png"]
    for model in (script, str(shipped_model(script))):
        assert main(["recognise", "--json", "--model", model, file]) == 0
    assert [line["numbers"][0]["text"] for line in json_lines(capsys)] == [label, label]


def test_the_ink_may_be_named(capsys):
    assert main(["recognise", "--json", "--polarity", "dark", FIVE]) == 0
    assert json_lines(capsys)[0]["numbers"][0]["text"] == "五"


def test_a_bad_picture_is_complained_of_and_the_rest_goes_on(capsys, tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    assert main(["recognise", "--json", FIVE, str(tmp_path / "a.png"), "none.png", MYRIAD]) == 2
    out, err = capsys.readouterr()
    assert [json.loads(line)["numbers"][0]["value"] for line in out.splitlines()] == [5, 10_000]
    first, second = err.splitlines()
    assert first.startswith(f"edge-lpdpl: {tmp_path / 'a.png'}: is no picture")
    assert second == "edge-lpdpl: none.png: cannot be opened (No such file or directory); check the path"


def test_a_picture_that_reading_refuses_is_complained_of_too(capsys, monkeypatch):
    read, refused = PictureReader.read, read_picture(MYRIAD)

    def refuse(reader, grey):
        if np.array_equal(grey, refused):
            raise ImageError("too odd to be read")
        return read(reader, grey)

    monkeypatch.setattr(PictureReader, "read", refuse)
    assert main(["recognise", "--json", MYRIAD, FIVE]) == 2
    out, err = capsys.readouterr()
    assert [json.loads(line)["numbers"][0]["value"] for line in out.splitlines()] == [5]
    assert err == "edge-lpdpl: too odd to be read\n"


def test_no_table_begins_before_there_is_a_line_for_it(capsys, tmp_path):
    assert main(["recognise", str(tmp_path / "none.png")]) == 2
    assert capsys.readouterr().out == ""
    assert main(["recognise", str(tmp_path / "none.png"), FIVE, MYRIAD]) == 2
    head, five, myriad = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in (head, five, myriad)] == ["read", "五", "万"]


def test_a_picture_is_not_drawn_over(capsys, tmp_path):
    card = tmp_path / "card.png"
    card.write_bytes(Path(FIVE).read_bytes())
    assert main(["recognise", str(card), "--explain", str(card)]) == 2
    assert capsys.readouterr() == ("", f"edge-lpdpl: {card}: belongs to {card}, which is read; name another place\n")
    assert card.read_bytes() == Path(FIVE).read_bytes()


def test_explain_draws_the_one_picture(tmp_path, capsys):
    assert main(["recognise", FIVE, "--explain", str(tmp_path / "how.png")]) == 0
    assert Image.open(tmp_path / "how.png").width > 1000
    assert main(["recognise", FIVE, MYRIAD, "--explain", str(tmp_path / "how.png")]) == 2
    assert main(["recognise", FIVE, "--explain", str(tmp_path / "how.jpg")]) == 2
    assert "ends in .png" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["recognise", "--model", "roman12", "a.png"], "roman12: is neither a model file nor a shipped model (arabic"),
        (["recognise", "--model", "", "a.png"], "'': is neither a model file nor a shipped model (arabic"),
        (["bench", "--model", "none.safetensors"], "none.safetensors: cannot be opened"),
        (["model", "show", __file__], f"{__file__}: "),
        (["demo", "--output", __file__], f"{__file__}: cannot be made"),
    ],
)
def test_an_error_is_one_line_and_status_2(arguments, wrong, capsys):
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert len(err.splitlines()) == 1
    assert err.startswith(f"edge-lpdpl: {wrong}")


def test_an_image_size_has_two_bounds(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--image-size", "5"])
    assert "'5' is not a number from 8 to 4096" in capsys.readouterr().err


def test_what_is_no_model_file_is_said_to_be_none(capsys):
    assert main(["model", "show", "/etc/passwd"]) == 2
    assert "/etc/passwd: is of another kind, or cut off: the header is" in capsys.readouterr().err


def test_debug_shows_where_an_error_comes_from(capsys):
    assert main(["--debug", "model", "show", "none.safetensors"]) == 2
    assert main(["model", "show", "none.safetensors", "--debug"]) == 2
    assert main(["recognise", "none.png", "--debug"]) == 2
    err = capsys.readouterr().err
    assert err.count("main.py") >= 3
    assert err.count("\nedge-lpdpl: none.") == 3


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ([], "edge-lpdpl: the following arguments are required: COMMAND; see edge-lpdpl --help"),
        (["recognise"], "edge-lpdpl recognise: the following arguments are required: IMAGE; see edge-lpdpl recognise"),
        (["doctor", "two\nlines"], "edge-lpdpl doctor: unrecognized arguments: two lines; see edge-lpdpl doctor"),
        (["ask", "status", "x"], "edge-lpdpl ask status: unrecognized arguments: x; see edge-lpdpl ask status --help"),
        (["recognise", "a", "--polarity", "red"], "edge-lpdpl recognise: argument --polarity: invalid choice"),
        (["bench", "--rounds", "0"], "edge-lpdpl bench: argument --rounds: '0' is not a number from 1 to 10000"),
        (["bench", "--rounds", f"{'0' * 8}1{'0' * 14}"], "edge-lpdpl bench: argument --rounds: '000000001000"),
        (["bench", "--image-size", "9" * 5000], f"edge-lpdpl bench: argument --image-size: '{'9' * 20}' is not a num"),
        (["bench", "--image-size", "64.0"], "edge-lpdpl bench: argument --image-size: '64.0' is not a number from 8"),
    ],
)
def test_arguments_that_cannot_be_understood(arguments, wrong, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    err = capsys.readouterr().err
    assert err.startswith(wrong)
    assert len(err.splitlines()) == 1


def test_version_and_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"edge-lpdpl {__version__}\n"
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(command in text for command in ("demo", "recognise", "bench", "model", "doctor", "warm"))


def test_json_may_stand_before_the_command(capsys):
    assert main(["--json", "recognise", FIVE]) == 0
    assert json_lines(capsys)[0]["numbers"][0]["value"] == 5
    assert main(["model", "--json", "show", "latin10"]) == 0
    assert json_lines(capsys)[0]["name"] == "latin10"


def test_options_are_not_abbreviated(capsys):
    for arguments in (["--js", "doctor"], ["model", "--js", "show", "latin10"], ["model", "show", "--js", "latin10"]):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
        assert "--js" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["demo", "--output"], ["model", "install", "latin10", "--to"]])
def test_a_folder_that_cannot_be_made_cannot_steer_the_terminal(command, capsys, tmp_path):
    (tmp_path / "file").touch()
    assert main([*command, str(tmp_path / "file" / "\x1b[2J")]) == 2
    err = capsys.readouterr().err
    assert "\\x1b[2J': cannot be " in err
    assert err.rstrip("\n").isprintable()


def test_memory_that_runs_out_is_one_line(capsys, monkeypatch):
    def exhaust(_):
        raise MemoryError

    monkeypatch.setattr(cli, "warm", exhaust)
    assert main(["warm"]) == 3
    assert capsys.readouterr().err == "edge-lpdpl: not enough memory\n"


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141)])
def test_being_stopped_is_quiet(error, status, capsys, monkeypatch):
    def stop(_):
        raise error

    monkeypatch.setattr(cli, "warm", stop)
    assert main(["warm"]) == status
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["recognise", FIVE], ["model", "show", "chinese15", "--json"]], ids=" ".join)
def test_a_disk_that_is_full_is_not_the_inputs_fault(arguments, unbuffered, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    done = run_without(">/dev/full", arguments)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 3
    assert line.startswith("edge-lpdpl: standard output: cannot be written (No space left on device); check")


def test_a_reader_that_leaves_early_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(template_folder()), *["recognise", "--json", FIVE] + [MYRIAD] * 2000],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 141


@pytest.mark.parametrize(
    "arguments", [["recognise", FIVE], ["recognise", "--json", FIVE], ["model", "show", "latin10"]], ids=" ".join
)
def test_a_standard_output_that_is_closed_is_no_error(arguments):
    done = run_without(">&-", arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_errors_stay_out_of_the_json_where_standard_error_is_closed():
    done = run_without("2>&-", ["recognise", "--json", "none.png", FIVE])
    assert done.returncode == 2
    assert [json.loads(line)["numbers"][0]["value"] for line in done.stdout.splitlines()] == [5]


def run_without(stream: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command with one of its streams closed or broken."""
    command = ["sh", "-c", f'exec "$@" {stream}', "sh", sys.executable, "-c", RUN, str(template_folder()), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


RUN = (
    "import sys; from pathlib import Path; from edge_lpdpl.commands import main as cli;"
    "from edge_lpdpl.library import shipped;"
    "shipped._FOLDER = Path(sys.argv[1]); sys.exit(cli.main(sys.argv[2:]))"
)


def test_a_console_without_chinese(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["recognise", FIVE]) == 0
    assert main(["recognise", FIVE, "--json"]) == 0
    *_, table, line = out.buffer.getvalue().splitlines()
    assert b"\\u4e94" in table
    assert json.loads(line)["numbers"][0]["text"] == "五"


def test_a_file_name_that_is_no_text(capsys, tmp_path):
    path = str(tmp_path / "f\udcff.png")
    Image.open(FIVE).save(path, "PNG")
    assert main(["recognise", "--json", path]) == 0
    assert json_lines(capsys)[0]["file"] == path
    assert main(["recognise", path]) == 0
    assert "\\udcff" in capsys.readouterr().out


def test_nothing_heavy_is_imported_before_a_command_needs_it():
    heavy = "numba PIL scipy sklearn matplotlib safetensors train_host"
    code = f"import sys, edge_lpdpl.commands.main; print([name for name in '{heavy}'.split() if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
