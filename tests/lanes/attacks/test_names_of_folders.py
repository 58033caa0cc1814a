"""Folders whose names are programs: a checkout of somebody else's making, on which root runs the scripts."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAMES = ["a b", "x; touch owned; y", "$(touch owned)", "'; touch owned; '", '"; touch owned; "', "`touch owned`", "-n"]


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_made_and_the_name_is_not_run(tmp_path, name):
    shutil.copytree(ROOT / "firmware_scripts", tmp_path / name / "firmware_scripts")
    command = [tmp_path / name / "firmware_scripts/collect_report.sh", "--output", "report:1.tar.gz"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=120)
    assert not list(tmp_path.rglob("owned"))
    with tarfile.open(tmp_path / "report:1.tar.gz") as report:
        part = report.extractfile("edge-lpdpl-report/tuning.txt")
        assert b"== Clock" in part.read()


@pytest.mark.parametrize("name", NAMES)
def test_every_script_says_its_help_there(tmp_path, name):
    folder = shutil.copytree(ROOT / "firmware_scripts", tmp_path / name / "firmware_scripts")
    for script in folder.glob("*.sh"):
        if os.access(script, os.X_OK):
            done = subprocess.run([script, "--help"], cwd=tmp_path, capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, "")
    assert not list(tmp_path.rglob("owned"))


def test_a_report_follows_no_link(tmp_path):
    """Somebody who guesses the name of the report has put a link there, to a file of the user's."""
    (tmp_path / "own").write_text("own")
    (tmp_path / "report.tar.gz").symlink_to(tmp_path / "own")
    script = ROOT / "firmware_scripts/collect_report.sh"
    subprocess.run([script, "--output", "report.tar.gz"], cwd=tmp_path, check=True, capture_output=True, timeout=120)
    assert (tmp_path / "own").read_text() == "own"
    assert tarfile.is_tarfile(tmp_path / "report.tar.gz")
