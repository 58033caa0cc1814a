"""The token that lets a browser in. It is printed once; only its hash is kept."""

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.atomic import blaming, replacing
from edge_lpdpl.files.places import state_home
from edge_lpdpl.files.regular import read_regular

SYSTEM_FOLDER = Path("/var/lib/edge-lpdpl-web")
_NAME, _MOST = "token", 1024


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of the page's own files: that of its unit; the system's for root where it exists; or the user's.

    >>> state_folder({"STATE_DIRECTORY": "/var/lib/edge-lpdpl-web"})
    PosixPath('/var/lib/edge-lpdpl-web')
    """
    if folder := environment.get("STATE_DIRECTORY", "").partition(":")[0]:
        return Path(folder)
    if os.geteuid() == 0 and SYSTEM_FOLDER.is_dir():
        return SYSTEM_FOLDER
    return state_home(environment) / "edge-lpdpl-web"


def make_token(folder: Path) -> str:
    """Make a new token and keep its hash; every older token and every browser that is in is shut out.

    Raises:
        ConfigError: the folder cannot be written.
    """
    token, path = secrets.token_urlsafe(32), folder / _NAME
    with blaming(path, ConfigError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(path) as file:
            os.fchmod(file.fileno(), 0o640)
            if os.geteuid() == 0:  # the page's own user reads it
                os.fchown(file.fileno(), -1, folder.stat().st_gid)
            file.write(_hash(token).encode())
    return token


class TokenFile:
    """The hash in a folder, read again when it was replaced."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _NAME
        self._seen, self._hash = 0, ""

    def admits(self, token: str) -> bool:
        """Whether this is the token; False where none was made, or the file cannot be read."""
        try:
            if (changed := self._path.stat().st_mtime_ns) != self._seen:
                self._hash = read_regular(self._path, _MOST, ConfigError).decode("ascii", "replace").strip()
                self._seen = changed
        except (OSError, ConfigError):
            return False
        return len(self._hash) == 64 and hmac.compare_digest(_hash(token).encode(), self._hash.encode())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
