"""Which code computes: compiled kernels, or NumPy where numba is not installed. One choice for all that has both."""

import sys
import traceback
from collections.abc import Callable
from types import ModuleType
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
        if not (isinstance(error, ModuleNotFoundError) and error.name in ("numba", "llvmlite")):
            place = _module_at_fault(error, frames[-1].f_globals["__name__"])
            raise BackendError(f"numba cannot be imported: {place} fails with {error}; mend it or use numpy") from error
        if backend == "numba":
            raise BackendError(f"numba cannot be imported ({error}): install it or use the numpy backend") from None
    return plain()


def _module_at_fault(error: Exception, last: str) -> str:
    """Name and file of the module that an import failed on; `last` is the module in which it failed.

    It may be no part of numba: a file beside the script hides a module of the standard library that has its name.
    """
    name = last
    if isinstance(error, ImportError) and error.name:
        name = error.name.partition(".")[0]
    elif isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        name = error.obj.__name__
    file = getattr(error, "filename", None) or getattr(sys.modules.get(name), "__file__", None) or "file unknown"
    return f"module {name} in {file}"
