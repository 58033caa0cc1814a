"""Which code computes: compiled kernels, or NumPy where numba is absent. One choice for all that has both."""

from collections.abc import Callable
from typing import TypeVar

from edge_lpdpl.errors import BackendError

Thing = TypeVar("Thing")


def choose(backend: str, compiled: Callable[[], Thing], plain: Callable[[], Thing]) -> Thing:
    """What `compiled` makes for `numba`, what `plain` makes for `numpy`; `auto` is numba where it is installed.

    Raises:
        BackendError: there is no such backend, or numba is not installed.

    >>> choose("numpy", lambda: "kernels", lambda: "NumPy")
    'NumPy'
    """
    if backend not in ("auto", "numba", "numpy"):
        raise BackendError(f"there is no backend {backend!r}: use auto, numba or numpy")
    if backend != "numpy":
        try:
            return compiled()
        except ImportError as error:
            if backend == "numba":
                raise BackendError(f"numba cannot be imported ({error}): install it or use the numpy backend") from None
    return plain()
