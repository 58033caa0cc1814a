"""Start times, measured in new processes."""

import pytest

from edge_lpdpl.errors import BackendError
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.measure import starts
from edge_lpdpl.measure.starts import measure_starts, start_once

pytestmark = pytest.mark.slow


def test_a_thorough_measurement_has_all_three_starts(monkeypatch):
    monkeypatch.setattr(starts, "_forget_disk", lambda: True)  # it would slow down everything else on this machine
    found = measure_starts(shipped_model("latin10"), "numpy", 1, thorough=True)
    assert all(0 < found[kind]["import_s"] < found[kind]["total_s"] for kind in ("compile", "warm", "cold"))


def test_without_the_right_to_forget_the_disk_there_is_no_cold_start(monkeypatch):
    monkeypatch.setattr(starts, "_forget_disk", lambda: False)
    assert measure_starts(shipped_model("latin10"), "numpy", 1, thorough=True)["cold"] is None


def test_a_start_that_fails_says_why(tmp_path):
    with pytest.raises(BackendError, match=r"a start with numpy failed: .*none\.safetensors"):
        start_once(tmp_path / "none.safetensors", "numpy", None)
