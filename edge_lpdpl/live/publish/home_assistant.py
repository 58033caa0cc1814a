"""What Home Assistant has to be told to find the device by itself (MQTT discovery, one message an entity).

The entities are in `home_assistant.json` beside this file; what they all share is added here.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from edge_lpdpl import __version__

_ENTITIES: dict[str, dict[str, str | int]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def discovery_messages(prefix: str, topic: str, fields: Sequence[str] = ()) -> dict[str, bytes]:
    """Topics to payloads, to be retained: the first number of a message, or the number of each field of a form.

    Args:
        prefix: where Home Assistant listens, `homeassistant` as a rule.
        topic: of the service; state and availability are below it.
        fields: names of the fields of a form; each is a sensor.

    >>> sorted(discovery_messages("homeassistant", "kitchen/cards"))[0]
    'homeassistant/sensor/kitchen_cards/confidence/config'
    """
    identity = re.sub(r"[^A-Za-z0-9_-]", "_", topic)
    return {
        f"{prefix}/sensor/{identity}/{name}/config": json.dumps(_entity(identity, topic, name, entity)).encode()
        for name, entity in {**_ENTITIES, **_of_fields(fields)}.items()
    }


def _of_fields(fields: Sequence[str]) -> dict[str, dict[str, str | int]]:
    """A sensor for each field, under a name of letters that is its own whatever script the field's name is in."""
    return {
        f"field_{crc32(name.encode()):08x}": {
            "name": name,
            "icon": "mdi:form-textbox",
            "suggested_display_precision": 0,
            "value_template": f"{{% set one = (value_json.fields or {{}}).get({json.dumps(name)}) %}}"
            "{{ one.value if one and not one.rejected else none }}",
        }
        for name in fields
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
