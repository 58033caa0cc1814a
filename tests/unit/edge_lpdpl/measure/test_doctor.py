"""What the doctor finds on many kinds of machines, most of them simulated by files."""

import json
import subprocess
from pathlib import Path

import pytest
from other_users import nobody
from template_models import ship_templates

from edge_lpdpl.commands.main import main
from edge_lpdpl.jit import store
from edge_lpdpl.library import shipped
from edge_lpdpl.library.shipped import shipped_model, shipped_models
from edge_lpdpl.measure import doctor
from edge_lpdpl.measure.doctor import NOTE, OK, PROBLEM, Check


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def quick(monkeypatch):
    """No other processes are started: their answers are given at once."""
    monkeypatch.setattr(doctor, "_failure_of", lambda code: None)


def put(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_good_machine_has_no_problem(capsys, quick):
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for name in ("python", "numpy", "pillow", "numba", "kernel cache", "kernels", "model chinese15"):
        assert f"ok       {name} " in text
    assert text.splitlines()[-1].startswith("no problem")


def test_json_is_a_list_of_checks(capsys, quick):
    assert main(["doctor", "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)
    assert all(list(check) == ["name", "verdict", "found", "remedy"] for check in checks)
    assert {check["verdict"] for check in checks} <= {OK, NOTE}


def test_a_problem_is_the_exit_status_and_has_a_remedy(capsys, quick, monkeypatch, tmp_path):
    monkeypatch.setattr(shipped, "_FOLDER", tmp_path)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "problem  models            none is shipped\n" in out
    assert "-> pip install --force-reinstall . in the project's folder" in out
    assert out.splitlines()[-1].startswith("1 to mend")


def test_numba_is_tried_in_a_process_of_its_own(monkeypatch):
    assert doctor._failure_of("pass") is None
    assert doctor._failure_of("raise SystemExit(3)") == "it ended with status 3"
    assert doctor._failure_of("import os; os.abort()") == "it ended with status -6"
    assert doctor._failure_of("1 / 0") == "ZeroDivisionError: division by zero"
    monkeypatch.setattr(doctor, "_failure_of", lambda code: "LLVM ERROR: out of memory")
    check = doctor.check_numba()
    assert check.verdict == PROBLEM
    assert "LLVM ERROR" in check.found


def test_without_numba_there_is_numpy(monkeypatch):
    monkeypatch.setattr(doctor.machine, "version", lambda name: None)
    assert doctor.check_numba().verdict == NOTE
    assert doctor.check_package("numpy") == Check("numpy", PROBLEM, "not installed", "pip install numpy")


def test_an_old_or_a_short_python(monkeypatch):
    monkeypatch.setattr(doctor, "_OLDEST_PYTHON", (99, 0))
    assert doctor.check_python().verdict == PROBLEM
    monkeypatch.undo()
    monkeypatch.setattr(doctor.sys, "maxsize", 2**31 - 1)
    assert doctor.check_python().verdict == NOTE


def test_a_cache_that_is_empty_or_nowhere(monkeypatch, tmp_path):
    for module in (store, doctor):
        monkeypatch.setattr(module, "cache_folder", lambda: tmp_path)
    assert doctor.check_cache() == Check("kernel cache", OK, str(tmp_path))
    assert doctor.check_kernels().remedy == "edge-lpdpl warm"
    for module in (store, doctor):
        monkeypatch.setattr(module, "cache_folder", lambda: None)
    assert doctor.check_cache().verdict == PROBLEM
    assert doctor.check_kernels().verdict == NOTE


def test_a_damaged_model_is_found(tmp_path):
    installed = tmp_path / "var/lib/edge-lpdpl/slots/current/model.safetensors"
    installed.parent.mkdir(parents=True)
    data = bytearray(shipped_model("latin10").read_bytes())
    installed.write_bytes(data)
    *shipped_ones, check = doctor.check_models("numba", tmp_path)
    assert [one.verdict for one in shipped_ones] == [OK] * len(shipped_models())
    assert (check.name, check.verdict) == ("installed model", OK)
    data[-1] ^= 1
    installed.write_bytes(data)
    *_, check = doctor.check_models("numba", tmp_path)
    assert check.verdict == PROBLEM
    assert "digest" in check.found


def test_a_model_that_may_not_be_looked_at_does_not_silence_the_doctor(monkeypatch, tmp_path):
    """The service's folder is closed to users outside its group."""
    monkeypatch.setattr(doctor, "shipped_models", lambda: ())
    installed = tmp_path / "var/lib/edge-lpdpl/model.safetensors"
    installed.parent.mkdir(parents=True)
    installed.parent.chmod(0)
    with nobody():
        *_, check = doctor.check_models("numpy", tmp_path)
    found = "may not be looked at (Permission denied)"
    assert check == Check("installed model", NOTE, found, "run edge-lpdpl doctor as root")


def test_a_failing_engine_does_not_silence_the_doctor(monkeypatch, tmp_path):
    def fail(*_):
        raise ValueError("math domain error\nin a kernel")

    monkeypatch.setattr(doctor, "verify_model", fail)
    checks = list(doctor.check_models("numba", tmp_path))
    assert [check.verdict for check in checks] == [PROBLEM] * len(shipped_models())
    assert checks[0].found == "cannot be run: ValueError: math domain error"


@pytest.mark.parametrize(
    ("file", "text", "question", "verdict"),
    [
        ("proc/meminfo", "MemAvailable: 4000000 kB", doctor.check_memory, OK),
        ("proc/meminfo", "MemAvailable: 200000 kB", doctor.check_memory, NOTE),
        ("proc/meminfo", "MemAvailable: 40000 kB", doctor.check_memory, PROBLEM),
        ("proc/other", "", doctor.check_memory, NOTE),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n", doctor.check_governor, OK),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand\n", doctor.check_governor, NOTE),
        ("sys/other", "", doctor.check_governor, OK),
        ("sys/class/thermal/thermal_zone0/temp", "48312\n", doctor.check_temperature, OK),
        ("sys/class/thermal/thermal_zone0/temp", "81000\n", doctor.check_temperature, NOTE),
        ("sys/class/thermal/thermal_zone0/temp", "\n", doctor.check_temperature, OK),
        ("dev/video0", "", doctor.check_camera_devices, OK),
        ("dev/null", "", doctor.check_camera_devices, NOTE),
    ],
)
def test_what_the_machine_says(file, text, question, verdict, tmp_path):
    put(tmp_path, file, text)
    check = question(tmp_path)
    assert check.verdict == verdict
    assert check.found
    assert check.remedy or verdict == OK or "cannot be read" in check.found


@pytest.mark.parametrize(
    ("says", "verdict", "found"),
    [
        ("throttled=0x0\n", OK, "none since it was started"),
        ("throttled=0x50000\n", NOTE, "not now, but since it was started"),
        ("throttled=0x50005\n", PROBLEM, "now: supply voltage low, clock throttled"),
        ("VCHI initialization failed\n", OK, "no Raspberry Pi firmware to ask"),
    ],
)
def test_what_the_firmware_says(says, verdict, found, tmp_path, monkeypatch):
    tool = tmp_path / "vcgencmd"
    tool.write_text(f"#!/bin/sh\nprintf '%s\\n' '{says.strip()}'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert doctor.check_throttling()[1:3] == (verdict, found)


def test_a_machine_without_firmware(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert doctor.check_throttling().verdict == OK


@pytest.mark.parametrize(("user", "groups", "verdict"), [(0, [], OK), (1000, [44], OK), (1000, [1000], NOTE)])
def test_who_may_use_the_camera(user, groups, verdict, monkeypatch):
    monkeypatch.setenv("USER", "pi")
    monkeypatch.setattr(doctor.os, "geteuid", lambda: user)
    monkeypatch.setattr(doctor.os, "getgroups", lambda: groups)
    monkeypatch.setattr(doctor.grp, "getgrnam", lambda name: doctor.grp.struct_group((name, "x", 44, [])))
    check = doctor.check_video_group()
    assert check.verdict == verdict
    assert check.remedy == ("sudo usermod -aG video pi, and log in again" if verdict == NOTE else "")


def test_the_camera_software_only_informs(monkeypatch):
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    assert doctor.check_camera_software().verdict == NOTE
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(doctor, "_failure_of", lambda code: "ImportError: libcamera.so.0.5")
    check = doctor.check_camera_software()
    assert check.verdict == NOTE
    assert "libcamera.so.0.5" in check.found
    monkeypatch.setattr(doctor, "_failure_of", lambda code: None)
    assert doctor.check_camera_software().verdict == OK


def test_a_question_that_is_never_answered(monkeypatch):
    def hang(command, **_):
        raise subprocess.TimeoutExpired(command, 120)

    monkeypatch.setattr(doctor.subprocess, "run", hang)
    assert doctor._failure_of("pass") == "TimeoutExpired"
