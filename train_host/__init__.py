"""Train labelled projective dictionary pairs on a workstation; export what the device evaluates."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from train_host.method.estimator import LpDPL

__all__ = ["LpDPL"]


def __getattr__(name: str) -> object:
    if name != "LpDPL":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from train_host.method.estimator import LpDPL  # here: the command line starts without scikit-learn

    return LpDPL
