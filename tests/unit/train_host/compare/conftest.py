"""Drawn digits to compare methods on; finished cells are kept from test to test."""

import pytest
from small_sets import drawn_digits

from train_host.compare.bench import Bench, Protocol


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Bench:
    protocol = Protocol("between-subject", groups=2)
    return Bench(drawn_digits(writers=4), protocol, tmp_path_factory.mktemp("comparison"))
