"""Models: contents of the file, writing and reading back, and consistency checks."""

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_bytes import (
    ADDED,
    digest,
    good_arrays,
    good_file,
    good_metadata,
    good_novelty_file,
    good_picture_file,
    picture_arrays,
    picture_metadata,
)
from model_fields import (
    another,
    fields,
    numbers,
    paper_fields,
    with_dictionaries,
    with_non_numerals,
    with_novelty,
    with_pictures,
    with_unsure_share,
)
from safetensors import safe_open
from safetensors.numpy import load_file, save

from edge_lpdpl.errors import EdgeError, ModelError
from edge_lpdpl.jit.memory import round_to_float16
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.model.container import join, split
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.labels import CHINESE, Label
from edge_lpdpl.model.model import Dictionaries, Model, describe
from edge_lpdpl.model.settings import EDGE, HogSettings, Preprocessing

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


# Writing and reading back.


@pytest.mark.parametrize(
    "make",
    [fields, paper_fields, with_dictionaries, with_novelty, with_unsure_share, with_pictures],
    ids=lambda make: make.__name__,
)
def test_what_is_written_is_read(make, path):
    model = Model(**make())
    write_model(path, model)
    again = read_model(path)
    assert again == model
    assert again.to_json() == model.to_json()
    assert list(again.tensors()) == list(model.tensors())
    for name, array in model.tensors().items():
        np.testing.assert_array_equal(again.tensors()[name], array)
    assert type(again.preprocessing) is Preprocessing
    assert type(again.hog) is HogSettings
    assert all(type(label) is Label for label in again.labels)


def test_the_same_content_is_the_same_bytes_in_any_process(path):
    def written() -> bytes:
        write_model(path, Model(**fields()))
        return path.read_bytes()

    here = written()
    assert written() == here
    script = (
        "import sys; from edge_lpdpl.model.files import read_model, write_model;"
        "write_model(sys.argv[1] + '.copy', read_model(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-B", "-c", script, path], check=True, env=os.environ | {"PYTHONHASHSEED": "7"})
    assert Path(f"{path}.copy").read_bytes() == here


@pytest.mark.parametrize(
    ("data", "metadata", "arrays"),
    [
        (good_file(), good_metadata(), good_arrays()),
        (good_picture_file(), picture_metadata(), picture_arrays()),
    ],
    ids=["first schema", "fourth schema"],
)
def test_a_file_that_was_made_by_hand_from_the_specification_is_read(path, data, metadata, arrays):
    path.write_bytes(data)
    model = read_model(path)
    assert model.schema == metadata["schema"]
    assert model.digest == digest(metadata, arrays)
    assert model.labels == (Label("一", 1), Label("二", 2), Label("三", 3))
    assert model.tensors().keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(model.tensors()[name], array)
        assert model.tensors()[name].flags.aligned
    assert model.novelty is None
    write_model(path, model)
    assert read_model(path).digest == model.digest, "an older file stays what it is"


def test_a_file_with_novelty_has_schema_2(path):
    path.write_bytes(good_novelty_file())
    assert read_model(path).novelty is not None
    write_model(path, Model(**with_novelty()))
    assert rb"\"schema\":2" in path.read_bytes()
    write_model(path, Model(**fields()))
    assert rb"\"schema\":1" in path.read_bytes(), "older programs read what they know all of"


def test_a_file_with_an_unsure_share_has_schema_3(path):
    path.write_bytes(good_novelty_file())
    assert read_model(path).unsure_share == 1
    write_model(path, Model(**with_unsure_share()))
    assert rb"\"schema\":3" in path.read_bytes()
    assert read_model(path).unsure_share == 0.25


def test_a_file_with_pictures_is_of_the_fourth_schema(path):
    write_model(path, Model(**with_pictures()))
    assert rb"\"schema\":4" in path.read_bytes()


def test_a_file_with_a_score_for_non_numerals_is_of_the_fifth_schema(path):
    write_model(path, Model(**with_non_numerals()))
    assert rb"\"schema\":5" in path.read_bytes()
    model = read_model(path)
    assert (model.usual_lead, model.least_lead) == (0.5, -0.25)
    assert (model.class_count, model.linears.shape[1], model.selftest_scores.shape[1]) == (15, 16, 16)


def test_older_files_are_read_with_the_settings_of_their_time(path):
    path.write_bytes(good_file())
    model = read_model(path)
    for name, added in ADDED.items():
        settings = getattr(model, name)._asdict()
        assert {key: settings[key] for key in added} == added
    assert not ADDED["preprocessing"].keys() & model.to_json()["preprocessing"].keys()


@pytest.mark.parametrize("name", [name for added in ADDED.values() for name in added])
def test_and_cannot_hold_other_ones(name):
    kind = "hog" if name in ADDED["hog"] else "preprocessing"
    settings = getattr(EDGE, kind)
    other = settings._replace(**{name: another(getattr(settings, name))})
    with pytest.raises(ModelError, match="its settings are of schema 4, but it has no self-test of pictures"):
        Model(**fields(**{kind: other}))
    assert getattr(Model(**with_pictures(**{kind: other})), kind) == other


@pytest.mark.parametrize("share", [0, -0.1, 1.1, float("nan")])
def test_a_share_of_novelty_is_above_0_and_at_most_1(share):
    with pytest.raises(ModelError, match="unsure_share"):
        Model(**with_novelty() | {"unsure_share": share})


def test_without_novelty_there_is_no_unsure_share():
    with pytest.raises(ModelError, match=r"unsure_share = 0\.5 is 0, or a share of distances that there are not"):
        Model(**fields(unsure_share=0.5))


@pytest.mark.parametrize("metadata", ["", "{}", '{"label": "٣ 万 \\u0000 \\" / \x7f"}', "x" * 1001])
def test_the_bytes_are_those_that_safetensors_writes(metadata):
    rng = np.random.default_rng(5)
    shapes = {"scores": (3, 4), "b": (1,), "a": (2, 1, 5), "Z": (7,), "ä": (1, 1)}
    tensors: dict[str, Any] = {name: rng.random(shape, np.float32) for name, shape in shapes.items()}
    tensors |= {name: rng.integers(0, 256, (3, 5), np.uint8) for name in ("c", "Y")}
    assert join(metadata, tensors) == save(tensors, {"edge_lpdpl": metadata})


def test_a_model_is_written_without_the_safetensors_package(tmp_path):
    """The package is not installed on the Pi."""
    program = (
        "import sys; sys.modules['safetensors'] = None; from edge_lpdpl.commands.main import main;"
        f"sys.exit(main(['model', 'install', 'latin10', '--backend', 'numpy', '--to', {str(tmp_path)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "slots/a/model.safetensors").read_bytes() == shipped_model("latin10").read_bytes()


def test_other_readers_of_safetensors_read_what_is_written(path):
    model = Model(**with_dictionaries())
    write_model(path, model)
    theirs = load_file(path)
    assert sorted(theirs) == list(model.tensors())
    for name, array in theirs.items():
        np.testing.assert_array_equal(array, model.tensors()[name])
    with safe_open(path, "numpy") as file:
        assert json.loads(file.metadata()["edge_lpdpl"])["digest"] == model.digest


def test_an_edge_model_is_small(path):
    write_model(path, Model(**with_novelty()))
    assert path.stat().st_size <= 400 << 10  # of the 512 KiB that are allowed
    assert Model(**fields()).weight_bytes == 4 * (512 * 80 + 80 + 81 * 32 * 15 + 2 * 32 * 15)
    in_float16 = {name: round_to_float16(fields()[name]) for name in ("projection", "vectors")}
    assert Model(**fields() | in_float16).weight_bytes == 2 * (512 * 80 + 81 * 32 * 15) + 4 * (80 + 2 * 32 * 15)
    of_one_class = 4 * (2 * 80 + 8 * 80)
    assert Model(**with_novelty()).weight_bytes == Model(**fields()).weight_bytes + of_one_class


# Memory of the arrays.


def test_arrays_are_not_copied_aligned_and_read_only(path):
    write_model(path, Model(**with_dictionaries() | with_pictures()))
    for name, array in read_model(path).tensors().items():
        assert array.dtype == (np.uint8 if name == "selftest_pictures" else np.float32)
        assert array.flags.c_contiguous
        assert array.flags.aligned
        assert not array.flags.owndata
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_model_in_use_outlives_its_file_being_replaced_or_removed(path):
    first = Model(**fields())
    write_model(path, first)
    used = read_model(path)
    write_model(path, Model(**fields(vectors=numbers(81, 32, 15) + 1)))
    path.unlink()
    gc.collect()
    np.testing.assert_array_equal(used.vectors, first.vectors)


def test_reading_leaves_no_file_open(path):
    write_model(path, Model(**fields()))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        read_model(path)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before


def test_writeable_arrays_are_copied_so_that_the_digest_stays_true():
    mine = numbers(32, 15)
    model = Model(**fields(squares=mine))
    mine[0, 0] = 99
    assert model.squares[0, 0] != 99
    assert not model.squares.flags.writeable


def test_tables_are_copied_too():
    training = fields()["training"]
    model = Model(**fields(training=training))
    training["settings"]["l1"] = 1
    assert model.training["settings"] == {"l1": 1e-4}


# Inconsistent models cannot be constructed, so they cannot be written.


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"vectors": numbers(80, 32, 15)}, "vectors: inputs = 80, not 81"),
        ({"vectors": numbers(81, 32, 15).astype(np.float64)}, "vectors is not a float32 array"),
        ({"squares": [[1.0]]}, "squares is not a float32 array"),
        ({"squares": None}, "missing arrays: squares"),
        ({"projection": None}, "without a projection"),
        ({"projection_offset": None}, "missing arrays: projection_offset"),
        ({"linears": np.full((32, 15), np.nan, np.float32)}, "linears holds numbers that are not finite"),
        ({"labels": CHINESE[:14]}, "forms = 15, not 14"),
        ({"labels": CHINESE[:14] + CHINESE[:1]}, "same character"),
        ({"dimensions": np.int64(80)}, r"dimensions = .*80\)? is not a whole number"),
        ({"selftest_features": None}, "missing arrays: selftest_features"),
        ({"selftest_pictures": np.zeros((8, 32, 32), np.uint8)}, "unexpected arrays: 'selftest_features'"),
        ({"threshold": float("nan")}, "threshold"),
        ({"name": "Chinese 15"}, "name"),
        ({"preprocessing": EDGE.preprocessing._replace(side=1000)}, "side"),
        ({"hog": EDGE.hog._replace(bins=9)}, "features"),
        ({"training": fields()["training"] | {"settings": {"seed": np.float32(1)}}}, "not plain JSON"),
        ({"training": fields()["training"] | {"settings": {"best": float("inf")}}}, "not plain JSON"),
        ({"accuracy": {"value": 99.5, "protocol": "conventional", "std": 0.1}}, "outside 0..1"),
        (
            {"dictionaries": Dictionaries(numbers(15, 81, 17), numbers(15, 17, 81), numbers(15, 15, 17))},
            "atoms = 17, not 16",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_model_that_contradicts_itself_is_not_made(changes, complaint):
    with pytest.raises(EdgeError, match=complaint):
        Model(**fields(**changes))


def test_a_work_load_beyond_reason_is_not_made():
    with pytest.raises(ModelError, match="features = 18432 is outside"):
        Model(
            **fields(
                preprocessing=EDGE.preprocessing._replace(side=64),
                hog=EDGE.hog._replace(cell=2, bins=18),
                projection=numbers(18432, 80),
                selftest_features=numbers(8, 18432),
            )
        )


def test_a_file_that_could_not_be_read_again_is_not_written(path):
    training = fields()["training"] | {"settings": {f"key{i}": "x" * 1000 for i in range(300)}}
    with pytest.raises(ModelError, match="longer than 262144"):
        write_model(path, Model(**fields(training=training)))
    assert os.listdir(path.parent) == []


def test_where_nothing_can_be_written_is_said_in_one_line(tmp_path):
    with pytest.raises(ModelError, match=r"model: cannot be written \(No such file or directory\); check the folder"):
        write_model(tmp_path / "none" / "model", Model(**fields()))


def test_a_disk_that_fails_leaves_the_model_that_was_there(path, monkeypatch):
    write_model(path, Model(**fields()))
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ModelError, match="No space left"):
        write_model(path, Model(**fields(name="next")))
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


# Descriptions and errors.


@pytest.mark.parametrize(
    "make", [fields, paper_fields, with_dictionaries, with_novelty, with_pictures], ids=lambda make: make.__name__
)
def test_a_description_is_json_and_says_what_matters(make):
    model = Model(**make())
    shown = json.loads(json.dumps(describe(model)))
    assert shown["digest"] == model.digest
    assert shown["labels"][5] == ["五", 5]
    assert shown["classes"] == 15
    assert shown["features"] == model.feature_count
    assert shown["folding"]["rank"] == 32
    assert shown["has_dictionaries"] is (model.dictionaries is not None)
    assert shown["checks_novelty"] is (model.novelty is not None)
    assert shown["selftest_samples"] == 8


def test_an_error_names_the_file_and_says_what_to_do(path):
    path.write_bytes(good_file()[:-4])
    with pytest.raises(ModelError) as caught:
        read_model(path)
    name, _, rest = str(caught.value).partition(": ")
    assert name == str(path)
    assert rest.endswith("; give a file that lpdpl-train wrote, or copy it again")


def test_a_newer_file_asks_for_a_newer_program(path):
    path.write_bytes(good_file().replace(rb"\"schema\":1", rb"\"schema\":7"))
    with pytest.raises(ModelError, match="its schema is 7, newer than the 5 known here; upgrade edge-lpdpl"):
        read_model(path)


def test_taking_a_file_apart_copies_no_array():
    data = good_file()
    assert all(array.base is not None for array in split(data)[1].values())


def test_a_model_in_use_outlives_a_file_that_is_overwritten(path):
    write_model(path, Model(**fields()))
    model, again = read_model(path), read_model(path)
    path.write_bytes(b"")  # touching a mapping of it now would raise SIGBUS
    assert model == again
    assert np.array_equal(model.vectors, again.vectors)
    with pytest.raises(ModelError, match="header, 0 bytes"):
        read_model(path)
