"""The comparisons of docs/results.md by name, from `experiments.toml`."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import EdgeError

FILE = Path(__file__).with_name("experiments.toml")
ALL = "all"


def read_experiments() -> dict[str, dict[str, Any]]:
    """Name to options of `lpdpl-train compare`.

    >>> read_experiments()["usps"]["protocol"]
    'standard'
    """
    return tomllib.loads(FILE.read_text())


def experiment_words(only: str, folder: Path) -> Iterator[list[str]]:
    """Arguments of `lpdpl-train compare` for the named experiments.

    Args:
        only: name of an experiment, `all`, or NAME/METHOD for one row.
        folder: of the data sets.

    Raises:
        EdgeError: there is no such experiment or row.

    >>> list(experiment_words("usps/dpl", Path("data")))
    [['data/usps.h5', '--protocol', 'standard', '--no-copies', '--seed', '0', '--methods', 'dpl']]
    """
    experiments = read_experiments()
    name, _, method = only.partition("/")
    if name != ALL and name not in experiments:
        raise EdgeError(f"there is no experiment {name!r}: use {', '.join([*experiments, ALL])}")
    for options in experiments.values() if name == ALL else [experiments[name]]:
        if method:
            known = options.get("methods", [method])
            if method not in known:
                raise EdgeError(f"experiment {name} has no row {method!r}: use {', '.join(known)}")
            options = options | {"methods": [method]}
        yield list(_words(options, folder))


def _words(options: dict[str, Any], folder: Path) -> Iterator[str]:
    for key, value in options.items():
        if key == "data":
            yield value if value.startswith("synthetic:") else str(folder / value)
        elif value is True:
            yield f"--{key}"
        else:
            yield from (f"--{key}", ",".join(value) if isinstance(value, list) else str(value))
