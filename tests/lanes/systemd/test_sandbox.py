"""What the service can and cannot do, tried by `probe.py` inside its sandbox."""

import json

import pytest
from box import UNIT
from probe import INSTEAD, MAY, MAY_ALONE, TRIES
from service import override

MAY_BY_DROP_IN = {
    (): MAY_ALONE,
    ("strict",): set(),
    ("network",): MAY_ALONE | {"internet socket"},
}
IN_SANDBOX = "/srv/given/firmware_scripts/in_sandbox.sh"
OWN_FOLDERS = {"write runtime", "write hands", "write collected"}
"""They go with the service."""
OF_THE_CONTAINER = {
    *("set the clock", "read kernel messages", "write a kernel setting", "reboot", "connect to this machine"),
    *("bluetooth socket", "trace a process", "name the machine", "real-time priority", "higher priority"),
}
"""What the container itself forbids to root, or what has no counterpart there."""


@pytest.mark.parametrize("drop_ins", MAY_BY_DROP_IN, ids=lambda names: "+".join(names) or "alone")
def test_it_can_do_what_it_needs_and_nothing_else(box, checkout, drop_ins):
    found = probe(box, checkout, drop_ins)
    can = {name for name, result in found.items() if result == "ok"}
    assert set(found) == set(TRIES)
    assert can == MAY | MAY_BY_DROP_IN[drop_ins]


def test_nothing_is_writable_but_what_is_meant_to_be(box):
    """For root too, whom modes do not stop: the mounts are read-only."""
    override(box, INSTEAD.replace("/usr/bin/python3 /srv/probe.py", "/usr/bin/cat /proc/self/mountinfo"))
    box.run("systemctl", "start", UNIT)
    mounts = [line.split() for line in box.run("cat", "/srv/found").splitlines()]
    writable = {mount[4] for mount in mounts if "rw" in mount[5].split(",")}
    writable -= {path for path in writable if path.startswith(("/proc", "/dev", "/sys/fs/cgroup", "/run/host"))}
    kept = {f"/var/lib/edge-lpdpl-{name}" for name in ("hands", "log", "collected")}
    assert writable == {"/tmp", "/var/tmp", "/run/edge-lpdpl"} | kept


def test_what_root_runs_for_the_service_can_do_no_more(box, checkout):
    """`in_sandbox.sh` runs doctor and bench so: their machine code and their models are the service's."""
    prepare(box, checkout)
    assert in_sandbox(box) == (MAY | MAY_ALONE) - OWN_FOLDERS
    assert box.shell("find /run/systemd -name '*helper*'") == ""


def test_a_drop_in_is_a_part_of_the_sandbox(box, checkout):
    override(box, (checkout / "systemd/strict.conf").read_text(), "strict")
    prepare(box, checkout)
    assert in_sandbox(box) == MAY - OWN_FOLDERS


def test_what_compiles_is_root_who_can_write_to_the_cache_alone(box, checkout):
    prepare(box, checkout)
    more = {"write cache", "signal process 1", "read another process", "read passwords"}  # which are root's
    assert in_sandbox(box, "--to-cache") - more == (MAY | MAY_ALONE) - OWN_FOLDERS


def in_sandbox(box, *options):
    """What the probe can do there."""
    found = json.loads(box.run("bash", IN_SANDBOX, *options, "python3", "/srv/probe.py"))
    assert set(found) == set(TRIES)
    return {name for name, result in found.items() if result == "ok"}


def test_without_a_sandbox_the_probe_can_do_much_more(box, checkout):
    """Shows that the sandbox forbids these things, not the container."""
    prepare(box, checkout)
    folders = dict.fromkeys(("STATE_DIRECTORY", "HANDS_DIRECTORY", "CACHE_DIRECTORY", "RUNTIME_DIRECTORY"), "/var")
    found = json.loads(box.run("python3", "/srv/probe.py", **folders))
    cannot = {name for name, result in found.items() if result != "ok"}
    assert cannot <= OF_THE_CONTAINER


def prepare(box, checkout):
    box.write("/srv/probe.py", (checkout / "tests/lanes/systemd/probe.py").read_text())
    box.shell("echo film >/srv/video; chgrp video /srv/video; chmod 640 /srv/video")
    box.shell("mkdir -p /home/ada; echo secret >/home/ada/secret; chmod -R a+rX /home/ada")


def probe(box, checkout, drop_ins):
    prepare(box, checkout)
    for name in drop_ins:
        override(box, (checkout / f"systemd/{name}.conf").read_text(), name)
    override(box, INSTEAD)
    box.run("systemctl", "start", UNIT)
    return json.loads(box.run("cat", "/srv/found"))
