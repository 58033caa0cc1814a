"""The disk fails while a model is installed: what is said is what is on the disk, and the service reads on."""

import os

import pytest
from service import status, wait_for_decisions

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, for a container")

SCRIPT = "/srv/given/firmware_scripts/deploy_model.sh"
MODELS = "/srv/given/edge_lpdpl/library/shipped_models"
FAULT = '''
import errno, os, stat, sys

def fail(handle, sync=os.fsync):
    """Lets the disk fail for a file, which is before a rename, or for the folder behind the last one."""
    if {kind}:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    sync(handle)
    done.append(stat.S_ISDIR(os.fstat(handle).st_mode))

done = []
if "install" in sys.argv:
    os.fsync = fail
'''
BEFORE = "not done"
BEHIND = "any(done) and stat.S_ISDIR(os.fstat(handle).st_mode)"


@pytest.fixture
def failing(pi):
    """A Pi with an installed model, on which the disk fails from now on where `kind` says."""
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
    """Everything in the folder of models, with its content."""
    return box.shell("cd /var/lib/edge-lpdpl && find . -type f -exec sha256sum {} + && find . ! -type f")


def test_before_the_rename_nothing_is_changed(failing):
    pi, fail = failing
    before = fail(BEFORE)
    done = pi.attempt(SCRIPT, f"{MODELS}/arabic10.safetensors", "root@127.0.0.1", timeout=120)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "deploy_model.sh: nothing was changed")
    assert models(pi) == before


def test_behind_it_the_model_from_before_is_put_back(failing):
    pi, fail = failing
    before = fail(BEHIND)
    done = pi.attempt(SCRIPT, f"{MODELS}/arabic10.safetensors", "root@127.0.0.1", timeout=120)
    assert done.returncode == 1, done
    assert "it was replaced, but not made safe from a power cut" in done.stderr
    assert "the one from before was put back" in done.stderr
    assert models(pi) == before
