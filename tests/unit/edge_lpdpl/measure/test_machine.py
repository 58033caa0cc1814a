"""The state of a board, read from files of other boards; and pinning to one core."""

import os

import pytest

from edge_lpdpl.measure import machine as board
from edge_lpdpl.measure.machine import board_state, one_core, throttling


@pytest.fixture
def pi(tmp_path):
    """A folder that stands for `/` of a Raspberry Pi with two cores."""
    for core in range(2):
        folder = tmp_path / f"sys/devices/system/cpu/cpu{core}/cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_cur_freq").write_text("1800000\n")
        (folder / "scaling_max_freq").write_text("2400000\n")
        (folder / "scaling_governor").write_text("ondemand\n")
    zone = tmp_path / "sys/class/thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text("48312\n")
    return tmp_path


@pytest.fixture
def firmware(tmp_path, monkeypatch):
    """Simulate answers of the firmware."""

    def answer(text: str) -> None:
        tool = tmp_path / "vcgencmd"
        tool.write_text(f"#!/bin/sh\n[ $1 = get_throttled ] && echo '{text}'\n")
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return answer


def test_clocks_governors_and_temperature_are_read(pi):
    state = board_state(pi)
    assert state["celsius"] == 48.312
    assert (state["megahertz"], state["most_megahertz"]) == ([1800, 1800], [2400, 2400])
    assert state["governors"] == ["ondemand", "ondemand"]


def test_what_is_not_there_is_none(tmp_path):
    state = board_state(tmp_path)
    assert {state[name] for name in ("celsius", "most_megahertz", "megahertz", "governors")} == {None}


def test_nonsense_is_none(pi):
    (pi / "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq").write_text("<unknown>")
    assert board_state(pi)["megahertz"] is None


@pytest.mark.parametrize(
    ("answer", "now", "since"),
    [
        ("throttled=0x0", [], []),
        ("throttled=0x50005", ["supply voltage low", "clock throttled"], ["supply voltage low", "clock throttled"]),
        ("throttled=0x80000", [], ["soft temperature limit"]),
    ],
)
def test_the_flags_of_the_firmware_are_told(firmware, answer, now, since):
    firmware(answer)
    assert throttling() == {"now": now, "since_start": since}


@pytest.mark.parametrize("answer", ["", "VCHI initialization failed", "throttled=zz"])
def test_a_firmware_that_answers_nonsense_is_none(firmware, answer):
    firmware(answer)
    assert throttling() is None


def test_no_firmware_is_none(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert throttling() is None


class TestCore:
    def test_is_one_alone_and_given_back(self, tmp_path):
        before = os.sched_getaffinity(0)
        with one_core(tmp_path) as found:
            assert os.sched_getaffinity(0) == {found["core"]} <= before
            assert found["isolated"] is False
        assert os.sched_getaffinity(0) == before

    def test_is_an_isolated_one_where_there_is_one(self, tmp_path):
        folder = tmp_path / "sys/devices/system/cpu"
        folder.mkdir(parents=True)
        first = min(os.sched_getaffinity(0))
        (folder / "isolated").write_text(f"{first}\n")
        with one_core(tmp_path) as found:
            assert found == {"core": first, "isolated": True}

    def test_is_none_where_the_system_refuses(self, monkeypatch, tmp_path):
        def refuse(process: int, cores: set[int]) -> None:
            raise PermissionError

        monkeypatch.setattr(board.os, "sched_setaffinity", refuse)
        with one_core(tmp_path) as found:
            assert found == {"core": None, "isolated": False}
