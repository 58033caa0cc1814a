"""Checks of all scripts in `firmware_scripts/`."""

import os
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "firmware_scripts"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.sh") if os.access(path, os.X_OK))


def test_shellcheck_has_nothing_to_say():
    scripts = [*FOLDER.glob("*.sh"), *(FOLDER.parent / "systemd/debian").iterdir()]
    done = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("name", SCRIPTS)
def test_help_says_every_option_and_how_to_call_it(name):
    done = subprocess.run([FOLDER / name, "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"firmware_scripts/{name}" in done.stdout
    assert {"--dry-run", "--help"} <= set(done.stdout.split())


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_unknown_option_is_one_line_and_status_2(name):
    done = subprocess.run([FOLDER / name, "--nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [f"{name}: unknown option --nonsense; see --help"]
    assert done.stdout == ""
