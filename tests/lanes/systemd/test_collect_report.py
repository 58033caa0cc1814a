"""`collect_report.sh`: what is needed is in the archive, and nothing that says whose machine it is or what was read."""

import json

import pytest
from service import configure, decisions, override, start, wait_for_decisions

SECRETS = {
    "user": "grace.hopper",
    "host": "broker.hopper.example",
    "broker-user": "grace-mqtt",
    "topic": "bedroom/safe",
    "address": "192.168.77.12",
    "address-6": "fd12:3456:789a::17",
    "hardware": "b8:27:eb:12:34:56",
    "mail": "grace@hopper.example",
}
PARTS = {
    "bench",
    "camera",
    "configuration",
    "doctor",
    "journal",
    "model",
    "python",
    "status",
    "system",
    "tuning",
    "unit",
}


@pytest.fixture
def report(box, checkout):
    """The parts of a report of a machine with secrets in many places, from name to text; and the box."""
    box.run("useradd", "--badname", "--create-home", "--uid", "1000", SECRETS["user"])
    box.shell("hostname box-of-grace")
    configure(
        box,
        f'[mqtt]\nhost = "{SECRETS["host"]}"\nusername = "{SECRETS["broker-user"]}"\ntopic = "{SECRETS["topic"]}"\n',
    )
    override(box, (checkout / "systemd/network.conf").read_text(), "network")
    start(box)
    wait_for_decisions(box, 5)
    said = " ".join([*SECRETS.values(), f"/home/{SECRETS['user']}/diary"])
    box.shell(f"systemd-run --quiet --wait -p SyslogIdentifier=edge-lpdpl --unit edge-lpdpl-other echo '{said}'")
    box.write("/etc/edge-lpdpl/config.d/99-wrong.toml", f'[frames]\nsource = "/home/{SECRETS["user"]}/x"\nwrong = 1\n')
    box.attempt("systemctl", "reload", "edge-lpdpl")
    box.shell("rm /etc/edge-lpdpl/config.d/99-wrong.toml")
    box.shell(
        "cd /srv && given/firmware_scripts/collect_report.sh --output report.tar.gz && tar -xzf report.tar.gz",
        timeout=120,
    )
    names = box.shell("ls /srv/edge-lpdpl-report").split()
    return {name.removesuffix(".txt"): box.run("cat", f"/srv/edge-lpdpl-report/{name}") for name in names}, box


def test_it_has_what_helps_and_nothing_private(report):
    parts, box = report
    assert set(parts) == PARTS
    assert "numba" in parts["doctor"]
    assert json.loads(parts["bench"])["total"]["p50_us"] > 0
    assert "reload refused" in parts["journal"]
    assert "WatchdogSec=10s" in parts["unit"]
    assert "frames " in parts["status"]
    assert "trigger" in parts["configuration"]
    everything = "\n".join(parts.values())
    for name, secret in {**SECRETS, "machine": "box-of-grace"}.items():
        assert secret not in everything, name
    assert '{"time":' not in everything
    read = {numeral["label"] for decision in decisions(box) for numeral in decision["numerals"]}
    assert read
    assert not read & set(parts["status"] + parts["unit"] + parts["journal"])


def test_a_dry_run_only_says_what(box):
    box.shell("mkdir /srv/empty")
    said = box.shell("cd /srv/empty && ../given/firmware_scripts/collect_report.sh --dry-run")
    assert {line.split(":")[0].strip() for line in said.splitlines()} == PARTS
    assert box.shell("ls /srv/empty") == ""
