"""Drawings are made with small models, which stand for the shipped ones."""

import pytest
from template_models import ship_templates

from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.numeral.recogniser import Recogniser


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("chinese15"))
