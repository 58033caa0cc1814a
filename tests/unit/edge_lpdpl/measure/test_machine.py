"""What a machine is and in which state, read from files of other machines."""

import os

import pytest

from edge_lpdpl.measure import machine
from edge_lpdpl.measure.machine import board_state, throttling


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


def test_the_machine_is_read_from_its_files(tmp_path):
    files = {
        "proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0",
        "proc/cpuinfo": "processor\t: 0\nCPU part\t: 0xd0b\n\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n",
        "proc/meminfo": "MemTotal:        8063536 kB\nMemAvailable:    7000000 kB\nHugePages_Total:       0\n",
        "proc/self/status": "Name:\tx\nVmHWM:\t   52000 kB\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "ondemand\n",
        "sys/class/thermal/thermal_zone0/temp": "48312\n",
        "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = machine.machine(tmp_path)
    assert found["board"] == found["cpu"] == "Raspberry Pi 5 Model B Rev 1.0"
    assert found["governor"] == "ondemand"
    assert found["memory_bytes"] == 8063536 * 1024
    assert found["system"] == "Debian GNU/Linux 13 (trixie)"
    assert machine.peak_memory(tmp_path) == 52000 * 1024
    assert machine.temperature(tmp_path) == 48.312


def test_a_machine_that_says_nothing(tmp_path):
    found = machine.machine(tmp_path)
    assert found["board"] is None
    assert found["governor"] is None
    assert found["memory_bytes"] is None
    assert found["cpu"]
    assert machine.temperature(tmp_path) is None
    assert machine.peak_memory(tmp_path) is None
