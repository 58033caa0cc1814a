"""The README's two commands on a fresh Debian 13, as an unprivileged user."""

import subprocess
from pathlib import Path

import pytest
from debian import LaneError, changeable, debian_root, like_host, require_host

CHECKOUT = Path(__file__).parents[3]
PACKAGES = ("ca-certificates", "git", "make", "python3-venv")
PLACE = "/srv/edge-lpdpl"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Debian 13 with the packages that the README names, a user, and a clone of the committed files."""
    try:
        require_host()
    except LaneError as error:
        pytest.exit(str(error), returncode=2)
    with changeable(debian_root(PACKAGES), tmp_path_factory.mktemp("fresh")) as root:
        clone = ["git", "-c", "safe.directory=*", "clone", "--quiet", "--no-local", str(CHECKOUT), f"{root}{PLACE}"]
        subprocess.run(clone, check=True)
        for command in (["useradd", "--create-home", "ada"], ["chown", "-R", "ada", PLACE]):
            subprocess.run([*_inside(root, "root", "/"), *command], check=True)
        yield root


@pytest.mark.parametrize("target", ["demo", "test"])
def test_make(root, target):
    """Prints make's output, which a new user sees."""
    assert subprocess.run([*_inside(root, "ada", PLACE), "make", target]).returncode == 0


def test_the_clone_is_as_clean_as_before(root):
    status = subprocess.run(
        [*_inside(root, "ada", PLACE), "git", "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert status.stdout == ""
    assert (root / f"{PLACE[1:]}/demo-output/chinese15.png").stat().st_size > 10_000


def _inside(root, user, folder):
    nspawn = ["systemd-nspawn", "--quiet", f"--directory={root}", "--register=no", "--keep-unit", "--as-pid2"]
    return [*nspawn, "--console=pipe", *like_host(), f"--user={user}", f"--chdir={folder}"]
