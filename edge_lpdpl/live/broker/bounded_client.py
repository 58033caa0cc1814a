"""A client of paho-mqtt that bounds what a broker may send.

paho itself keeps packets of up to 256 MB, and messages without end that nobody asked for; a packet that it cannot parse
may end its thread. This overrides two functions of paho that are not public: `tests/lanes/mqtt` checks the result
against the real paho and hostile brokers.
"""

import time
from collections.abc import Callable

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

LARGEST_PACKET = 64 << 10
"""Bytes of a packet from the broker; those that are of use have a few dozen. Of a larger one nothing is kept."""
MOST_PACKETS = 200
"""In a second; a broker that sends more is read more slowly."""
_EXPECTED = (mqtt.CONNACK, mqtt.PUBLISH, mqtt.PUBACK, mqtt.SUBACK, mqtt.PINGRESP)
_UNKNOWN_VERSION = b"\x01"
_STRANGE = "what no broker sends to this client"
_QOS = 0x06  # bits of the first byte of a message


class BoundedClient(mqtt.Client):
    """A client of a broker that is not trusted.

    Args:
        refuse: is told what the broker sent and should not; called in the thread of the client.
    """

    def __init__(self, refuse: Callable[[str], None]) -> None:
        super().__init__(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv311)
        self._refuse = refuse
        self._second, self._packets = 0.0, 0

    @staticmethod
    def is_full(sent: mqtt.MQTTMessageInfo) -> bool:
        """Whether a message was not taken, because too many wait to be acknowledged."""
        return sent.rc == MQTTErrorCode.MQTT_ERR_QUEUE_SIZE

    def _sock_recv(self, bufsize: int) -> bytes:
        if self._in_packet["remaining_length"] > LARGEST_PACKET:
            if self._in_packet["command"] & 0xF0 != mqtt.PUBLISH:  # its body is not waited for
                self._refuse(_STRANGE)
                raise ConnectionAbortedError(_STRANGE)  # paho takes an OSError as a connection that is lost
            self._in_packet["packet"].clear()
        return super()._sock_recv(min(bufsize, LARGEST_PACKET))

    def _packet_handle(self) -> MQTTErrorCode:
        self._slow_down()
        first, size = self._in_packet["command"], self._in_packet["remaining_length"]
        kind = first & 0xF0
        if kind == mqtt.PUBLISH and size > LARGEST_PACKET:
            self._refuse("a message that is too large")  # of somebody else, perhaps: the connection stays
            return MQTTErrorCode.MQTT_ERR_SUCCESS
        again = kind == mqtt.CONNACK and self.is_connected()
        acknowledged = kind == mqtt.PUBLISH and first & _QOS  # nobody asked for that, and paho would keep it
        number = int.from_bytes(self._in_packet["packet"][:2], "big")
        # What is read slowly would keep a connection that is dead, as each of them is a sign of life.
        strange = kind == mqtt.PUBACK and number not in self._out_messages
        if kind not in _EXPECTED or again or acknowledged or strange:
            self._refuse(_STRANGE)
            return MQTTErrorCode.MQTT_ERR_PROTOCOL
        if kind == mqtt.CONNACK and self._in_packet["packet"][1:] == _UNKNOWN_VERSION:
            self._refuse("that it does not know MQTT 3.1.1")  # paho would speak an older one from now on, to any broker
            return MQTTErrorCode.MQTT_ERR_PROTOCOL
        try:
            done = super()._packet_handle()
        except Exception:  # of a parser, for which anything may be in a packet
            done = MQTTErrorCode.MQTT_ERR_PROTOCOL
        if done == MQTTErrorCode.MQTT_ERR_PROTOCOL:
            self._refuse("a packet that is damaged")
        return done

    def _slow_down(self) -> None:
        """Wait, so that a broker that floods does not take the processor from the loop of the service."""
        now = time.monotonic()
        if now - self._second > 1:
            self._second, self._packets = now, 0
        self._packets += 1
        if self._packets > MOST_PACKETS:
            time.sleep(1 / MOST_PACKETS)
