"""Decisions to an MQTT broker, retained and as events, with a last will; the broker may be away for any time."""

import contextlib
import io
import ssl
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import PublishError, how_to_install
from edge_lpdpl.live.broker.credentials import read_password, tls_context
from edge_lpdpl.live.config.sections import MqttConfig
from edge_lpdpl.live.publish.home_assistant import discovery_messages, event_of
from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.outbox import Outbox

ONLINE, OFFLINE = b"online", b"offline"
NO_DECISION = b'{"numbers":[]}'
"""The state until the first decision: what was decided before the start may no longer be so."""
READ_NOW = b"now"
"""What makes the service read, sent to TOPIC/read."""
_STEP = 0.2  # seconds after which a waiting thread checks whether it must end
_FAREWELL = 2.0  # seconds for the broker at the end
_KEEPALIVE = 30  # seconds after which a silent broker counts as gone
_AT_MOST_ONCE = 0  # for messages sent at each connection: paho keeps all others until they are acknowledged
_FIRST_PAUSE, _LONGEST_PAUSE = 1, 60  # seconds between two attempts to reach the broker
_ANNOUNCE_PAUSE = 5.0  # seconds between two announcements that somebody asks for
_READ_PAUSE = 0.5  # seconds between two frames that somebody has read
_JPEG_QUALITY = 80
_MOST_PICTURES = 2  # that wait: each is a whole frame


class _Sending(NamedTuple):
    """What goes to a topic."""

    topic: str
    payload: bytes
    retain: bool = True


class MqttPublisher:
    """A publisher, see `Publisher`. Its thread sends one message after the other; a thread of paho-mqtt connects, and
    connects again after a failure.

    While the broker is away, the newest `capacity` messages wait. When it is back, the latest decision is sent in any
    case, because a broker may have lost its retained messages; the event of a decision is sent once.

    Args:
        read_now: called when somebody asks for a decision, in the thread of paho-mqtt.

    A hostile broker can only keep messages from being delivered: what it sends is bounded in size and rate, and what
    nobody asked for is refused and counted.

    Raises:
        PublishError: paho-mqtt is not installed, or the password or a certificate cannot be read.
    """

    name = "mqtt"
    broken: OSError | None = None

    def __init__(
        self,
        settings: MqttConfig,
        capacity: int,
        complain: Callable[[str], None] = lambda text: None,
        fields: Sequence[str] = (),
        read_now: Callable[[], object] = lambda: None,
    ) -> None:
        try:
            from paho.mqtt import client  # noqa: F401
        except ImportError as error:
            raise PublishError(f"MQTT needs paho-mqtt ({error}): {how_to_install('mqtt')}") from None
        from edge_lpdpl.live.broker.bounded_client import BoundedClient

        self._settings, self._fields = settings, fields
        self._complain, self._broker, self._read_now = complain, f"{settings.host}:{settings.port}", read_now
        self._state, self._availability = f"{settings.topic}/state", f"{settings.topic}/availability"
        self._client = BoundedClient(self._refuse)
        self._client.max_queued_messages_set(capacity)
        self._refused = 0
        self._announced, self._asked = -_ANNOUNCE_PAUSE, -_READ_PAUSE
        self._client.reconnect_delay_set(_FIRST_PAUSE, _LONGEST_PAUSE)
        self._client.will_set(self._availability, OFFLINE, qos=1, retain=True)
        if settings.username:
            self._client.username_pw_set(settings.username, read_password(settings.password_file))
        if settings.tls:
            self._client.tls_set_context(tls_context(settings))
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message
        self._online, self._closing = threading.Event(), threading.Event()
        self._client.on_disconnect = self._on_disconnect
        self._client.on_connect_fail = self._on_connect_fail
        self._standing: bytes | None = None
        self._outbox: Outbox[tuple[_Sending, ...]] = Outbox(self.name, capacity, self._send_all)
        self._pictures: Outbox[NDArray[np.uint8]] | None = None
        if settings.picture:
            self._pictures = Outbox("mqtt pictures", _MOST_PICTURES, self._send_picture)
        self._client.connect_async(settings.host, settings.port, _KEEPALIVE)
        self._client.loop_start()

    @property
    def dropped(self) -> int:
        return self._outbox.dropped

    @property
    def refused(self) -> int:
        """Packets of the broker that were not accepted."""
        return self._refused

    @property
    def connected(self) -> bool:
        """Whether the broker is connected."""
        return self._online.is_set()

    def publish(self, message: Message, line: bytes) -> None:
        self._standing = line.rstrip(b"\n")
        event = _Sending(f"{self._settings.topic}/event", event_of(message), retain=False)
        self._outbox.put((_Sending(self._state, self._standing), event))

    def see(self, message: Message, grey: NDArray[np.uint8]) -> None:
        if self._pictures is not None:
            self._pictures.put(grey.copy())

    def close(self) -> None:
        if self.connected:
            self._outbox.close()
        self._closing.set()
        self._outbox.close()
        if self._pictures is not None:
            self._pictures.close()
        # In another thread, because paho waits without end for a broker that accepted the connection and is silent.
        ending = threading.Thread(target=self._say_farewell, name="mqtt farewell", daemon=True)
        ending.start()
        ending.join(_FAREWELL)

    def _send_picture(self, grey: NDArray[np.uint8]) -> None:
        jpeg = io.BytesIO()
        Image.fromarray(grey).save(jpeg, "JPEG", quality=_JPEG_QUALITY)
        self._send(_Sending(f"{self._settings.topic}/picture", jpeg.getvalue()))

    def _send_all(self, sendings: tuple[_Sending, ...]) -> None:
        for sending in sendings:
            self._send(sending)

    def _send(self, sending: _Sending) -> None:
        """Send one message and wait until the broker has it."""
        while True:
            while not self._online.wait(_STEP):
                if self._closing.is_set():
                    return
            sent = self._client.publish(sending.topic, sending.payload, qos=1, retain=sending.retain)
            if not self._client.is_full(sent):
                break
            if self._closing.wait(_STEP):  # full of what a broker took and did not acknowledge; paho sends it again
                return
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
        if self._standing is None:
            client.publish(self._state, NO_DECISION, qos=_AT_MOST_ONCE, retain=True)
        client.publish(self._availability, ONLINE, qos=_AT_MOST_ONCE, retain=True)
        client.subscribe(f"{self._settings.topic}/read")
        if self._settings.discovery:
            client.subscribe(f"{self._settings.discovery}/status")  # Home Assistant publishes there that it has started
            self._announce()
        if self._standing is not None:
            self._outbox.put((_Sending(self._state, self._standing),))
        self._online.set()

    def _on_connect_fail(self, client: object, userdata: object) -> None:
        error = sys.exc_info()[1]  # paho calls this where it handles the error
        fault = "does not answer"
        if isinstance(error, ssl.SSLCertVerificationError):
            fault = f"has no certificate that is trusted here ({error.verify_message}); see mqtt.ca_file"
        elif isinstance(error, ssl.SSLError):
            fault = f"makes no secure connection ({error.reason}); see [mqtt] of the configuration"
        self._complain(f"mqtt: {self._broker} {fault}; trying again")

    def _on_disconnect(self, client: Any, userdata: object, flags: object, reason: Any, properties: object) -> None:
        if self.connected and not self._closing.is_set():
            self._complain(f"mqtt: {self._broker} went away ({reason}); trying again")
        elif not self._closing.is_set():
            self._complain(f"mqtt: {self._broker} hangs up without an answer; see [mqtt] of the configuration")
        self._online.clear()

    def _on_message(self, client: object, userdata: object, message: Any) -> None:
        """Have a frame read, or announce the device to a Home Assistant that has started; neither too often."""
        now = time.monotonic()
        if message.topic == f"{self._settings.topic}/read":
            if message.payload == READ_NOW and not message.retain and now - self._asked >= _READ_PAUSE:
                self._asked = now
                self._read_now()
        elif message.payload == ONLINE and now - self._announced >= _ANNOUNCE_PAUSE:
            self._announced = now
            self._announce()

    def _refuse(self, what: str) -> None:
        self._refused += 1
        self._complain(f"mqtt: {self._broker} sends {what}: refused")

    def _announce(self) -> None:
        place = self._settings.discovery, self._settings.topic
        for topic, payload in discovery_messages(*place, self._fields, self._settings.picture).items():
            self._client.publish(topic, payload, qos=_AT_MOST_ONCE, retain=True)
