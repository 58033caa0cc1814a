"""The JSON schema of the messages that the service publishes."""

import json
from functools import cache
from typing import Any

from project import PROJECT


@cache
def message_schema() -> dict[str, Any]:
    """`live/publish/message.schema.json` of the package."""
    return json.loads((PROJECT / "edge_lpdpl/live/publish/message.schema.json").read_text("utf-8"))
