"""Decisions to an MQTT broker, retained, with a last will; the broker may be away for any time."""

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import PublishError, how_to_install
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable
from edge_lpdpl.live.config.sections import MqttConfig
from edge_lpdpl.live.publish.home_assistant import discovery_messages
from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.outbox import Outbox

ONLINE, OFFLINE = b"online", b"offline"
_LONGEST_PASSWORD = 4096  # bytes
_STEP = 0.2  # seconds after which a waiting thread checks whether it must end
_FAREWELL = 2.0  # seconds for the broker at the end
_KEEPALIVE = 30  # seconds after which a silent broker counts as gone
_AT_MOST_ONCE = 0  # for messages sent at each connection: paho keeps all others until they are acknowledged
_FIRST_PAUSE, _LONGEST_PAUSE = 1, 60  # seconds between two attempts to reach the broker


class MqttPublisher:
    """A publisher, see `Publisher`. Its thread sends one message after the other; a thread of paho-mqtt connects, and
    connects again after a failure.

    While the broker is away, the newest `capacity` messages wait. When it is back, the latest decision is sent in any
    case, because a broker may have lost its retained messages.

    Raises:
        PublishError: paho-mqtt is not installed, or the password cannot be read.
    """

    name = "mqtt"
    broken: OSError | None = None

    def __init__(
        self, settings: MqttConfig, capacity: int, complain: Callable[[str], None] = lambda text: None
    ) -> None:
        try:
            from paho.mqtt import client as mqtt
            from paho.mqtt.enums import CallbackAPIVersion
        except ImportError as error:
            raise PublishError(f"MQTT needs paho-mqtt ({error}): {how_to_install('mqtt')}") from None
        self._settings = settings
        self._complain, self._broker = complain, f"{settings.host}:{settings.port}"
        self._state, self._availability = f"{settings.topic}/state", f"{settings.topic}/availability"
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv311)
        self._client.reconnect_delay_set(_FIRST_PAUSE, _LONGEST_PAUSE)
        self._client.will_set(self._availability, OFFLINE, qos=1, retain=True)
        if settings.username:
            self._client.username_pw_set(settings.username, read_password(settings.password_file))
        if settings.tls:
            self._client.tls_set()
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message
        self._online, self._closing = threading.Event(), threading.Event()
        self._client.on_disconnect = self._on_disconnect
        self._client.on_connect_fail = lambda *_: complain(f"mqtt: {self._broker} does not answer; trying again")
        self._standing: bytes | None = None
        self._outbox = Outbox(self.name, capacity, self._send)
        self._client.connect_async(settings.host, settings.port, _KEEPALIVE)
        self._client.loop_start()

    @property
    def dropped(self) -> int:
        return self._outbox.dropped

    @property
    def connected(self) -> bool:
        """Whether the broker is connected."""
        return self._online.is_set()

    def publish(self, message: Message, line: bytes) -> None:
        self._standing = line.rstrip(b"\n")
        self._outbox.put(self._standing)

    def close(self) -> None:
        if self.connected:
            self._outbox.close()
        self._closing.set()
        self._outbox.close()
        # In another thread, because paho waits without end for a broker that accepted the connection and is silent.
        ending = threading.Thread(target=self._say_farewell, name="mqtt farewell", daemon=True)
        ending.start()
        ending.join(_FAREWELL)

    def _send(self, payload: bytes) -> None:
        """Send one message and wait until the broker has it."""
        while not self._online.wait(_STEP):
            if self._closing.is_set():
                return
        sent = self._client.publish(self._state, payload, qos=1, retain=True)
        with contextlib.suppress(RuntimeError, ValueError):  # the connection broke now; paho sends it again
            while not sent.is_published() and not self._closing.is_set():
                sent.wait_for_publish(_STEP)

    def _say_farewell(self) -> None:
        with contextlib.suppress(RuntimeError, ValueError):
            if self.connected:
                self._client.publish(self._availability, OFFLINE, qos=1, retain=True).wait_for_publish(_FAREWELL / 2)
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(self, client: Any, userdata: object, flags: object, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._complain(f"mqtt: {self._broker} refuses the connection: {reason}; see [mqtt] of the configuration")
            return
        client.publish(self._availability, ONLINE, qos=_AT_MOST_ONCE, retain=True)
        if self._settings.discovery:
            client.subscribe(f"{self._settings.discovery}/status")  # Home Assistant publishes there that it has started
            self._announce()
        if self._standing is not None:
            self._outbox.put(self._standing)
        self._online.set()

    def _on_disconnect(self, client: Any, userdata: object, flags: object, reason: Any, properties: object) -> None:
        if self.connected and not self._closing.is_set():
            self._complain(f"mqtt: {self._broker} went away ({reason}); trying again")
        self._online.clear()

    def _on_message(self, client: object, userdata: object, message: Any) -> None:
        if message.payload == ONLINE:
            self._announce()

    def _announce(self) -> None:
        for topic, payload in discovery_messages(self._settings.discovery, self._settings.topic).items():
            self._client.publish(topic, payload, qos=_AT_MOST_ONCE, retain=True)


def read_password(name: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """The password in a file; a name without a folder is looked up in $CREDENTIALS_DIRECTORY. None for no file.

    Raises:
        PublishError: it cannot be read.
    """
    if not name:
        return None
    bare = Path(name).name == name
    path = Path(environment.get("CREDENTIALS_DIRECTORY", "") if bare else "", name)
    try:
        return read_regular(path, _LONGEST_PASSWORD, PublishError).decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise PublishError(f"{printable(name)}: the password is not UTF-8; write it again") from None
