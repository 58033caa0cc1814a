"""What `provision.sh` takes from PyPI: a file that is not the locked one is refused, and the old program goes on."""

import os

import pytest
from box import Box
from provisioned import PICTURES

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a container")

SCRIPT = "/srv/changed/firmware_scripts/provision.sh"
OFFERED = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/srv/offered", "PIP_NO_CACHE_DIR": "1"}
"""The index is a folder that the attacker fills."""
OFFER = """
cp -r /srv/given /srv/changed
for lock in pi build; do
    /opt/edge-lpdpl/bin/python -m pip download --quiet --no-deps --only-binary :all: \\
        --dest /srv/offered --requirement /srv/changed/locks/$lock.txt
done
"""
SWAP = """
import pathlib, sys, zipfile
(wheel,) = pathlib.Path("/srv/offered").glob(sys.argv[1] + "-*.whl")
pathlib.Path("/srv/kept").write_bytes(wheel.read_bytes())
with zipfile.ZipFile(wheel, "a") as archive:
    archive.writestr("owned.pth", "import os; os.system('touch /srv/owned')")
print(wheel)
"""


@pytest.fixture
def machine(provisioned, checkout):
    """A machine with the service, another version of the program to install, and an index of its own."""
    binds = {checkout / "edge_lpdpl/library/shipped_pictures": "/srv/frames", checkout: "/srv/given"}
    with Box(provisioned.root, network=True, binds=binds) as box:
        box.write("/etc/edge-lpdpl/config.toml", PICTURES)
        box.shell(OFFER, timeout=300)
        box.shell("echo '# changed' >>/srv/changed/edge_lpdpl/__init__.py")
        yield box


def test_a_wheel_with_another_digest_is_refused_and_the_old_program_stays(machine):
    """A package of the Pi, then one that builds the wheel. With the locked files the same command succeeds."""
    box = machine
    box.run("systemctl", "start", "edge-lpdpl")
    program, process = box.run("readlink", "/opt/edge-lpdpl"), box.value("MainPID")
    for package in ("llvmlite", "hatchling"):
        wheel = box.run("python3", "-c", SWAP, package).strip()
        done = box.attempt(SCRIPT, timeout=600, **OFFERED)
        assert done.returncode == 2
        assert "DO NOT MATCH THE HASHES" in done.stderr
        assert done.stderr.splitlines()[-1].startswith("provision.sh: nothing was changed")
        assert box.run("readlink", "/opt/edge-lpdpl") == program
        assert box.run("edge-lpdpl", "--version").startswith("edge-lpdpl ")
        assert (box.value("ActiveState"), box.value("MainPID")) == ("active", process)
        assert box.attempt("test", "-e", "/srv/owned").returncode == 1
        box.run("mv", "/srv/kept", wheel)
    box.run(SCRIPT, timeout=600, **OFFERED)
    assert box.run("readlink", "/opt/edge-lpdpl") != program
    assert box.value("MainPID") != process


def test_a_package_that_a_lock_does_not_name_is_not_taken(machine):
    """The wheel asks for another one, which the index has: pip is not to look for it."""
    box = machine
    box.shell("sed -i 's/^dependencies = \\[/&\"hatchling\", /' /srv/changed/pyproject.toml")
    box.run(SCRIPT, "--no-start", timeout=600, **OFFERED)
    assert box.shell("ls -d /opt/edge-lpdpl/lib/python3*/site-packages/hatchling", check=False) == ""
