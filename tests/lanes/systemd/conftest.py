"""Roots and boxes: a fresh Debian, one that `provision.sh` has made ready, and one booted box a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from box import Box
from checkout import copy_checkout
from debian import LaneError, changeable, debian_root, require_host
from provisioned import Provisioned, provision

PACKAGES = (
    *("ca-certificates", "systemd", "systemd-sysv", "dbus", "udev", "kmod", "python3", "procps", "iproute2"),
    *("mosquitto", "mosquitto-clients", "python3-paho-mqtt", "openssh-server", "openssh-client", "sudo"),
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """A lane that cannot run fails and says so."""
    try:
        require_host()
    except LaneError as error:
        pytest.exit(str(error), returncode=2)


@pytest.fixture(scope="session")
def fresh() -> Path:
    """Debian 13 without the project."""
    return debian_root(PACKAGES)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tracked and new files, without build products."""
    return copy_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def provisioned(fresh: Path, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provisioned]:
    """A root in which `provision.sh` has run twice, with its output and changes."""
    with changeable(fresh, tmp_path_factory.mktemp("provisioned")) as root:
        yield provision(root, checkout)


@pytest.fixture
def box(provisioned: Provisioned, checkout: Path) -> Iterator[Box]:
    """A booted machine with the service installed and configured for shipped pictures, not started."""
    binds = {checkout / "edge_lpdpl/library/shipped_pictures": "/srv/frames", checkout: "/srv/given"}
    with Box(provisioned.root, binds=binds) as box:
        yield box
