"""Machine code of somebody else: a cache below the folder of another user, who exchanges it at the right moment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be attacked by another user")

ROOT = Path(__file__).parents[3]
NOBODY = 65534
FIND = "from edge_lpdpl.jit.store import cache_folder; print(cache_folder())"
EXCHANGE = """
import os, sys
os.setgid(65534), os.setuid(65534)
os.chdir(sys.argv[1])
print("ready", flush=True)
while True:
    for old, new in ((".cache", "theirs"), ("mine", ".cache"), (".cache", "mine"), ("theirs", ".cache")):
        try:
            os.rename(old, new)
        except OSError:
            pass
"""


@pytest.fixture
def home(tmp_path):
    """A home that is nobody's, with a cache of root's, and one of the attacker's to put in its place."""
    home = tmp_path / "nobodys"
    (home / ".cache/edge-lpdpl").mkdir(parents=True)
    (home / "mine/edge-lpdpl").mkdir(parents=True)
    for path in (home, home / "mine", home / "mine/edge-lpdpl"):
        os.chown(path, NOBODY, NOBODY)
    for above in (tmp_path, *tmp_path.parents[:-2]):
        above.chmod(above.stat().st_mode & 0o7777 | 0o055)
    return home


def found(**variables):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    done = subprocess.run(
        [sys.executable, "-c", FIND], env=environment, cwd="/", capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["HOME", "XDG_CACHE_HOME", "CACHE_DIRECTORY", "NUMBA_CACHE_DIR"])
def test_a_cache_below_another_users_folder_is_not_used(home, name):
    assert found(**{name: str(home if name == "HOME" else home / ".cache")}) == "None"


def test_nor_while_he_exchanges_it(home):
    command = [sys.executable, "-c", EXCHANGE, str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as attacker:
        try:
            assert attacker.stdout.readline() == b"ready\n"
            assert {found(HOME=str(home)) for _ in range(10)} == {"None"}
        finally:
            attacker.kill()


def test_a_cache_of_roots_own_is_used(tmp_path):
    assert found(XDG_CACHE_HOME=str(tmp_path)).startswith(f"{tmp_path}/edge-lpdpl/kernels-")
