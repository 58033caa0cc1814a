"""`lpdpl-train`: its output for people and programs, and its exit status."""

import json
import os
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge_lpdpl import __version__
from edge_lpdpl.library.trust import check_trust, read_candidate
from edge_lpdpl.model.files import read_model
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.commands.main import main
from train_host.recipe import BEND, EDGE_RECIPE, WIDE, Jitter
from train_host.shipping import fit
from train_host.synthetic.pictures import draw_numeral

pytestmark = pytest.mark.slow

DIGITS = "synthetic:writers=5,samples=2,script=latin,size=48"
QUICK = ["--plain", "--no-copies", "--atoms", "3", "--dimensions", "16", "--jobs", "1"]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "My_Digits.safetensors"
    assert main(["fit", DIGITS, "-o", str(path), *QUICK, "--quiet"]) == 0
    return path


@pytest.fixture
def run(capsys):
    """Run one command. Returns its status and both streams."""

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def complaint(run):
    """The error of a command that fails: one line with the program's name, and status 2."""

    def complaint(*arguments: object) -> str:
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        (line,) = err.splitlines()
        program, _, message = line.partition(": ")
        assert program == "lpdpl-train"
        return message

    return complaint


class TestFit:
    def test_centre_decides_what_the_square_is_laid_around(self, run, tmp_path):
        assert run("fit", DIGITS, "-o", tmp_path / "box", *QUICK, "--centre", "box", "--quiet")[0] == 0
        assert not read_model(tmp_path / "box").preprocessing.by_moments

    def test_writes_a_model_named_after_its_file(self, model):
        assert read_model(model).name == "my-digits"
        Recogniser.load(model).self_test()

    def test_trains_on_what_some_writers_wrote(self, run, tmp_path):
        arguments = ["-o", tmp_path / "some", "--writers", "1-2,5", *QUICK, "--quiet", "--json"]
        assert json.loads(run("fit", DIGITS, *arguments)[1])["images"] == 3 * 2 * 10

    def test_tells_people_what_it_found(self, run, tmp_path):
        path = tmp_path / "it.safetensors"
        status, out, err = run("fit", DIGITS, "-o", path, *QUICK)
        assert (status, err) == (0, "")
        lines = out.splitlines()
        assert lines[0].startswith(f"{path}: {path.stat().st_size:,} bytes, sha256:")
        topics = ["trained on", "classes", "held-out", "calibration", "rejection", "non-numerals", "folded form"]
        assert [line[:18].strip() for line in lines[1:]] == [*topics, "took"]
        assert "100 pictures of synthetic, seed 0" in lines[1]
        assert "on 100.00% (float64), 100.00% (device)" in lines[7]

    def test_takes_the_settings_that_tune_finds(self, run, tmp_path):
        status, out, _ = run("tune", DIGITS, "--try", "lambda1=1e-3", "--folder", tmp_path / "cells", *QUICK)
        assert (status, out.splitlines()[-1]) == (0, "train with it: lpdpl-train fit ... --set lambda1=0.001")
        path = tmp_path / "it.safetensors"
        assert run("fit", DIGITS, "-o", path, *QUICK, "--set", "lambda1=0.001", "--set", "gamma=2", "--json")[0] == 0
        penalties = read_model(path).training["settings"]["penalties"]
        assert (penalties["lambda1"], penalties["gamma"]) == (0.001, 2)

    def test_tells_programs_in_one_object(self, run, tmp_path):
        path = tmp_path / "it.safetensors"
        arguments = [*QUICK, "--seed", "4", "--name", "Ten Digits", "--with-dictionaries", "--json"]
        status, out, _ = run("fit", DIGITS, "-o", path, *arguments)
        found = json.loads(out)
        assert status == 0
        assert (found["model"], found["name"], found["seed"], found["images"]) == (str(path), "ten-digits", 4, 100)
        assert found["file_bytes"] == path.stat().st_size
        written = read_model(path)
        assert found["digest"] == written.digest
        assert (written.atoms, written.dimensions, written.training["seed"]) == (3, 16, 4)
        assert written.dictionaries is not None
        settings = written.training["settings"]
        assert (settings["jitter"], settings["camera"], settings["refinement"]) == (None, None, None)

    def test_joins_several_data_sets(self, run, tmp_path):
        other = "synthetic:script=latin,writers=3,samples=2,seed=5,size=40"
        arguments = ["-o", tmp_path / "both", *QUICK, "--quiet", "--json"]
        found = json.loads(run("fit", DIGITS, other, *arguments)[1])
        assert (found["data"], found["images"]) == ("synthetic", 100 + 60)

    def test_wide_copies_are_more_and_wider(self, run, tmp_path):
        path = tmp_path / "wide"
        wide = [argument for argument in QUICK if argument != "--no-copies"]
        assert run("fit", DIGITS, "-o", path, *wide, "--wide-copies", "--quiet")[0] == 0
        assert read_model(path).training["settings"]["jitter"] == asdict(WIDE)
        assert (WIDE.copies, WIDE.shear) > (Jitter().copies, Jitter().shear)
        with pytest.raises(SystemExit, match="2"):
            run("fit", DIGITS, "-o", path, "--wide-copies", "--no-copies")

    def test_bent_copies_are_as_many(self, run, complaint, tmp_path):
        path, copied = tmp_path / "bent", [argument for argument in QUICK if argument != "--no-copies"]
        assert run("fit", DIGITS, "-o", path, *copied, "--bent-copies", "--quiet")[0] == 0
        assert read_model(path).training["settings"]["jitter"] == asdict(Jitter(bend=BEND))
        assert "makes no copies to bend" in complaint("fit", DIGITS, "-o", path, *QUICK, "--bent-copies")

    def test_signs_the_model_where_asked(self, run, complaint, tmp_path):
        key, path = tmp_path / "key", tmp_path / "mine.safetensors"
        assert "there is no such key" in complaint("fit", DIGITS, "-o", path, *QUICK, "--sign", key)
        assert not path.exists()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        found = json.loads(run("fit", DIGITS, "-o", path, *QUICK, "--quiet", "--json", "--sign", key)[1])
        assert found["signature"] == f"{path}.sig"
        signers = tmp_path / "signers"
        signers.write_text(f"ada@example {key.with_suffix('.pub').read_text()}")
        assert check_trust(read_candidate(path), "signed", signers) == "ada@example"

    def test_refines_the_dictionaries_alone_where_asked(self, run, tmp_path):
        path = tmp_path / "fixed"
        assert run("fit", DIGITS, "-o", path, "--fixed-subspace", *QUICK[1:])[0] == 0
        assert EDGE_RECIPE.refinement is not None
        expected = asdict(replace(EDGE_RECIPE.refinement, subspace_rate=0.0))
        assert read_model(path).training["settings"]["refinement"] == expected
        with pytest.raises(SystemExit, match="2"):  # plain LpDPL has no refinement
            run("fit", DIGITS, "-o", path, "--fixed-subspace", "--plain")

    @pytest.mark.parametrize(
        ("place", "reason"),
        [
            ("none/it", "No such file or directory"),
            ("", "Is a directory"),
            ("pipe", "it is no ordinary file"),
            ("link", "it is no ordinary file"),
        ],
    )
    def test_refuses_before_the_work_where_the_file_cannot_go(self, complaint, tmp_path, monkeypatch, place, reason):
        monkeypatch.delattr(fit, "prepare")
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "link").symlink_to("pipe")
        path = tmp_path / place
        assert complaint("fit", DIGITS, "-o", path).startswith(f"{path}: cannot be written ({reason})")

    def test_a_file_that_is_no_model_is_not_overwritten(self, run, complaint, tmp_path, monkeypatch):
        path = tmp_path / "mine.safetensors"
        assert run("fit", DIGITS, "-o", path, *QUICK, "--quiet")[0] == 0
        assert run("fit", DIGITS, "-o", path, *QUICK, "--quiet")[0] == 0, "an older model is"
        monkeypatch.delattr(fit, "prepare")
        path.write_text("my thesis")
        assert "exists, and is no model that can be read; it is not overwritten" in complaint("fit", DIGITS, "-o", path)
        assert path.read_text() == "my thesis"

    def test_pictures_without_ink_are_counted(self, run, tmp_path):
        for digit in "12":
            (tmp_path / "own" / digit).mkdir(parents=True)
            for number in range(6):
                ink = draw_numeral(digit, seed=number)
                Image.fromarray(ink if number else np.zeros_like(ink)).save(tmp_path / f"own/{digit}/{number}.png")
        status, out, err = run("fit", tmp_path / "own", "-o", tmp_path / "it.safetensors", *QUICK, "--quiet")
        assert (status, "left out        2 in which no ink is seen" in out) == (0, True), out + err

    def test_profile_paper_has_no_dimensions_to_choose(self, complaint, tmp_path):
        message = complaint("fit", DIGITS, "-o", tmp_path / "it", "--profile", "paper", "--dimensions", 9)
        assert message == "profile paper has no subspace: leave out dimensions"

    def test_a_subspace_has_no_more_dimensions_than_there_are_features(self, complaint, tmp_path, monkeypatch):
        monkeypatch.delattr(fit, "prepare")
        message = complaint("fit", DIGITS, "-o", tmp_path / "it", "--dimensions", 513)
        assert message == "513 dimensions of 512 features: give as many or fewer"

    def test_an_interrupt_leaves_nothing(self, run, tmp_path, monkeypatch):
        def interrupt(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(fit, "write_model", interrupt)
        status, _, err = run("fit", DIGITS, "-o", tmp_path / "it.safetensors", *QUICK)
        assert (status, err) == (130, "lpdpl-train: interrupted, nothing was written\n")
        assert list(tmp_path.iterdir()) == []


class TestEvaluate:
    def test_tells_programs_in_one_object(self, run):
        arguments = ["--protocol", "conventional", "--folds", 2, "--seed", 3, *QUICK, "--json"]
        status, out, _ = run("evaluate", DIGITS, *arguments)
        found = json.loads(out)
        assert status == 0
        assert {"accuracy", "std", "folds", "n", "protocol", "profile", "seed", "seconds"} <= found.keys()
        assert (found["n"], found["protocol"], found["profile"], found["seed"]) == (100, "conventional", "edge", 3)
        assert len(found["folds"]) == 2
        assert found["accuracy"] > 0.7

    def test_tells_people_every_split(self, run):
        status, out, err = run("evaluate", DIGITS, "--protocol", "between-subject", *QUICK)
        head, *splits = out.splitlines()
        assert (status, err) == (0, "")
        assert head.startswith("synthetic, between-subject, LpDPL, profile edge, seed 0: ")
        assert "% of 100 (" in head
        assert "5 splits" in head
        assert [line.split()[0] for line in splits] == ["1", "2", "3", "4", "5"]

    def test_groups(self, run):
        found = json.loads(run("evaluate", DIGITS, "--protocol", "between-subject", "--groups", 2, *QUICK, "--json")[1])
        assert (len(found["folds"]), found["groups"]) == (2, 2)
        assert (found["features"], found["centre"]) == ("hog", "centroid")

    @pytest.mark.parametrize(("asked", "centre"), [([], "box"), (["--centre", "centroid"], "centroid")])
    def test_pixels_are_those_of_the_box(self, run, asked, centre):
        arguments = ["--protocol", "between-subject", "--groups", 2, "--features", "pixels", *asked, *QUICK, "--json"]
        found = json.loads(run("evaluate", DIGITS, *arguments)[1])
        assert (found["features"], found["centre"]) == ("pixels", centre)

    def test_a_rival_on_the_same_features_and_folds(self, run, complaint):
        arguments = [DIGITS, "--protocol", "between-subject", "--groups", 2, *QUICK]
        status, out, _ = run("evaluate", *arguments, "--method", "knn")
        assert status == 0
        assert out.startswith("synthetic, between-subject, k nearest neighbours, profile edge, seed 0: ")
        assert complaint("evaluate", *arguments, "--method", "magic").startswith("there is no method 'magic'")

    def test_says_what_a_protocol_lacks(self, complaint):
        message = complaint("evaluate", DIGITS, "--protocol", "standard")
        assert message == "synthetic has no split of its own: use conventional or within-subject or between-subject"
        message = complaint("evaluate", "digits", "--protocol", "between-subject")
        assert message == "digits does not record its writers: use conventional"
        message = complaint("evaluate", DIGITS, "--protocol", "conventional", "--folds", 11)
        assert message.startswith("synthetic cannot be cut into 11 folds")
        assert message.endswith("of 0 there are 10")

    def test_what_the_protocol_does_not_cut_into_is_refused(self, complaint):
        message = complaint("evaluate", DIGITS, "--protocol", "conventional", "--groups", 5)
        assert message == "--groups applies only to the protocol between-subject: leave it out"
        message = complaint("evaluate", DIGITS, "--protocol", "standard", "--folds", 10)
        assert message == "--folds applies only to the protocol conventional: leave it out"

    def test_pixels_may_have_more_dimensions_than_the_histogram(self, complaint):
        arguments = ["evaluate", DIGITS, "--protocol", "standard", "--dimensions", 1024]
        assert complaint(*arguments, "--features", "pixels").startswith("synthetic has no split of its own")
        assert complaint(*arguments) == "1024 dimensions of 512 features: give as many or fewer"

    def test_no_memory_is_an_error_in_words(self, run, monkeypatch):
        def give_up(*_, **__):
            raise MemoryError

        monkeypatch.setattr("train_host.compare.bench.prepare", give_up)
        status, out, err = run("evaluate", DIGITS, "--protocol", "between-subject")
        assert (status, out, err) == (3, "", "lpdpl-train: not enough memory\n")


class TestScore:
    def test_tells_programs_in_one_object(self, run, model):
        status, out, _ = run("score", model, DIGITS, "--json")
        found = json.loads(out)
        assert status == 0
        keys = ["n", "correct", "accuracy", "rejected", "accuracy_accepted", "confusion", "labels"]
        assert list(found)[: len(keys)] == keys
        assert (found["n"], found["labels"]) == (100, list("0123456789"))
        assert found["accuracy"] > 0.9

    def test_tells_people_the_mistakes(self, run, model):
        status, out, err = run("score", model, "synthetic:writers=20,samples=1,script=latin,seed=9,size=48")
        first, second, *mistakes = out.splitlines()
        assert (status, err) == (0, "")
        assert " of 200 right, " in first
        assert " rejected; of the others " in second
        assert 0 < len(mistakes) <= 10
        counts = [int(line.split(": ")[1]) for line in mistakes]
        assert counts == sorted(counts, reverse=True)

    def test_reads_a_shipped_model_by_its_name(self, run):
        status, out, _ = run("score", "latin10", DIGITS, "--json")
        assert status == 0
        assert json.loads(out)["n"] == 100

    def test_inverts_when_told(self, run, model, tmp_path):
        for value in (1, 7):
            (tmp_path / f"{value}").mkdir()
            picture = np.full((40, 40), 255, np.uint8)
            picture[8:32, 19:22] = value  # no two are the same
            Image.fromarray(picture).save(tmp_path / f"{value}" / "a.png")
        right = {
            invert: json.loads(run("score", model, tmp_path, "--invert", invert, "--json")[1])["correct"]
            for invert in ("auto", "yes", "no")
        }
        assert right == {"auto": 1, "yes": 1, "no": 0}

    def test_names_the_classes_that_the_model_lacks(self, complaint, model):
        message = complaint("score", model, "synthetic:writers=1,samples=1")
        assert message == "synthetic: the model does not know 十 百 千 万 亿; use data of its classes"

    def test_names_a_file_that_is_no_model(self, complaint, tmp_path):
        path = tmp_path / "it.safetensors"
        assert complaint("score", path, DIGITS).startswith(f"{path}: cannot be opened")
        path.write_bytes(b"no model")
        assert complaint("score", path, DIGITS).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "command", [["fit", "-o", "it.safetensors"], ["evaluate", "--protocol", "conventional"], ["score", "latin10"]]
)
def test_data_that_is_not_there_is_named(complaint, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert complaint(*command, "nowhere.zip").startswith("nowhere.zip: there is no such file or folder")
    (tmp_path / "empty").mkdir()
    assert complaint(*command, "empty").startswith("empty: no known layout in it")
    assert complaint(*command, "synthetic:writers=none").startswith("synthetic")


@pytest.mark.parametrize(
    "command",
    [
        ["fit", "-o", "it.safetensors"],
        ["evaluate", "--protocol", "conventional", "--folds", "2"],
        ["compare", "--protocol", "conventional", "--folds", "2", "--methods", "lpdpl"],
        ["tune"],
        ["stream", DIGITS, "-o", "it.safetensors"],
    ],
    ids=lambda command: command[0],
)
def test_one_class_is_nothing_to_train_on(complaint, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sevens" / "7").mkdir(parents=True)
    for number in range(5):
        Image.fromarray(np.full((8, 8), number, np.uint8)).save(tmp_path / "sevens" / "7" / f"{number}.png")
    message = complaint(command[0], "sevens", *command[1:], "--jobs", 1)
    assert message == "sevens: one class only (7); give two or more to tell apart"


@pytest.mark.parametrize(
    ("command", "given"),
    [
        (["fit", "my.zip", "-o", "my.zip"], "my.zip"),
        (["fit", "hand", "-o", "hand/mine.safetensors"], "hand"),
        (["stream", DIGITS, "my.zip", "-o", "my.zip"], "my.zip"),
        (["stream", DIGITS, DIGITS, "--test", "hand", "-o", "hand/5/mine.safetensors"], "hand"),
        (["scenes", "--source", "hand", "-o", "hand/scenes"], "hand"),
        (["scenes-score", "latin10", "hand", "--failures", "hand/00000.png"], "hand"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_no_result_takes_the_place_of_what_it_is_made_from(complaint, tmp_path, monkeypatch, command, given):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("train_host.datasets.open_dataset", None)  # the error comes before the work
    (tmp_path / "hand" / "5").mkdir(parents=True)
    kept = [tmp_path / "my.zip", tmp_path / "hand" / "00000.png"]
    for path in kept:
        path.write_bytes(b"handwriting")
    assert complaint(*command) == f"{command[-1]}: belongs to {given}, which is read; name another place"
    assert [path.read_bytes() for path in kept] == [b"handwriting"] * 2


def test_debug_shows_where_an_error_comes_from(run):
    status, _, err = run("evaluate", "nowhere", "--protocol", "standard", "--debug")
    assert status == 2
    assert "main.py" in err
    assert err.splitlines()[-1].startswith("lpdpl-train: nowhere: ")


@pytest.mark.parametrize(("error", "status"), [(OSError("no disk"), 3), (BrokenPipeError(), 141)])
def test_what_the_system_refuses_is_no_traceback(error, status, run, monkeypatch):
    def give_up(*_, **__):
        raise error

    monkeypatch.setattr("train_host.compare.bench.prepare", give_up)
    ended, _, err = run("evaluate", DIGITS, "--protocol", "conventional")
    assert ended == status
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        (["--atoms", "0"], "'0' is not a whole number of 1 or more"),
        (["--dimensions", "1"], "'1' is not a whole number of 2 or more"),
        (["--folds", "two"], "'two' is not a whole number of 2 or more"),
        (["--groups", "1"], "'1' is not a whole number of 2 or more"),
        (["--seed", "-1"], "'-1' is not a whole number of 0 to 4294967295"),
        (["--seed", "4294967296"], "'4294967296' is not a whole number of 0 to 4294967295"),
        (["--jobs", "0"], "'0' is not a whole number of 1 or more, or -1 for one per core"),
        (["--jobs", "²"], "'²' is not a whole number of 1 or more, or -1"),
        (["--profile", "fast"], "invalid choice: 'fast'"),
        (["--protocol", "jackknife"], "invalid choice: 'jackknife'"),
    ],
)
def test_an_option_that_cannot_be_is_refused(option, wrong, capsys):
    with pytest.raises(SystemExit) as left:
        main(["evaluate", DIGITS, "--protocol", "conventional", *option])
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"lpdpl-train evaluate: argument {option[0]}: {wrong}")
    assert line.endswith("; see lpdpl-train evaluate --help")


@pytest.mark.parametrize(("arguments", "missing"), [([], "COMMAND"), (["fit"], "DATA, -o/--output")])
def test_arguments_that_lack_are_told_in_one_line(arguments, missing, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    program = " ".join(["lpdpl-train", *arguments])
    wanted = f"{program}: the following arguments are required: {missing}; see {program} --help\n"
    assert capsys.readouterr().err == wanted


def test_version_prints_the_version(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"lpdpl-train {__version__}\n")
