"""What is timed."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One function to time. Each `call` handles the next image."""

    name: str
    settings: str
    call: Callable[[], object]
