"""The unit and its drop-ins: reasons in comments, systemd's verdict, and the exposure of the sandbox."""

import json
from pathlib import Path

import pytest
from box import UNIT, Box

FOLDER = Path(__file__).parents[3] / "systemd"
DROP_INS = ("strict", "network", "button")
MOST_EXPOSED = {(): 1.5, ("strict",): 0.8, ("button",): 1.5, ("network",): 1.5, ("strict", "network"): 1.5}


@pytest.mark.parametrize("name", [UNIT, *(f"{name}.conf" for name in DROP_INS)])
def test_every_directive_has_its_reason_above_it(name):
    above, without = "", []
    for line in (FOLDER / name).read_text().splitlines():
        if line and line[0] not in "#[" and not above.startswith("#") and line.split("=")[0] != above.split("=")[0]:
            without.append(line)
        above = line
    assert not without


@pytest.fixture(scope="module")
def machine(provisioned):
    """One machine for all tests of files."""
    with Box(provisioned.root) as box:
        box.shell("groupadd --system gpio")  # as on Raspberry Pi OS
        yield box


@pytest.mark.parametrize("drop_ins", MOST_EXPOSED, ids=lambda names: "+".join(names) or "alone")
def test_systemd_understands_all_of_it_and_the_exposure_is_small(machine, drop_ins):
    folder = f"/etc/systemd/system/{UNIT}.d"
    machine.shell(f"rm -rf {folder}")
    for name in drop_ins:
        machine.write(f"{folder}/{name}.conf", (FOLDER / f"{name}.conf").read_text())
    verified = machine.attempt("systemd-analyze", "verify", "--man=no", UNIT)
    assert (verified.returncode, verified.stderr) == (0, "")  # an unknown key is reported, but the status is 0
    machine.run("systemctl", "daemon-reload")
    said = machine.run("systemd-analyze", "security", "--no-pager", UNIT).splitlines()[-1]
    exposure = float(said.split(": ")[1].split()[0])
    assert exposure <= MOST_EXPOSED[drop_ins], said


def test_the_strict_drop_in_forbids_code_that_is_made(machine):
    machine.shell(f"rm -rf /etc/systemd/system/{UNIT}.d")
    assert _protection(machine, "MemoryDenyWriteExecute") == (False, True)


def _protection(machine, name):
    found = []
    for drop_in in (None, "strict"):
        if drop_in:
            machine.write(f"/etc/systemd/system/{UNIT}.d/strict.conf", (FOLDER / "strict.conf").read_text())
        machine.run("systemctl", "daemon-reload")
        rows = json.loads(machine.run("systemd-analyze", "security", "--json=short", "--no-pager", UNIT))
        found += [row["set"] for row in rows if row["json_field"] == name]
    return tuple(found)


def test_the_user_and_its_directories(machine):
    assert "video" in machine.run("id", "--name", "--groups", "edge-lpdpl").split()
    shown = machine.run("stat", "-c", "%a %U %n", "/var/lib/edge-lpdpl", "/var/cache/edge-lpdpl", "/etc/edge-lpdpl")
    assert shown.splitlines() == [
        "750 root /var/lib/edge-lpdpl",
        "755 root /var/cache/edge-lpdpl",
        "755 root /etc/edge-lpdpl",
    ]
