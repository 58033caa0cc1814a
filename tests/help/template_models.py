"""Small models that really read: every class is the mean of a few drawn numerals. They need no training."""

import atexit
import dataclasses
import shutil
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from small_models import with_right_scores

from edge_lpdpl.library import shipped
from edge_lpdpl.model.container import Array
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, Label
from edge_lpdpl.model.model import Model
from edge_lpdpl.model.settings import EDGE
from edge_lpdpl.numeral.recogniser import Recogniser
from train_host.synthetic.pictures import draw_numeral

SCRIPTS = {"arabic10": ARABIC_INDIC, "cheque15": CHEQUE, "chinese15": CHINESE, "latin10": LATIN}
DIMENSIONS = 120
WRITERS = range(1001, 1005)


def failing_model(folder: Path) -> Path:
    """A valid model file whose self-test fails: its scores are not those that are computed here."""
    model = read_model(shipped.shipped_model("latin10"))
    path = folder / "failing.safetensors"
    write_model(path, dataclasses.replace(model, selftest_scores=model.selftest_scores + 1))
    return path


def ship_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the shipped models by the small ones. The shipped pictures stay."""
    monkeypatch.setattr(shipped, "_FOLDER", template_folder())


@cache
def template_folder() -> Path:
    """A folder like the package's folder of models, made once."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    (folder / "shipped_pictures").symlink_to(shipped._FOLDER / "shipped_pictures")
    (folder / "shipped_models").mkdir()
    for name, labels in SCRIPTS.items():
        write_model(folder / "shipped_models" / f"{name}.safetensors", template_model(name, labels))
    return folder


def template_model(name: str, labels: tuple[Label, ...]) -> Model:
    """Nearest class mean as a model: the quadratic form 1 - 2 (x . mean - |mean|^2 / 2)."""
    reader = Recogniser(_model(name, labels, np.zeros((len(labels), DIMENSIONS), np.float32)))
    features = np.stack([[_features(reader, label.character, writer) for writer in WRITERS] for label in labels])
    model = _model(name, labels, features.mean(axis=1) @ _projection())
    drawn = [draw_numeral(label.character, seed=WRITERS[0], size=32) for label in labels[:8]]
    return with_right_scores(model, np.stack(drawn))


def _features(reader: Recogniser, character: str, writer: int) -> Array:
    reader.recognise(draw_numeral(character, seed=writer), "light")
    return reader.engine.buffers.features.copy()


def _projection() -> Array:
    """Random orthogonal directions. Any 120 of them keep most of the distances."""
    random = np.random.default_rng(0).normal(size=(512, DIMENSIONS))
    return np.linalg.qr(random)[0].astype(np.float32)


def _model(name: str, labels: tuple[Label, ...], means: Array) -> Model:
    classes = len(labels)
    vectors = np.zeros((DIMENSIONS + 1, 1, classes), np.float32)
    vectors[:-1, 0], vectors[-1, 0] = means.T, -0.5 * (means**2).sum(axis=1)
    return Model(
        name=name,
        profile="edge",
        labels=labels,
        preprocessing=EDGE.preprocessing,
        hog=EDGE.hog,
        projection=_projection(),
        projection_offset=np.zeros(DIMENSIONS, np.float32),
        dimensions=DIMENSIONS,
        rank=1,
        atoms=1,
        constant=1.0,
        vectors=vectors,
        squares=np.zeros((1, classes), np.float32),
        linears=np.full((1, classes), -2, np.float32),
        confidence_margins=np.linspace(0, 2, 5, dtype=np.float32),
        confidence_values=np.array([0.5, 0.9, 0.97, 0.99, 0.999], np.float32),
        threshold=0.55,
        false_rejects=0.01,
        calibration={"expected_calibration_error": 0.004},
        training={"data": "drawn numerals", "digest": "sha256:0", "images": 60, "seed": 0, "settings": {}},
        accuracy={"value": 0.97, "protocol": "conventional", "std": 0.002},
        selftest_pictures=np.zeros((1, 32, 32), np.uint8),
        selftest_distances=np.zeros(1, np.float32),
        selftest_scores=np.zeros((1, classes), np.float32),
    )
