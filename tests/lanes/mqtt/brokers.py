"""A real broker and a subscriber, for the tests of this lane."""

import os
import shutil
import socket
import subprocess
import threading
import time

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion

TOPIC = "kitchen/cards"


class Broker:
    """A mosquitto that can be stopped and restarted on the same port.

    Args:
        lines: of its configuration, for its listener.
        port: a free one by default.
    """

    def __init__(self, folder, *lines, port=0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            self.port = probe.getsockname()[1]
        self.config = folder / "mosquitto.conf"
        given = lines or ("allow_anonymous true",)
        self.config.write_text("\n".join([f"listener {self.port} 127.0.0.1", "user root", *given]) + "\n")
        self.process = None
        self.start()

    def start(self):
        command = [shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin"), "-c", str(self.config)]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wait_until(self.answers)

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.kill()
        self.process.wait()


class Subscriber:
    """A subscriber's messages, by topic."""

    def __init__(self, port, topic="#", **account):
        self.heard, self.retained, self._lock = {}, {}, threading.Lock()
        self.client = paho.Client(CallbackAPIVersion.VERSION2)
        if account:
            self.client.username_pw_set(account["username"], account["password"])
        self.client.on_connect = lambda client, *_: client.subscribe(topic, qos=1)
        self.client.on_message = self._hear
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _hear(self, client, userdata, message):
        with self._lock:
            self.heard.setdefault(message.topic, []).append(message.payload)
            self.retained[message.topic] = message.retain

    def wait_for(self, topic, condition=lambda payloads: True, seconds=20):
        wait_until(lambda: topic in self.heard and condition(self.heard[topic]), seconds)
        return self.heard[topic]

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
