"""`provision.sh` is killed at random moments. The program from before works, and running it again makes it whole."""

import os
import random
import time

import pytest
from box import Box
from provisioned import PICTURES

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a container")

KILLS = int(os.environ.get("EDGE_LPDPL_KILLS", "3"))
"""Kills of an upgrade, and as many of a first installation; 25 before a release, each is shown with --capture=no."""
SCRIPT = "/srv/changed/firmware_scripts/provision.sh"
WATCH = """\
import os, subprocess, sys
script, missing = subprocess.Popen(sys.argv[1:]), 0
while script.poll() is None:
    missing += not os.path.exists("/opt/edge-lpdpl/bin/edge-lpdpl")
print(f"missing {missing} times")
sys.exit(script.returncode)
"""


@pytest.fixture
def machine(provisioned, checkout):
    """A machine on which the project is installed, with a checkout that can be changed."""
    binds = {checkout / "edge_lpdpl/library/shipped_pictures": "/srv/frames", checkout: "/srv/given"}
    with Box(provisioned.root, network=True, binds=binds) as box:
        box.shell("cp -r /srv/given /srv/changed")
        box.write("/etc/edge-lpdpl/config.toml", PICTURES)
        yield box


def change(box, number):
    """Another version of the program."""
    box.shell(f"echo '# {number}' >>/srv/changed/edge_lpdpl/__init__.py")


@pytest.mark.parametrize("first", [False, True], ids=["upgrade", "first"])
def test_killed_and_run_again_it_is_whole(machine, first):
    box, moments = machine, random.Random(KILLS)  # other moments for another number
    change(box, "measured")
    begin = time.monotonic()
    box.run(SCRIPT, "--no-start", timeout=600)
    whole = time.monotonic() - begin
    for number in range(KILLS):
        if first:
            box.shell("rm -rf /opt/edge-lpdpl* /usr/local/bin/edge-lpdpl*")
        change(box, number)
        moment = moments.uniform(0, whole)
        killed = f"setsid {SCRIPT} --no-start >/srv/killed.log 2>&1 & sleep {moment:.2f}; kill -KILL -- -$!"
        box.shell(killed, check=False, timeout=moment + 60)
        box.shell("systemctl stop 'edge-lpdpl-helper-*' 2>/dev/null", check=False)
        if not first:
            assert box.run("edge-lpdpl", "--version").startswith("edge-lpdpl "), f"after {moment:.2f} s"
        done = box.attempt(SCRIPT, "--no-start", timeout=600)
        assert done.returncode == 0, f"after {moment:.2f} s: {done.stdout}\n{done.stderr}"
        program = box.run("readlink", "/opt/edge-lpdpl").strip()
        assert box.shell("ls /opt").split() == ["edge-lpdpl", program]
        package = f"/opt/{program}/lib/python3*/site-packages/edge_lpdpl"
        box.shell(f"diff -r --exclude __pycache__ --exclude py.typed /srv/changed/edge_lpdpl {package}")
        box.run(
            "edge-lpdpl",
            "model",
            "verify",
            "/srv/given/edge_lpdpl/library/shipped_models/latin10.safetensors",
            "--backend",
            "numpy",
        )
        print(f"killed after {moment:.1f} of {whole:.0f} s, run again: whole")
    box.run("systemctl", "start", "edge-lpdpl")


def test_the_command_is_there_at_every_moment_of_the_first_upgrade_from_a_folder(machine):
    """Up to the first versions, /opt/edge-lpdpl was the environment itself and not a link to it."""
    box = machine
    box.shell("cd /opt && program=$(readlink edge-lpdpl) && rm edge-lpdpl && mv $program edge-lpdpl")
    change(box, "new layout")
    box.write("/srv/watch.py", WATCH)
    done = box.attempt("python3", "/srv/watch.py", SCRIPT, "--no-start", timeout=600)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "missing 0 times")
    assert box.shell("ls /opt").split() == ["edge-lpdpl", box.run("readlink", "/opt/edge-lpdpl").strip()]
