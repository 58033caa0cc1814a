"""Where a person's own files are: hands, collected numerals, the log, the token of the page."""

import os
from collections.abc import Mapping
from pathlib import Path


def state_home(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder in which programs keep what they make for this person.

    >>> state_home({"XDG_STATE_HOME": "/home/anna/state"})
    PosixPath('/home/anna/state')
    >>> state_home({}) == Path.home() / ".local" / "state"
    True
    """
    return Path(environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")


def folder_of(name: str, variable: str, environment: Mapping[str, str] = os.environ) -> Path:
    """A folder of this user; the unit of the service names its own in a variable.

    >>> folder_of("hands", "HANDS_DIRECTORY", {"XDG_STATE_HOME": "/home/anna/state"})
    PosixPath('/home/anna/state/edge-lpdpl/hands')
    >>> folder_of("hands", "HANDS_DIRECTORY", {"HANDS_DIRECTORY": "/var/lib/edge-lpdpl-hands"})
    PosixPath('/var/lib/edge-lpdpl-hands')
    """
    named = environment.get(variable)
    return Path(named) if named else state_home(environment) / "edge-lpdpl" / name
