"""Comparing messages of the service."""

from typing import Any

Message = dict[str, Any]


def without_times(message: Message) -> Message:
    """A message without times and frame."""
    return {name: value for name, value in message.items() if name not in ("time", "frame", "timing_us", "elapsed_us")}
