"""Which code computes: compiled kernels, or NumPy where numba is not installed. One choice for all that has both."""

import sys
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import FrameType, ModuleType
from typing import TypeVar

from edge_lpdpl.errors import BackendError

Thing = TypeVar("Thing")


def choose(backend: str, compiled: Callable[[], Thing], plain: Callable[[], Thing]) -> Thing:
    """The result of `compiled` for `numba`, of `plain` for `numpy`; `auto` is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed, or cannot be imported although it is.

    >>> choose("numpy", lambda: "kernels", lambda: "NumPy")
    'NumPy'
    """
    if backend not in ("auto", "numba", "numpy"):
        raise BackendError(f"there is no backend {backend!r}: use auto, numba or numpy")
    if backend == "numpy":
        return plain()
    try:
        return compiled()
    except Exception as error:
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        if not isinstance(error, ImportError) and all(frame.f_code.co_name != "<module>" for frame in frames):
            raise  # not while a module was imported
        if not _is_missing(error):
            why = f"{_place_of(error, frames[-1])} fails with {error}"
            raise BackendError(f"numba cannot be imported: {why}; mend it or use the numpy backend") from error
        if backend == "numba":
            raise BackendError(f"numba cannot be imported ({error}): install it or use the numpy backend") from None
    return plain()


def _is_missing(error: Exception) -> bool:
    """Whether numba or llvmlite is not installed. A file with such a name, which is no package, counts as installed."""
    name = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
    root = name.partition(".")[0]
    return root in ("numba", "llvmlite") and (name == root or find_spec(root) is None)


def _place_of(error: Exception, frame: FrameType) -> str:
    """Name and file of the module that makes an import fail; `frame` is where it fails.

    It may be no part of numba: a file beside the script hides a module of the standard library with the same name.
    """
    name, file = frame.f_globals["__name__"], frame.f_code.co_filename
    if isinstance(error, SyntaxError) and error.filename:
        name, file = Path(error.filename).stem, error.filename
    used = error.obj if isinstance(error, AttributeError) else None
    if isinstance(error, ImportError):
        used = sys.modules.get(error.name or "")
    if isinstance(used, ModuleType) and (path := getattr(used, "__file__", None)):
        name, file = used.__name__, path
    return f"module {name} in {file}"
