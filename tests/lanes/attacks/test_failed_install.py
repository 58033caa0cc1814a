"""The disk fails while a model is installed: what is said is what is on the disk, and the service reads on."""

import os

import pytest
from service import status, wait_for_decisions

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a container")

SCRIPT = "/srv/given/firmware_scripts/deploy_model.sh"
MODELS = "/srv/given/edge_lpdpl/library/shipped_models"
FAULT = '''
import errno, os, stat, sys

def fail_for(kind, sync=os.fsync):
    """Lets the disk fail for files, which is before the switch, or for the folder of slots right behind the switch."""
    def fail(handle):
        state, name = os.fstat(handle), os.readlink(f"/proc/self/fd/{{handle}}")
        behind = name.endswith("/slots") and os.readlink(name + "/current") != os.environ["BEFORE"]
        if stat.S_ISREG(state.st_mode) if kind == "file" else behind:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(handle)
    return fail

if "install" in sys.argv:
    os.environ["BEFORE"] = os.readlink("/var/lib/edge-lpdpl/slots/current")
    os.fsync = fail_for("{kind}")
'''


@pytest.fixture
def failing(pi):
    """A Pi with an installed model, on which the disk fails from now on for `kind`."""
    pi.run(SCRIPT, f"{MODELS}/latin10.safetensors", "root@127.0.0.1", timeout=120)
    installed = models(pi)

    def fail(kind):
        pi.write("/srv/fault/sitecustomize.py", FAULT.format(kind=kind))
        command = '#!/bin/sh\nPYTHONPATH=/srv/fault exec /opt/edge-lpdpl/bin/edge-lpdpl "$@"\n'
        pi.shell("rm /usr/local/bin/edge-lpdpl")
        pi.write("/usr/local/bin/edge-lpdpl", command)
        pi.shell("chmod 755 /usr/local/bin/edge-lpdpl")
        return installed

    yield pi, fail
    wait_for_decisions(pi)
    assert status(pi)["model"]["name"] == "latin10"


def models(box):
    """What the pointers point to, and its content."""
    return box.shell(
        "cd /var/lib/edge-lpdpl/slots && readlink current good && sha256sum current/* good/* && find .. -name '.?*.*'"
    )


def test_before_the_rename_nothing_is_changed(failing):
    pi, fail = failing
    before = fail("file")
    done = pi.attempt(SCRIPT, f"{MODELS}/arabic10.safetensors", "root@127.0.0.1", timeout=120)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "deploy_model.sh: nothing was changed")
    assert models(pi) == before


def test_behind_it_the_model_from_before_is_put_back(failing):
    pi, fail = failing
    before = fail("switch")
    done = pi.attempt(SCRIPT, f"{MODELS}/arabic10.safetensors", "root@127.0.0.1", timeout=120)
    assert done.returncode == 1, done
    assert "is current now, but a power cut may undo that" in done.stderr
    assert "the one from before was put back" in done.stderr
    assert models(pi) == before
