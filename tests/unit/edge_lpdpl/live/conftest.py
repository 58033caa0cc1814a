"""A service that keeps running."""

import pytest
from service_bench import bench_of, wait_until


@pytest.fixture
def running(tmp_path):
    """A running service that sees two numerals in turn."""
    bench = bench_of(tmp_path, scenes=100_000, rate=500)
    with bench.running():
        wait_until(lambda: bench.remembered.messages)
        yield bench
