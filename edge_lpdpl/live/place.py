"""Where the sockets of the service are. Light, so that a client need not import what reads numerals."""

import os
from collections.abc import Mapping
from pathlib import Path

SOCKET_NAME = "edge-lpdpl.sock"
LISTENERS = "edge-lpdpl-listen"
"""The group that may use the socket for listeners."""
SERVICE_SOCKET = Path("/run/edge-lpdpl") / SOCKET_NAME


def socket_path(setting: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Path of the socket from `publish.socket` of the configuration; None for no socket.

    >>> socket_path("auto", {"RUNTIME_DIRECTORY": "/run/edge-lpdpl"})
    PosixPath('/run/edge-lpdpl/edge-lpdpl.sock')
    """
    if setting != "auto":
        return Path(setting) if setting else None
    for name in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        if folder := environment.get(name, "").partition(":")[0]:
            return Path(folder) / SOCKET_NAME
    return None


def listen_path(path: Path) -> Path:
    """Path of the socket for listeners, beside the other one.

    >>> listen_path(Path("/run/edge-lpdpl/edge-lpdpl.sock"))
    PosixPath('/run/edge-lpdpl/edge-lpdpl-listen.sock')
    """
    return path.with_name(f"{path.stem}-listen{path.suffix}")


def default_socket() -> Path:
    """Socket of a service that this user has started, or else of the system's service."""
    mine = socket_path("auto")
    return mine if mine is not None and mine.exists() else SERVICE_SOCKET
