"""Decisions to an MQTT broker, retained, with a last will; the broker may be away as long as it likes."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from edge_lpdpl.config import MqttConfig
from edge_lpdpl.errors import PublishError
from edge_lpdpl.publish.home_assistant import discovery_messages
from edge_lpdpl.publish.message import Message
from edge_lpdpl.terminal import printable

ONLINE, OFFLINE = b"online", b"offline"
_LONGEST_PASSWORD = 4096  # bytes
_FIRST_PAUSE, _LONGEST_PAUSE = 1, 60  # seconds between two attempts to reach the broker


class MqttPublisher:
    """A publisher, see `Publisher`. paho-mqtt has a thread that connects, connects again, and sends.

    A message that cannot be sent now waits until the broker is back, `capacity` at most; then the newest are dropped,
    and of what was dropped the last is sent when the broker is back, because it is what stands.

    Raises:
        PublishError: paho-mqtt is not installed, or the password cannot be read.
    """

    name = "mqtt"
    broken: OSError | None = None

    def __init__(self, settings: MqttConfig, capacity: int, keepalive: int = 30) -> None:
        try:
            from paho.mqtt import client as mqtt
            from paho.mqtt.enums import CallbackAPIVersion
        except ImportError as error:
            raise PublishError(f"MQTT needs paho-mqtt ({error}): pip install 'edge-lpdpl[mqtt]'") from None
        self.dropped = 0
        self._settings = settings
        self._state, self._availability = f"{settings.topic}/state", f"{settings.topic}/availability"
        self._missed: bytes | None = None
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv311)
        self._client.max_queued_messages_set(capacity)
        self._client.reconnect_delay_set(_FIRST_PAUSE, _LONGEST_PAUSE)
        self._client.will_set(self._availability, OFFLINE, qos=1, retain=True)
        if settings.username:
            self._client.username_pw_set(settings.username, read_password(settings.password_file))
        if settings.tls:
            self._client.tls_set()
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message
        self._client.connect_async(settings.host, settings.port, keepalive)
        self._client.loop_start()

    @property
    def connected(self) -> bool:
        """Whether the broker is there."""
        return bool(self._client.is_connected())

    def publish(self, message: Message, line: bytes) -> None:
        payload = line.rstrip(b"\n")
        if self._client.publish(self._state, payload, qos=1, retain=True).rc == _QUEUE_IS_FULL:
            self.dropped += 1
            self._missed = payload
        else:
            self._missed = None

    def close(self) -> None:
        if self.connected:
            self._client.publish(self._availability, OFFLINE, qos=1, retain=True).wait_for_publish(1.0)
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(self, client: Any, userdata: object, flags: object, reason: Any, properties: object) -> None:
        if reason.is_failure:
            return
        client.publish(self._availability, ONLINE, qos=1, retain=True)
        if self._settings.discovery:
            client.subscribe(f"{self._settings.discovery}/status")  # Home Assistant says there that it has started
            self._announce()
        missed, self._missed = self._missed, None
        if missed is not None:
            client.publish(self._state, missed, qos=1, retain=True)

    def _on_message(self, client: object, userdata: object, message: Any) -> None:
        if message.payload == ONLINE:
            self._announce()

    def _announce(self) -> None:
        for topic, payload in discovery_messages(self._settings.discovery, self._settings.topic).items():
            self._client.publish(topic, payload, qos=1, retain=True)


_QUEUE_IS_FULL = 15  # paho's MQTT_ERR_QUEUE_SIZE


def read_password(name: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """The password in a file; a bare name is looked for in $CREDENTIALS_DIRECTORY first. None for no file.

    Raises:
        PublishError: it cannot be read.
    """
    if not name:
        return None
    path = Path(name)
    credentials = environment.get("CREDENTIALS_DIRECTORY")
    if credentials and path.name == name:
        path = Path(credentials) / name
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST_PASSWORD).decode("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not UTF-8"
        raise PublishError(f"{printable(name)}: the password cannot be read ({reason})") from None
