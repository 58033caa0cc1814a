"""Inks of drawn numerals, to put scenes together from."""

import pytest

from train_host.datasets.bundled import synthesise_dataset
from train_host.scenes.inks import Inks


@pytest.fixture(scope="module")
def inks() -> Inks:
    return Inks(synthesise_dataset("writers=2,samples=1"))
