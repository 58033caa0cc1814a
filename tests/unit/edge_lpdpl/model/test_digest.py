"""The digest of a model: equal contents have the same one, and nothing changes without it."""

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from model_bytes import (
    ADDED,
)
from model_fields import (
    another,
    fields,
    with_dictionaries,
    with_novelty,
    with_pictures,
)

from edge_lpdpl.model.labels import CHINESE
from edge_lpdpl.model.model import Model, Novelty
from edge_lpdpl.model.settings import EDGE

FIELDS = with_pictures().keys() - {"dimensions", "rank", "projection_offset", "selftest_features", "novelty"}


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_no_field_changes_without_the_digest(name):
    other: dict[str, Any] = {
        "name": "other",
        "profile": "other",
        "labels": CHINESE[::-1],
        "preprocessing": EDGE.preprocessing._replace(margin=0),
        "hog": EDGE.hog._replace(smoothing=0),
        "training": fields()["training"] | {"seed": 1},
        "accuracy": None,
        "calibration": {"expected_calibration_error": 0.005},
        "constant": 0.25,
        "atoms": 17,
        "threshold": 0.25,
        "false_rejects": 0.02,
        "unsure_share": 0.5,
        "selftest_pictures": 255 - with_pictures()["selftest_pictures"],
    }
    value = other[name] if name in other else np.nextafter(with_pictures()[name], np.float32(0.5))
    assert Model(**with_pictures()).digest != Model(**with_pictures(**{name: value})).digest


@pytest.mark.parametrize("name", [name for added in ADDED.values() for name in added])
def test_no_setting_changes_without_the_digest(name):
    kind = "hog" if name in ADDED["hog"] else "preprocessing"
    other = getattr(EDGE, kind)._replace(**{name: another(getattr(getattr(EDGE, kind), name))})
    assert Model(**with_pictures()).digest != Model(**with_pictures(**{kind: other})).digest


@pytest.mark.parametrize("name", Novelty._fields)
def test_nor_does_the_novelty(name):
    model = Model(**with_novelty())
    changed = model.novelty._replace(**{name: getattr(model.novelty, name) * np.float32(2)})
    assert dataclasses.replace(model, novelty=changed).digest != model.digest


def test_a_changed_copy_has_its_own_digest():
    model = Model(**fields())
    changed = dataclasses.replace(model, threshold=0.75)
    assert changed != model
    assert dataclasses.replace(changed, threshold=0.5) == model
    assert len({model, changed, Model(**fields())}) == 2


def test_the_spelling_of_a_number_does_not_change_the_digest():
    assert Model(**fields(constant=1, threshold=1)) == Model(**fields(constant=1.0, threshold=1.0))
    assert type(Model(**fields(constant=1)).constant) is float


def test_a_model_goes_to_other_processes():
    model = Model(**with_dictionaries())
    assert pickle.loads(pickle.dumps(model)) == model
