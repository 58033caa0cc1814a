"""`collect_report.sh`: the archive has what is needed, and nothing about the owner or the readings."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

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
    """A report of a machine with secrets in many places, as texts by name; and the box."""
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


ROOT = Path(__file__).parents[3]
PLACES = """\
mqtt.host = "broker.hopper.example"
mqtt.topic = 'bedroom/safe "left"'
model.file="/srv/hopper/cards.safetensors"
trigger.kind = "interval"
[frames]
\tsource = "/srv/grace/letters"
"""
JOURNAL = """\
mqtt: broker.hopper.example:1883 does not answer
"bedroom/safe \\"left\\"", or bedroom/safe "left"
cards.safetensors: is cut off; /srv/hopper/cards.safetensors
/srv/grace/letters/a.png: is no picture
from fe80::1234 and fd12::5, fe80::a:b%wlan0, 2001:db8:1:2:3:4:5:6, ::ffff:10.0.0.7 and fd99:1::/48
at 12:34:56 Camera::configure said interval with numba
"""


@pytest.fixture
def elsewhere(tmp_path):
    """The script on a machine with its own configuration folder and this journal."""
    shutil.copytree(ROOT / "firmware_scripts", tmp_path / "firmware_scripts")
    script, etc = tmp_path / "firmware_scripts/collect_report.sh", tmp_path / "etc/edge-lpdpl"
    script.write_text(script.read_text().replace("/etc/edge-lpdpl", str(etc)))
    (etc / "config.d").mkdir(parents=True)
    (etc / "config.toml").write_text(PLACES)
    (tmp_path / "bin").mkdir()
    command = f"{sys.executable} -c 'import sys; from edge_lpdpl.commands.main import main; sys.exit(main())'"
    settings = f'[ "$1" = config ] || exit 3; [ "$3" = --default ] || set -- "$@" --config {etc / "config.toml"}'
    for name, does in {
        "edge-lpdpl": f'{settings}; cd {shlex.quote(str(ROOT))}; exec {command} "$@"',
        "journalctl": f"cat <<'END'\n{JOURNAL}END",
    }.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("wrong", [False, True])
def test_texts_of_the_configuration_and_all_addresses_are_removed(elsewhere, wrong):
    """A report is most likely where the configuration cannot be read."""
    if wrong:
        (elsewhere / "etc/edge-lpdpl/config.d/99.toml").write_text("[frames]\nsuorce = '/srv/grace/more'\n")
    environment = {**os.environ, "PATH": f"{elsewhere / 'bin'}:{os.environ['PATH']}"}
    subprocess.run([elsewhere / "firmware_scripts/collect_report.sh"], cwd=elsewhere, env=environment, check=True)
    (archive,) = elsewhere.glob("*.tar.gz")
    shutil.unpack_archive(archive, elsewhere, filter="data")
    parts = {path.stem: path.read_text() for path in (elsewhere / "edge-lpdpl-report").iterdir()}
    everything = parts["journal"] + parts["configuration"]
    for secret in ("hopper", "bedroom", "left", "cards", "letters", "grace", "fe80", "fd12", "fd99", "2001:", "10.0.0"):
        assert secret not in everything, secret
    assert "at 12:34:56 Camera::configure said interval with numba" in parts["journal"]
    assert "from ADDRESS and ADDRESS, ADDRESS%wlan0, ADDRESS, " in parts["journal"]
    assert ("did you mean source" if wrong else 'kind = "interval"') in parts["configuration"]
