"""Where the log is."""

import os
from collections.abc import Mapping
from pathlib import Path

from edge_lpdpl.files.places import folder_of

_SERVICE_FOLDER = Path("/var/lib/edge-lpdpl-log")


def log_path(setting: str, environment: Mapping[str, str] = os.environ) -> Path:
    """The file that `log.file` of the configuration names: without a slash, one in the folder of the service or person.

    >>> log_path("decisions.sqlite", {"LOG_DIRECTORY": "/var/lib/edge-lpdpl-log"})
    PosixPath('/var/lib/edge-lpdpl-log/decisions.sqlite')
    >>> log_path("decisions.sqlite", {"XDG_STATE_HOME": "/home/anna/.local/state"})
    PosixPath('/home/anna/.local/state/edge-lpdpl/log/decisions.sqlite')
    >>> log_path("./decisions.sqlite")
    PosixPath('decisions.sqlite')
    """
    return Path(setting) if "/" in setting else folder_of("log", "LOG_DIRECTORY", environment) / setting


def log_to_read(setting: str) -> Path:
    """The log of a service that this user has started, or else that of the system's service."""
    mine, service = log_path(setting), _SERVICE_FOLDER / setting
    return service if "/" not in setting and not os.path.lexists(mine) and os.path.isdir(_SERVICE_FOLDER) else mine
