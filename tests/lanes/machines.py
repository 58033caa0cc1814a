"""Roots and boxes: a fresh Debian, one that `provision.sh` has made ready, and one booted box a test.

A lane names these fixtures in its `conftest.py`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from box import Box
from checkout import copy_checkout
from debian import debian_root, require_host
from provisioned import Provisioned, provisioned_root

PACKAGES = (
    *("ca-certificates", "systemd", "systemd-sysv", "dbus", "udev", "kmod", "python3", "procps", "iproute2"),
    *("mosquitto", "mosquitto-clients", "python3-paho-mqtt", "openssh-server", "openssh-client", "sudo"),
)


@pytest.fixture(scope="session")
def fresh() -> Path:
    """Debian 13 without the project."""
    require_host()
    return debian_root(PACKAGES)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tracked and new files, without build products."""
    return copy_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def provisioned(fresh: Path, checkout: Path) -> Provisioned:
    """A root in which `provision.sh` has run twice, with its output and changes; not to be changed."""
    return provisioned_root(fresh, checkout)


@pytest.fixture
def box(provisioned: Provisioned, checkout: Path) -> Iterator[Box]:
    """A booted machine with the service installed and configured for shipped pictures, not started."""
    binds = {checkout / "edge_lpdpl/library/shipped_pictures": "/srv/frames", checkout: "/srv/given"}
    with Box(provisioned.root, binds=binds) as box:
        yield box
        for entry in box.journal():  # pytest shows it where the test has failed
            if not (text := str(entry["MESSAGE"])).startswith("{"):
                print(entry.get("_COMM", "-"), text)


@pytest.fixture
def pi(box: Box) -> Box:
    """A running service, an sshd with keys for root and ada, and sudo for ada."""
    box.shell(
        """
        useradd --create-home --shell /bin/bash ada
        echo 'ada ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/ada
        ssh-keygen -q -A && mkdir -p /run/sshd ~ada/.ssh ~/.ssh
        ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519
        cp ~/.ssh/id_ed25519.pub ~/.ssh/authorized_keys
        cp ~/.ssh/id_ed25519.pub ~ada/.ssh/authorized_keys
        chown -R ada: ~ada && chmod 700 ~ada/.ssh ~/.ssh
        echo 'StrictHostKeyChecking accept-new' >~/.ssh/config
        setsid /usr/sbin/sshd
        """
    )
    box.run("systemctl", "start", "edge-lpdpl")
    return box
