"""Inks of drawn numerals, to put scenes together from."""

import pytest

from train_host.scenes.inks import Inks
from train_host.synthetic import synthesise_dataset


@pytest.fixture(scope="module")
def inks() -> Inks:
    return Inks(synthesise_dataset("writers=2,samples=1"))
