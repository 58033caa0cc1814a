"""Streamed training: the same model as from all data at once, in constant memory."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from project import PROJECT
from small_sets import QUICK, drawn_digits

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.files import read_model
from train_host.commands.main import main
from train_host.compare.run import read_records
from train_host.datasets import open_dataset
from train_host.method.lpdpl import straight_scores
from train_host.method.refine import Refinement
from train_host.recipe import Jitter
from train_host.report.write import write_report
from train_host.samples.prepare import prepare
from train_host.shipping import stream as streaming
from train_host.shipping.stream import CHUNK, Gathered, fit_stream
from train_host.training import train

pytestmark = pytest.mark.slow

DIGITS = drawn_digits()
SOURCE = "synthetic:writers=3,samples=2,script=latin,size=32"


def latin(writers: int, seed: int = 0) -> str:
    """A drawn source. The pictures of fewer writers are among those of more."""
    return f"synthetic:writers={writers},samples=2,script=latin,size=32,seed={seed}"


@pytest.mark.parametrize("dimensions", [20, None])
def test_chunks_give_the_dictionaries_of_all_at_once(dimensions):
    recipe = replace(QUICK, dimensions=dimensions)
    samples = prepare(DIGITS, recipe)
    gathered = Gathered(10)
    for part in np.array_split(np.random.default_rng(0).permutation(len(DIGITS)), 7):
        gathered.add(samples.features[part], samples.targets[part])
    ours, whole = gathered.train(recipe), train(samples, np.arange(len(DIGITS)), recipe)
    scores = straight_scores(ours.pairs, ours.subspace(samples.features))
    np.testing.assert_allclose(scores, whole.scores(samples.features), rtol=1e-5, atol=1e-7)


def test_pictures_in_which_nothing_is_seen_are_left_out():
    gathered = Gathered(2)
    gathered.add(np.zeros((3, 4), np.float32), np.array([0, 1, 1]))
    assert gathered.statistics is None
    with pytest.raises(DatasetError, match="a class has no picture"):
        gathered.train(QUICK)


def test_a_source_with_other_classes_is_named(tmp_path):
    with pytest.raises(DatasetError, match="synthetic:writers=1: has other classes"):
        fit_stream([SOURCE, "synthetic:writers=1"], tmp_path / "m.safetensors", QUICK, name="m")
    with pytest.raises(DatasetError, match="give two or more"):
        fit_stream([SOURCE], tmp_path / "m.safetensors", QUICK, name="m")
    assert list(tmp_path.iterdir()) == []


def test_command_writes_a_model_that_reads(tmp_path, capsys):
    path = tmp_path / "streamed.safetensors"
    assert main(["stream", SOURCE, "--seeds", "4", "--atoms", "3", "-o", str(path), "--quiet", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["pictures"], found["sources"]) == (180, 3)
    assert found["held_out_accuracy"] > 0.5
    model = read_model(path)
    assert (model.name, model.training["images"]) == ("streamed", 180)


def test_the_file_tells_what_was_trained_on_and_how(tmp_path):
    """The calibration source, and settings that streaming does not use, are refused."""
    first, second, third = latin(3), latin(4, seed=1), latin(2, seed=2)
    path, recipe = tmp_path / "m.safetensors", replace(QUICK, drawn=7, jitter=Jitter(), refinement=Refinement())
    fit_stream([first, second], path, recipe, name="m")
    told = read_model(path).training
    assert (told["data"], told["digest"]) == ("synthetic", open_dataset(second).digest)
    assert [told["settings"][name] for name in ("drawn", "jitter", "refinement")] == [0, None, None]
    fit_stream([first, second, third], path, recipe, name="m")
    assert read_model(path).training["digest"] not in {open_dataset(source).digest for source in (first, second, third)}


def test_the_same_pictures_twice_are_refused(tmp_path):
    with pytest.raises(DatasetError, match=f"{latin(2, seed=1)}: has the pictures of another source"):
        fit_stream([latin(1), latin(2, 1), latin(2, 1)], tmp_path / "m.safetensors", QUICK, name="m")
    assert list(tmp_path.iterdir()) == []


def test_a_source_with_a_picture_that_calibrates_is_refused(tmp_path):
    with pytest.raises(DatasetError, match=f"{latin(2)}: has pictures that calibrate or test"):
        fit_stream([latin(1), latin(2, seed=1), latin(2)], tmp_path / "m.safetensors", QUICK, name="m")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("sources", "purpose"),
    [([latin(1), latin(4, seed=1)], "calibrate or test"), ([latin(4, seed=1), latin(1)], "test")],
)
def test_a_source_with_a_picture_that_tests_is_refused(tmp_path, capsys, sources, purpose):
    arguments = [*sources, "-o", str(tmp_path / "m.safetensors"), "--test", latin(2, seed=1), "--quiet"]
    assert main(["stream", *arguments]) == 2
    assert f"{latin(4, seed=1)}: has pictures that {purpose} the model" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_sources_may_share_a_picture_that_shows_nothing(tmp_path, monkeypatch):
    def opened(source):
        dataset = open_dataset(source)
        dataset.images[0] = 7
        return dataset

    monkeypatch.setattr(streaming, "open_dataset", opened)
    fit_stream([latin(3), latin(3, seed=1)], tmp_path / "m.safetensors", QUICK, name="m")
    assert read_model(tmp_path / "m.safetensors").training["images"] == 60


def test_a_source_may_have_a_seed_of_its_own_but_not_several(tmp_path, capsys):
    arguments = ["stream", SOURCE, f"{SOURCE},seed=1", "--atoms", "3", "-o", str(tmp_path / "m.safetensors"), "--quiet"]
    assert main(arguments) == 0
    assert main([*arguments, "--seeds", "2"]) == 2
    assert f"{SOURCE},seed=1: has its own seed, and --seeds asks for 2" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--drawn", "7"], ["--plain"], ["--no-copies"], ["--seeds", "0"]])
def test_options_that_streaming_has_no_use_for_are_refused(tmp_path, capsys, option):
    with pytest.raises(SystemExit):
        main(["stream", SOURCE, "--seeds", "2", "-o", str(tmp_path / "m.safetensors"), *option])
    assert option[0] in capsys.readouterr().err


def test_real_data_is_read_with_the_model_and_a_record_is_kept(tmp_path, capsys):
    real = "synthetic:writers=2,samples=1,script=latin,seed=9"
    arguments = ["stream", SOURCE, "--seeds", "3", "--atoms", "3", "-o", str(tmp_path / "m.safetensors"), "--quiet"]
    assert main([*arguments, "--test", real, "--folder", str(tmp_path / "kept")]) == 0
    (record,) = read_records(tmp_path / "kept")
    (test,) = record["tests"]
    assert (record["kind"], record["pictures"], test["n"]) == ("stream", 120, 20)
    assert f"{test['accuracy']:.2%} of 20 right" in capsys.readouterr().out
    assert test["interval"][0] <= test["accuracy"] <= test["interval"][1]
    page = tmp_path / "page.html"
    write_report(tmp_path / "kept", page, None)
    assert "<td>pictures trained on</td><td>120 from 2 sources</td>" in page.read_text()


def test_a_record_of_other_tests_leaves_the_first_as_it_is(tmp_path):
    arguments = ["stream", SOURCE, f"{SOURCE},seed=1", "--atoms", "3", "-o", str(tmp_path / "m.safetensors"), "--quiet"]
    for writers in (2, 3):
        assert main([*arguments, "--test", latin(writers, seed=9), "--folder", str(tmp_path / "kept")]) == 0
    assert sorted(record["tests"][0]["n"] for record in read_records(tmp_path / "kept")) == [40, 60]


@pytest.mark.parametrize("place", ["none/m.safetensors", "", "pipe"])
def test_a_place_where_no_file_can_go_is_named_before_the_work(tmp_path, capsys, monkeypatch, place):
    monkeypatch.delattr(streaming, "Gathered")
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / place
    assert main(["stream", SOURCE, "--seeds", "4", "-o", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"lpdpl-train: {path}: cannot be written (")


def test_memory_does_not_grow_with_the_sources():
    """Ten times the chunks have the same peak of memory, far below the size of all features."""
    program = """
import sys
import numpy as np
from edge_lpdpl.measure.machine import peak_memory
from train_host.shipping.stream import CHUNK, Gathered
gathered, random = Gathered(10), np.random.default_rng(0)
for _ in range(int(sys.argv[1])):
    gathered.add(random.random((CHUNK, 512), np.float32), np.arange(CHUNK) % 10)
print(peak_memory())
"""

    def peak(chunks: int) -> int:
        command = [sys.executable, "-c", program, str(chunks)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PROJECT)
        if done.stdout.strip() == "None":
            pytest.skip("this system does not tell a process's largest memory")
        return int(done.stdout)

    few, many = peak(3), peak(30)
    assert many < few + 27 * CHUNK * 512 * 4 / 8
