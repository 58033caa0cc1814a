"""Roots and boxes: a fresh Debian, one that `provision.sh` has made ready, and one booted box a test."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from box import Box
from debian import LaneError, changeable, debian_root, require_host
from provisioned import Provisioned, provision

CHECKOUT = Path(__file__).parents[3]
PACKAGES = (
    *("ca-certificates", "systemd", "systemd-sysv", "dbus", "udev", "kmod", "python3", "procps", "iproute2"),
    *("mosquitto", "mosquitto-clients", "python3-paho-mqtt", "openssh-server", "openssh-client", "sudo"),
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """A lane that cannot run says so and fails; it does not pass by doing nothing."""
    try:
        require_host()
    except LaneError as error:
        pytest.exit(str(error), returncode=2)


@pytest.fixture(scope="session")
def fresh() -> Path:
    """Debian 13, with nothing of ours."""
    return debian_root(PACKAGES)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git tracks and what is new here, without what was built here."""
    copy = tmp_path_factory.mktemp("checkout")
    copy.chmod(0o755)  # the service's user has to come in
    listed = [
        "git",
        "-c",
        "safe.directory=*",
        "-C",
        str(CHECKOUT),
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (CHECKOUT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, copy / name)
    return copy


@pytest.fixture(scope="session")
def provisioned(fresh: Path, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provisioned]:
    """A root in which `provision.sh` has run twice, and what it said and did."""
    with changeable(fresh, tmp_path_factory.mktemp("provisioned")) as root:
        yield provision(root, checkout)


@pytest.fixture
def box(provisioned: Provisioned, checkout: Path) -> Iterator[Box]:
    """A booted machine with the service installed, set up to read shipped pictures, and not started."""
    binds = {checkout / "edge_lpdpl/pictures": "/srv/frames", checkout: "/srv/given"}
    with Box(provisioned.root, binds=binds) as box:
        yield box
