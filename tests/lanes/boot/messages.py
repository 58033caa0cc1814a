"""Comparing messages of the service."""

from pathlib import PurePath
from typing import Any

Message = dict[str, Any]


def without_times(message: Message) -> Message:
    """A message without times and frame; its picture without the folder, which is another one on each machine."""
    kept = {name: value for name, value in message.items() if name not in ("time", "frame", "timing_us", "elapsed_us")}
    return kept | {"file": PurePath(kept["file"]).name} if "file" in kept else kept
