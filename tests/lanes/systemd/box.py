"""A booted Debian 13: systemd as process 1 in a container, driven from outside.

Changes go to memory, and the root stays as it is, unless `keep` is set.
"""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from debian import LaneError, like_host

UNIT = "edge-lpdpl.service"
_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
_CGROUPS = Path("/proc/self/cgroup")
_MASKED = ("console-getty", "systemd-logind", "ssh", "mosquitto", "apt-daily", "apt-daily-upgrade")


class Box:
    """Boot `root`; a context manager.

    Args:
        network: the host's network, names and certificates; without it there is a loopback and nothing else.
        keep: changes stay in `root`.
        binds: folders of the host to where they are seen inside, read-only.
    """

    def __init__(
        self, root: Path, *, network: bool = False, keep: bool = False, binds: Mapping[Path, str] | None = None
    ) -> None:
        command = ["systemd-nspawn", "--quiet", f"--directory={root}", "--boot", "--register=no", "--keep-unit"]
        command += ["--console=pipe", "--hostname=box", *(like_host() if network else ["--private-network"])]
        command += [] if keep else ["--volatile=overlay"]
        command += [f"--bind-ro={folder}:{inside}" for folder, inside in (binds or {}).items()]
        command += ["systemd.unit=multi-user.target", "systemd.show_status=0"]
        command += [f"systemd.mask={name}.service" for name in _MASKED]
        # Several boxes may have one root: only what is kept changes it.
        environment = os.environ | {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1", "SYSTEMD_NSPAWN_LOCK": str(int(keep))}
        self._cgroups = _new_cgroups()
        enter = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"'
        command = ["sh", "-ec", enter, "sh", *map(str, self._cgroups), "--", *command]
        with tempfile.NamedTemporaryFile(delete=False) as log:
            self._log = Path(log.name)
            self._nspawn = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._leader = 0
        try:
            wait_until(self._is_up, 60, "the container to boot")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def run(self, *command: str, check: bool = True, timeout: float = 60, **variables: str) -> str:
        """Standard output of a command run inside as root.

        Raises:
            AssertionError: its status is not 0, and `check` is set.
        """
        done = self.attempt(*command, timeout=timeout, **variables)
        assert done.returncode == 0 or not check, f"{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def attempt(self, *command: str, timeout: float = 60, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command inside as root, with any result."""
        inside = ["nsenter", "--all", f"--target={self._leader}", "--", *command]
        environment = _ENVIRONMENT | variables
        return subprocess.run(inside, env=environment, capture_output=True, text=True, timeout=timeout)

    def shell(self, script: str, *, check: bool = True, timeout: float = 60) -> str:
        """Standard output of a shell script run inside as root."""
        return self.run("bash", "-c", script, check=check, timeout=timeout)

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file inside."""
        inside = ["nsenter", "--all", f"--target={self._leader}", "--", "bash", "-c"]
        data = text.encode() if isinstance(text, str) else text
        script = 'mkdir -p "$(dirname "$0")" && cat >"$0"'
        subprocess.run([*inside, script, path], env=_ENVIRONMENT, input=data, check=True, timeout=60)

    def show(self, *properties: str, unit: str = UNIT) -> dict[str, str]:
        """Properties of a unit."""
        lines = self.run("systemctl", "show", unit, "--property", ",".join(properties)).splitlines()
        return dict(line.split("=", 1) for line in lines)

    def value(self, name: str) -> str:
        """One property of the service."""
        return self.show(name)[name]

    def journal(self, *options: str) -> list[dict[str, Any]]:
        """Entries of the service's journal, oldest first: its own lines and systemd's about it."""
        text = self.run("journalctl", "--boot", "--unit", UNIT, "--output=json", "--all", "--no-pager", *options)
        return [json.loads(line) for line in text.splitlines()]

    def lines(self) -> list[str]:
        """Texts of the service in the journal."""
        return [str(entry["MESSAGE"]) for entry in self.journal() if entry.get("_COMM") != "systemd"]

    def close(self) -> None:
        """Power off; kill a container that does not end."""
        if self._nspawn.poll() is None and self._leader:
            os.kill(self._leader, signal.SIGRTMIN + 4)  # poweroff.target
        try:
            self._nspawn.wait(20 if self._leader else 0)
        except subprocess.TimeoutExpired:
            self._nspawn.kill()
            self._nspawn.wait()
        self._log.unlink(missing_ok=True)
        for folder in self._cgroups:
            for one in [*sorted(folder.rglob("*/"), reverse=True), folder]:
                with contextlib.suppress(OSError):  # a container that was killed may not have ended yet
                    one.rmdir()

    def _is_up(self) -> bool:
        if self._nspawn.poll() is not None:
            raise LaneError(f"systemd-nspawn ended with {self._nspawn.returncode}: {self._log.read_text()}")
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text().split()
        systemd = [child for child in children if Path(f"/proc/{child}/comm").read_text() == "systemd\n"]
        if not systemd:
            return False
        self._leader = int(systemd[0])
        return self.attempt("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")


def _new_cgroups() -> list[Path]:
    """A new cgroup in each hierarchy that a systemd keeps its units in.

    Two systemds in one would remove each other's cgroups, and kill what runs in them.
    """
    name, found = f"edge-lpdpl-box-{uuid.uuid4().hex[:12]}", []
    own = {names: path for _, names, path in (line.split(":", 2) for line in _CGROUPS.read_text().splitlines())}
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mounted, kind, options, *_ = line.split()
        names = "" if kind == "cgroup2" else "name=systemd" if "name=systemd" in options.split(",") else None
        if names in own:
            found.append(Path(mounted + own[names]) / name)
            found[-1].mkdir()
    return found


def wait_until(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Wait until a condition holds; it is checked ten times a second.

    Raises:
        AssertionError: it does not hold in time.
    """
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}"
        time.sleep(0.1)
