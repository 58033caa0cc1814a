"""What Home Assistant has to be told to find the device by itself (MQTT discovery, one message an entity).

The entities are in `home_assistant.json` beside this file; what they all share is added here.
"""

import json
import re
from pathlib import Path
from typing import Any

from edge_lpdpl import __version__

_ENTITIES: dict[str, dict[str, str | int]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def discovery_messages(prefix: str, topic: str) -> dict[str, bytes]:
    """Topics to payloads, to be retained.

    Args:
        prefix: where Home Assistant listens, `homeassistant` as a rule.
        topic: of the service; state and availability are below it.

    >>> sorted(discovery_messages("homeassistant", "kitchen/cards"))[0]
    'homeassistant/sensor/kitchen_cards/confidence/config'
    """
    identity = re.sub(r"[^A-Za-z0-9_-]", "_", topic)
    return {
        f"{prefix}/sensor/{identity}/{name}/config": json.dumps(_entity(identity, topic, name, entity)).encode()
        for name, entity in _ENTITIES.items()
    }


def _entity(identity: str, topic: str, name: str, entity: dict[str, str | int]) -> dict[str, Any]:
    return entity | {
        "unique_id": f"{identity}_{name}",
        "object_id": f"{identity}_{name}",
        "state_topic": f"{topic}/state",
        "json_attributes_topic": f"{topic}/state",
        "availability_topic": f"{topic}/availability",
        "device": {"identifiers": [identity], "name": topic, "model": "edge-lpdpl", "sw_version": __version__},
        "origin": {"name": "edge-lpdpl", "sw_version": __version__},
    }
