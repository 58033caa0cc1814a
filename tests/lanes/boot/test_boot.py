"""Debian 13 on an emulated Raspberry Pi 4: the package is installed, reads, stops, and starts with the machine."""

import json

import pytest
from messages import without_times

SECONDS_TO_DECIDE = 120
"""Limit from start to first decision, even on a busy host. Compiling there would take several minutes."""
WATCHDOG = 10


def test_the_machine_is_the_one_that_is_meant(each_boot):
    machine = each_boot.steps["machine"]
    assert machine["system"][4] == "aarch64"
    assert machine["processors"] == ["0xd08", "0xd08"]  # Cortex-A72
    assert machine["network"] == ["lo"]


def test_apt_installs_the_package_and_starts_the_service(boots):
    assert boots["install"].steps["installed"]["status"] == 0
    service = boots["install"].steps["service"]["first"]
    assert service["ActiveState"] == "active"
    assert service["UnitFileState"] == "enabled"


def test_the_service_is_ready_and_feeds_the_watchdog(each_boot):
    first, later = each_boot.steps["service"]["first"], each_boot.steps["service"]["later"]
    assert (first["ActiveState"], later["ActiveState"]) == ("active", "active")
    assert first["MainPID"] == later["MainPID"]
    assert later["NRestarts"] == "0"
    fed = [int(service["WatchdogTimestampMonotonic"]) / 1e6 for service in (first, later)]
    assert fed[1] - fed[0] > WATCHDOG


def test_every_frame_is_decided_as_on_another_processor(each_boot, decided_here):
    decided = [without_times(message) for _, message in each_boot.steps["service"]["decisions"]]
    assert len(decided) >= len(decided_here)
    rounds = len(decided) // len(decided_here) + 1
    assert decided == (decided_here * rounds)[: len(decided)]


def test_the_decisions_are_the_labels_of_the_pictures(frames, decided_here):
    names = sorted(path.stem for path in frames.iterdir())
    decided = dict(zip(names, decided_here, strict=True))
    shipped = {name: [int(name.split("_")[1])] for name in names if name.startswith("chinese")}
    assert len(shipped) == 15
    assert {name: [number["value"] for number in decided[name]["numbers"]] for name in shipped} == shipped
    scenes = [name for name in names if name not in shipped]
    assert sum(len(decided[name]["numerals"]) for name in scenes) >= 2 * len(scenes)  # numbers, not single numerals


def test_the_first_decision_is_soon_after_the_start(each_boot):
    service = each_boot.steps["service"]
    microseconds = service["decisions"][0][0] - int(service["first"]["ExecMainStartTimestampMonotonic"])
    assert microseconds / 1e6 < SECONDS_TO_DECIDE


def test_the_kernels_are_those_that_the_package_brings(each_boot):
    """Nothing was compiled, and the compiler is not loaded."""
    service = each_boot.steps["service"]
    assert json.loads(service["status"]["output"])["backend"] == "numba"
    mapped = service["process"]["mapped"]
    assert any("/llvmlite/" in path for path in mapped)
    assert not any("/numba/" in path for path in mapped)
    assert service["process"]["cache"] == []


def test_it_runs_as_its_own_user_without_rights(each_boot):
    process = each_boot.steps["service"]["process"]
    assert process["user"] == "edge-lpdpl"
    shown = {name: process["status"][name] for name in ("CapEff", "NoNewPrivs", "Seccomp")}
    assert shown == {"CapEff": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}


def test_it_stays_far_below_its_memory_limit(each_boot):
    later = each_boot.steps["service"]["later"]
    assert int(later["MemoryPeak"]) < int(later["MemoryMax"]) / 2


def test_no_unit_fails(each_boot):
    assert each_boot.steps["service"]["failed"] == []


@pytest.mark.parametrize("name", ["install", "after_cut"])
def test_stop_is_clean_and_leaves_nothing(boots, name):
    stopped = boots[name].steps["stopped"]
    assert (stopped["status"], stopped["seconds"] < WATCHDOG) == (0, True)
    service = {name: stopped["service"][name] for name in ("ActiveState", "Result", "ExecMainStatus", "NRestarts")}
    assert service == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0", "NRestarts": "0"}
    assert (stopped["processes"], stopped["files"], stopped["failed"]) == ([], [], [])
    assert [text for _, level, text in stopped["lines"] if level < 5] == []  # no warning and no error


def test_it_ends_cleanly_with_the_machine(boots):
    """The service was running at power-off; at the next start the journal still says how it ended."""
    assert boots["install"].steps["started"]["status"] == 0
    texts = [text for _, _, text in boots["again"].steps["before"]["lines"]]
    assert any(text.endswith("Deactivated successfully.") for text in texts[-4:])
    assert [text for _, level, text in boots["again"].steps["before"]["lines"] if level < 5] == []
    assert boots["install"].clean


def test_a_power_cut_is_got_over(boots):
    """The power really was cut, and the next start is like the others."""
    before = boots["after_cut"].steps["before"]["lines"]
    assert not any(text.startswith("Stopping") for _, _, text in before)
    assert not boots["again"].clean
    assert boots["after_cut"].clean


def test_each_start_is_a_new_one(boots):
    assert len({boot.steps["machine"]["boot"] for boot in boots.values()}) == 3
