"""Messages of the service, to compare."""

from typing import Any

Message = dict[str, Any]


def without_times(message: Message) -> Message:
    """What was decided, without when and how quickly."""
    return {name: value for name, value in message.items() if name not in ("time", "frame", "timing_us")}
