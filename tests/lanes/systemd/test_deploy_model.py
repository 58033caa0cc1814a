"""`deploy_model.sh` over a real sshd, to root and to a user with sudo. It reverts if the service stops reading."""

import pytest
from box import UNIT
from service import configure, status

SCRIPT = "/srv/given/firmware_scripts/deploy_model.sh"
MODELS = "/srv/given/edge_lpdpl/library/shipped_models"
STATE = "/var/lib/edge-lpdpl"
INSTALLED = f"{STATE}/slots/current/model.safetensors"


def deploy(box, *arguments):
    return box.attempt(SCRIPT, *arguments, timeout=120)


def leftovers(box):
    """Files in /tmp, without systemd's own."""
    return box.shell("ls /tmp | grep -v ^systemd-private", check=False)


def name_of_model(box):
    return status(box)["model"]["name"]


@pytest.mark.parametrize("user", ["root", "ada"])
def test_the_service_reads_with_the_new_model(pi, user):
    process = pi.value("MainPID")
    done = deploy(pi, f"{MODELS}/latin10.safetensors", f"{user}@127.0.0.1")
    assert (done.returncode, "The service reads with it" in done.stdout) == (0, True), done
    assert name_of_model(pi) == "latin10"
    assert pi.value("MainPID") == process
    assert leftovers(pi) == ""


def test_a_model_that_the_service_does_not_take_is_taken_back(pi):
    """The configuration names another model, so the service goes on with that one."""
    assert deploy(pi, f"{MODELS}/latin10.safetensors", "root@127.0.0.1").returncode == 0
    before = pi.run("sha256sum", INSTALLED)
    configure(pi, '[model]\nfile = "latin10"\n')
    done = deploy(pi, "--wait", "3", f"{MODELS}/arabic10.safetensors", "root@127.0.0.1")
    assert done.returncode == 1
    assert "the one from before was put back" in done.stderr
    assert pi.run("sha256sum", INSTALLED) == before
    assert name_of_model(pi) == "latin10"


@pytest.mark.parametrize("old", [False, True], ids=["in-a-slot", "from-before-slots"])
def test_a_model_that_was_damaged_before_is_put_back(pi, old):
    """The service does not run, so nothing answers and no model is in use."""
    assert deploy(pi, f"{MODELS}/latin10.safetensors", "root@127.0.0.1").returncode == 0
    if old:
        pi.shell(f"rm -r {STATE}/slots")
    damaged = f"{STATE}/model.safetensors" if old else INSTALLED
    pi.shell(f"echo damaged >{damaged}")
    configure(pi, '[model]\nfile = "/srv/none.safetensors"\n')
    pi.attempt("systemctl", "restart", UNIT)
    before = pi.run("sha256sum", damaged), pi.shell(f"readlink {STATE}/slots/current", check=False)
    done = deploy(pi, "--wait", "3", f"{MODELS}/arabic10.safetensors", "root@127.0.0.1")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert ("none is used now" if old else "but the service does not read with it") in done.stderr
    assert (pi.run("sha256sum", damaged), pi.shell(f"readlink {STATE}/slots/current", check=False)) == before


def test_without_a_previous_model_none_is_left(pi):
    configure(pi, '[model]\nfile = "chinese15"\n')
    done = deploy(pi, "--wait", "3", f"{MODELS}/arabic10.safetensors", "root@127.0.0.1")
    assert done.returncode == 1
    assert "no model in a slot was confirmed before, so none is used now" in done.stderr
    assert pi.attempt("test", "-L", f"{STATE}/slots/current").returncode == 1
    assert name_of_model(pi) == "chinese15"


def test_a_service_that_had_ended_is_started_with_it(pi):
    configure(pi, '[model]\nfile = "/srv/none.safetensors"\n')
    pi.attempt("systemctl", "restart", UNIT)
    assert pi.value("ActiveState") == "failed"
    configure(pi, "")
    assert deploy(pi, f"{MODELS}/latin10.safetensors", "root@127.0.0.1").returncode == 0
    assert name_of_model(pi) == "latin10"


@pytest.mark.parametrize("path", ["/usr/local/bin:/usr/bin:/bin", "/usr/bin:/bin"], ids=["seen-here", "seen-there"])
def test_a_damaged_model_changes_nothing(pi, path):
    """The model is verified wherever edge-lpdpl is installed: here if it is, and on the target always."""
    pi.shell(f"head -c 200000 {MODELS}/latin10.safetensors >/srv/damaged.safetensors")
    done = pi.attempt(SCRIPT, "/srv/damaged.safetensors", "root@127.0.0.1", PATH=path)
    assert done.returncode == 2
    assert "edge-lpdpl: " in done.stderr
    assert pi.shell("ls /var/lib/edge-lpdpl") + leftovers(pi) == ""
    assert status(pi)["model"]["name"] == "chinese15"


def test_a_pi_that_is_not_there_is_one_line(pi):
    done = deploy(pi, "--ssh", "-p9", f"{MODELS}/latin10.safetensors", "root@127.0.0.1")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "deploy_model.sh: root@127.0.0.1: cannot be reached by ssh"


def test_a_dry_run_only_verifies(pi):
    done = deploy(pi, "--dry-run", f"{MODELS}/latin10.safetensors", "root@127.0.0.1")
    assert done.returncode == 0
    assert "would copy" in done.stdout
    assert pi.attempt("test", "-e", INSTALLED).returncode == 1
