"""Progress bars of long work. One switch shows all of them, so that no function hands it on to the next."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_ARE_SHOWN = ContextVar("are_shown", default=False)


@contextmanager
def progress_bars(are_shown: bool = True) -> Iterator[None]:
    """Show the bars of all work inside, or none; outside of any such block none is shown."""
    before = _ARE_SHOWN.set(are_shown)
    try:
        yield
    finally:
        _ARE_SHOWN.reset(before)


def bar(title: str, parts: Iterable[Any] | None = None, **how: Any) -> Any:
    """A bar of `tqdm` on a terminal, over the parts or with `total`. A bar inside of another goes when it is full."""
    from tqdm import tqdm  # here: the command line starts without the extra `train`

    return tqdm(parts, desc=title, leave=None, disable=None if _ARE_SHOWN.get() else True, **how)
