"""The service's user is hostile: what he puts into folders that root works in, while root works there."""

import pytest
from box import UNIT

SCRIPT = "/srv/given/firmware_scripts/deploy_model.sh"
MODELS = "/srv/given/edge_lpdpl/library/shipped_models"
STATE = "/var/lib/edge-lpdpl"
VICTIM = "/etc/victim"
SWAP = f"""
import glob, os
names = lambda: glob.glob("{STATE}/model.safetensors.*") + glob.glob("{STATE}/.*/*") + glob.glob("{STATE}/.*")
while True:
    for name in names():
        try:
            os.rename(name, name + "-taken")
        except OSError:
            pass
        try:
            os.symlink("{VICTIM}", name)
        except OSError:
            pass
"""
"""Takes the place of every file that root makes there, as fast as it can."""


@pytest.fixture
def attacked(pi):
    """A Pi with an installed model, on which the service's user swaps files for links to a file of root's."""
    pi.run(SCRIPT, f"{MODELS}/latin10.safetensors", "root@127.0.0.1", timeout=120)
    pi.write(VICTIM, "root's own\n")
    pi.write("/srv/swap.py", SWAP)
    return pi


def deploy_while_swapped(box):
    box.shell("systemd-run --quiet --unit attacker --uid edge-lpdpl python3 /srv/swap.py")
    done = [box.attempt(SCRIPT, f"{MODELS}/{name}10.safetensors", "127.0.0.1") for name in ("arabic", "latin") * 2]
    box.shell("systemctl stop attacker")
    return done


def test_the_service_can_put_nothing_where_root_works(box):
    for folder in (STATE, "/var/cache/edge-lpdpl"):
        tried = box.attempt("runuser", "-u", "edge-lpdpl", "--", "ln", "-s", VICTIM, f"{folder}/link")
        assert "Permission denied" in tried.stderr, folder


def test_a_swapped_link_overwrites_nothing(attacked):
    done = deploy_while_swapped(attacked)
    assert attacked.run("cat", VICTIM) == "root's own\n"
    assert [one.returncode for one in done] == [0] * 4, done


def test_a_folder_of_an_older_version_is_refused(attacked):
    """There the folder belonged to the service."""
    attacked.shell(f"chown -R edge-lpdpl: {STATE}")
    done = deploy_while_swapped(attacked)
    assert attacked.run("cat", VICTIM) == "root's own\n"
    assert [one.returncode for one in done] == [2] * 4, done
    assert all(f"{STATE} is not root's alone: run provision.sh" in one.stderr for one in done)


def test_an_upgrade_takes_the_folders_and_keeps_nothing_of_the_services(box):
    """Links and files of the service's go; the model that root installed stays."""
    box.shell(f"cp {MODELS}/latin10.safetensors {STATE}/model.safetensors")  # as a version before slots did
    box.write(VICTIM, "root's own\n")
    box.shell(
        f"""
        cd /var/cache/edge-lpdpl && mkdir planted && echo evil >planted/page.kernels && ln -s {VICTIM} link
        cd {STATE} && mkdir planted && ln -s {VICTIM} planted/link && ln -s {VICTIM} model.safetensors.AbCdEf
        chown -hR edge-lpdpl: . /var/cache/edge-lpdpl/planted /var/cache/edge-lpdpl/link
        chown root: model.safetensors && chown edge-lpdpl: /var/cache/edge-lpdpl
        """
    )
    box.run("bash", "/srv/given/firmware_scripts/own_folders.sh")
    assert box.shell(f"find {STATE} /var/cache/edge-lpdpl ! -user root") == ""
    assert box.shell(f"find {STATE} /var/cache/edge-lpdpl -name planted -o -type l") == ""
    assert box.run("cat", VICTIM) == "root's own\n"
    box.run("systemctl", "start", UNIT)
    assert "latin10" in box.run("edge-lpdpl", "ask", "status")
