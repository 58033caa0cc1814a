"""The message that is published for every decision. `message.schema.json` beside this file describes it exactly (JSON
schema, draft 2020-12); `picture` among its `$defs` is the answer of `recognise --json`."""

import json
from datetime import UTC, datetime
from typing import Any

from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.publish.answer import make_answer
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.reader import Reading

Message = dict[str, Any]


def make_message(
    reading: Reading, frame: Frame, trigger: str, model: Model, *, age_ms: float, total_us: float
) -> Message:
    """What was read in a frame, ready for JSON.

    Args:
        age_ms: age of the frame when the service took it.
        total_us: microseconds from the trigger until now.
    """
    answer = make_answer(reading, model.labels, frame.file)
    fields = answer.pop("fields", None)
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "frame": {"sequence": frame.sequence, "age_ms": round(age_ms, 2)},
        "trigger": trigger,
        **answer,
        "timing_us": {
            "locate": round(reading.locate_us, 1),
            "recognise": round(reading.recognise_us, 1),
            "total": round(total_us, 1),
        },
        "model": {"name": model.name, "digest": model.digest},
        "fields": fields,
    }


def as_line(message: Message) -> bytes:
    """A message as it goes over a pipe or a socket: one line of UTF-8 without a line break inside."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def summary(message: Message) -> str:
    """What was read, in a few characters, for a status line.

    >>> summary({"numbers": [{"text": "427", "rejected": False}, {"text": "31", "rejected": True}]})
    '427 ?'
    """
    return " ".join("?" if one["rejected"] else one["text"] for one in message["numbers"]) or "nothing"
