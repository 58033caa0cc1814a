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
from edge_lpdpl.live.publish.message import Message

_ENTITIES: dict[str, dict[str, dict[str, Any]]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""Kinds of entities to names to what is told; ~ stands for the topic of the service."""
_PICTURE = "image"
"""The kind of entity that needs `mqtt.picture`."""


def discovery_messages(prefix: str, topic: str, fields: Sequence[str] = (), picture: bool = False) -> dict[str, bytes]:
    """Topics to payloads, to be retained: the first number of a message, or of each field of a form.

    An empty payload takes an entity back.

    Args:
        prefix: where Home Assistant listens, `homeassistant` as a rule.
        topic: of the service; state and availability are below it.
        fields: names of the fields of a form; each is a sensor.
        picture: whether there are pictures.

    >>> sorted(discovery_messages("homeassistant", "kitchen/cards"))[0]
    'homeassistant/button/kitchen_cards/read/config'
    """
    identity = _identity(topic)
    sensors = {**_ENTITIES["sensor"], **_of_fields(fields)}
    return {
        f"{prefix}/{kind}/{identity}/{name}/config": json.dumps(_entity(identity, topic, name, entity)).encode()
        if picture or kind != _PICTURE
        else b""
        for kind, entities in {**_ENTITIES, "sensor": sensors}.items()
        for name, entity in entities.items()
    }


def _identity(topic: str) -> str:
    """A name of the device in letters that Home Assistant takes, another one for each topic.

    >>> _identity("kitchen/cards"), _identity("kitchen_cards"), _identity("厨房")
    ('kitchen_cards', 'kitchen_cards_bc9f44fd', '___74a904c7')
    """
    readable = re.sub(r"[^A-Za-z0-9-]", "_", topic)
    return readable if readable == topic.replace("/", "_") and "_" not in topic else f"{readable}_{_digest(topic)}"


def _digest(name: str) -> str:
    """The same letters for a name, whatever script it is in."""
    return f"{crc32(name.encode()):08x}"


def _of_fields(fields: Sequence[str]) -> dict[str, dict[str, Any]]:
    """A sensor for each field, under a name of letters that is its own whatever script the field's name is in."""
    return {
        f"field_{_digest(name)}": {
            "name": name,
            "icon": "mdi:form-textbox",
            "state_class": "measurement",
            "state_topic": "~/state",
            "json_attributes_topic": "~/state",
            "value_template": f"{{% set one = (value_json.fields or {{}}).get({json.dumps(name)}) %}}"
            "{{ one.value if one and not one.rejected else none }}",
        }
        for name in fields
    }


def event_of(message: Message) -> bytes:
    """What the event entity is sent at a decision: its type, that of the first number, and its attributes.

    >>> event_of({"time": "2026-11-20T23:07:56.209Z", "trigger": "change", "numbers": []})
    b'{"event_type":"nothing","time":"2026-11-20T23:07:56.209Z","trigger":"change","numbers":[]}'
    """
    numbers = message["numbers"]
    kind = ("rejected" if numbers[0]["rejected"] else "accepted") if numbers else "nothing"
    keys = ("text", "value", "confidence", "rejected", "reason")
    told = [{key: number[key] for key in keys} for number in numbers]
    event = {"event_type": kind, "time": message["time"], "trigger": message["trigger"], "numbers": told}
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _entity(identity: str, topic: str, name: str, entity: dict[str, Any]) -> dict[str, Any]:
    placed = {key: value.replace("~", topic) if key.endswith("_topic") else value for key, value in entity.items()}
    return placed | {
        "unique_id": f"{identity}_{name}",
        "object_id": f"{identity}_{name}",
        "availability_topic": f"{topic}/availability",
        "device": {"identifiers": [identity], "name": topic, "model": "edge-lpdpl", "sw_version": __version__},
        "origin": {"name": "edge-lpdpl", "sw_version": __version__},
    }
