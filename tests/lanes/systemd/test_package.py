"""The .deb: built by `build_deb.sh`, then installed, upgraded, removed and purged by apt in a fresh Debian 13."""

import json
import os
import subprocess

import pytest
from box import UNIT, Box, wait_until
from provisioned import PICTURES
from service import status

DATED = os.environ | {"SOURCE_DATE_EPOCH": "1790000000"}  # in a clone the script uses the date of the last commit
SOCKET = "edge-lpdpl-web.socket"
APT = ("apt-get", "-qq", "-y", "--no-install-recommends")


@pytest.fixture(scope="module")
def packages(checkout, tmp_path_factory):
    """A folder with two packages of the program, the second with a higher version."""
    folder = tmp_path_factory.mktemp("packages")
    folder.chmod(0o755)
    script = checkout / "firmware_scripts/build_deb.sh"
    subprocess.run([script, "--output", folder], env=DATED, check=True)
    wheel = tmp_path_factory.mktemp("wheel")
    pip = ["python3", "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={wheel}", checkout]
    subprocess.run(pip, check=True)
    subprocess.run([script, "--output", folder, "--revision", "2", "--wheel", *wheel.iterdir()], check=True)
    return folder


def test_the_package_is_the_same_whenever_it_is_built(checkout, packages, tmp_path):
    subprocess.run([checkout / "firmware_scripts/build_deb.sh", "--output", tmp_path], env=DATED, check=True)
    (again,) = tmp_path.iterdir()
    assert again.read_bytes() == (packages / again.name).read_bytes()


def test_the_package_has_the_device_part_alone(packages):
    listed = subprocess.run(["dpkg-deb", "--contents", packages / "edge-lpdpl_0.1.0-1_all.deb"], capture_output=True)
    names = [line.split()[5] for line in listed.stdout.decode().splitlines()]
    assert "./usr/lib/python3/dist-packages/edge_lpdpl/commands/main.py" in names
    assert not [name for name in names if "train_host" in name or "__pycache__" in name]
    assert all(b"root/root" in line for line in listed.stdout.splitlines())


def is_on(box, unit):
    """Whether a unit is enabled, and whether it is active."""
    return [box.attempt("systemctl", verb, unit).returncode == 0 for verb in ("is-enabled", "is-active")]


def turn_the_page_on(box):
    """What a browser gets once somebody has turned the page on, as docs/install.md says."""
    box.run(*APT, "install", "python3-aiohttp", timeout=300)
    box.run("systemctl", "enable", "--now", SOCKET)
    return json.loads(box.run("python3", "/srv/lane/page_viewer.py", timeout=120))


def test_install_upgrade_remove_purge(fresh, packages, checkout):
    binds = {packages: "/srv/packages", checkout / "edge_lpdpl/library/shipped_pictures": "/srv/frames"}
    binds[checkout / "tests/lanes/systemd"] = "/srv/lane"
    with Box(fresh, network=True, binds=binds) as box:
        box.write("/etc/edge-lpdpl/config.toml", PICTURES)
        box.run("apt-get", "-qq", "update", timeout=120)

        box.run(*APT, "install", "/srv/packages/edge-lpdpl_0.1.0-1_all.deb", timeout=300)
        wait_until(lambda: box.value("ActiveState") == "active", 30, "the service")
        assert box.run("systemctl", "is-enabled", UNIT).strip() == "enabled"
        assert status(box)["frames"] > 0
        assert status(box)["backend"] == "numba"
        assert box.run("edge-lpdpl", "--version").split() == ["edge-lpdpl", "0.1.0"]
        assert is_on(box, SOCKET) == [False, False]
        seen = turn_the_page_on(box)
        assert (seen["title"], seen["connected"], seen["frame"]) == (True, True, "ffd8")  # a JPEG
        process = box.value("MainPID")

        box.run(*APT, "install", "/srv/packages/edge-lpdpl_0.1.0-2_all.deb", timeout=120)
        assert box.value("ActiveState") == "active"
        assert box.value("MainPID") != process
        assert box.run("cat", "/etc/edge-lpdpl/config.toml") == PICTURES
        assert is_on(box, SOCKET) == [True, True]

        box.run(*APT, "remove", "edge-lpdpl", timeout=120)
        assert box.value("ActiveState") == "inactive"
        assert box.run("cat", "/etc/edge-lpdpl/config.toml") == PICTURES
        assert box.attempt("systemctl", "start", UNIT).returncode != 0
        assert not is_on(box, SOCKET)[1]

        box.run(*APT, "purge", "edge-lpdpl", timeout=120)
        assert box.shell("find / -xdev -name '*edge[-_]lpdpl*' -not -path '/srv/*' -not -path '/var/cache/apt/*'") == ""
        assert box.attempt("getent", "passwd", "edge-lpdpl", "edge-lpdpl-web").stdout == ""
        assert box.attempt("getent", "group", "edge-lpdpl", "edge-lpdpl-listen", "edge-lpdpl-web").stdout == ""
