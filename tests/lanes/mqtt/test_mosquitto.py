"""Decisions through a real mosquitto: the standing decision is retained, and clients learn whether the service runs."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from brokers import TOPIC, Broker, Subscriber, wait_until
from PIL import Image

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.publish.mqtt import NO_DECISION, MqttPublisher

ROOT = Path(__file__).parents[3]
NUMBER = {"text": "7", "value": 7, "confidence": 0.9, "rejected": False, "reason": None}
MESSAGE = {"time": "2026-11-20T23:07:56.209Z", "trigger": "change", "numbers": [NUMBER]}


@pytest.fixture
def broker(tmp_path):
    broker = Broker(tmp_path)
    yield broker
    broker.stop()


@pytest.fixture
def listen():
    subscribers = []

    def listen(port, *arguments, **settings):
        subscribers.append(Subscriber(port, *arguments, **settings))
        return subscribers[-1]

    yield listen
    for subscriber in subscribers:
        subscriber.close()


@pytest.fixture
def publish(broker):
    opened = []

    def publish(capacity=8, read_now=lambda: None, **settings):
        config = load_config((), {"mqtt": {"host": "127.0.0.1", "port": broker.port, "topic": TOPIC, **settings}})
        opened.append(MqttPublisher(config.mqtt, capacity, read_now=read_now))
        return opened[-1]

    yield publish
    for publisher in opened:
        publisher.close()


def send(publisher, number):
    publisher.publish(MESSAGE, json.dumps({"number": number}).encode() + b"\n")


def test_the_standing_decision_is_retained_for_late_subscribers(broker, publish, listen):
    publisher = publish()
    wait_until(lambda: publisher.connected)
    send(publisher, 1)
    send(publisher, 2)
    early = listen(broker.port)
    assert json.loads(early.wait_for(f"{TOPIC}/state", lambda heard: b'{"number": 2}' in heard)[-1]) == {"number": 2}
    late = listen(broker.port)
    assert late.wait_for(f"{TOPIC}/state") == [b'{"number": 2}']
    assert late.wait_for(f"{TOPIC}/availability") == [b"online"]
    assert late.retained == dict.fromkeys(late.heard, True)


def test_what_was_decided_before_a_restart_is_not_current(broker, publish, listen):
    publisher = publish()
    wait_until(lambda: publisher.connected)
    send(publisher, 1)
    listen(broker.port).wait_for(f"{TOPIC}/state", lambda heard: b'{"number": 1}' in heard)
    publisher.close()
    again = publish()
    wait_until(lambda: again.connected)
    listen(broker.port).wait_for(f"{TOPIC}/availability", lambda heard: heard[-1] == b"online")
    assert listen(broker.port).wait_for(f"{TOPIC}/state") == [NO_DECISION]
    send(again, 2)
    listen(broker.port).wait_for(f"{TOPIC}/state", lambda heard: heard[-1] == b'{"number": 2}')


def test_home_assistant_finds_the_device_and_is_told_again_when_it_starts(broker, publish, listen):
    publish()
    assistant = listen(broker.port, "homeassistant/+/#")
    topic = "homeassistant/sensor/kitchen_cards/value/config"
    entity = json.loads(assistant.wait_for(topic)[0])
    assert entity["state_topic"] == f"{TOPIC}/state"
    assistant.client.publish("homeassistant/status", b"online")
    assistant.wait_for(topic, lambda heard: len(heard) == 2)


def test_nothing_is_announced_if_announcing_is_off(broker, publish, listen):
    publisher = publish(discovery="")
    wait_until(lambda: publisher.connected)
    send(publisher, 1)
    everything = listen(broker.port)
    everything.wait_for(f"{TOPIC}/state")
    everything.wait_for(f"{TOPIC}/availability")
    assert {topic.rpartition("/")[0] for topic in everything.heard} == {TOPIC}


def test_two_equal_decisions_are_two_events_and_none_is_repeated(broker, publish, listen):
    publisher = publish()
    wait_until(lambda: publisher.connected)
    assistant = listen(broker.port, f"{TOPIC}/#")
    assistant.wait_for(f"{TOPIC}/availability")
    send(publisher, 1)
    send(publisher, 1)
    heard = assistant.wait_for(f"{TOPIC}/event", lambda heard: len(heard) == 2)
    assert [json.loads(payload)["event_type"] for payload in heard] == ["accepted", "accepted"]
    assert not assistant.retained[f"{TOPIC}/event"]
    broker.stop()
    wait_until(lambda: not publisher.connected)
    broker.start()
    after = listen(broker.port)
    after.wait_for(f"{TOPIC}/state", seconds=60)  # the standing decision is sent again, its event is not
    assert f"{TOPIC}/event" not in after.heard


def test_a_button_has_a_frame_read(broker, publish, listen):
    pressed = []
    publisher = publish(read_now=lambda: pressed.append(1))
    wait_until(lambda: publisher.connected)
    assistant = listen(broker.port)
    # Pressed again and again, because the service listens a moment after it is connected.
    wait_until(lambda: assistant.client.publish(f"{TOPIC}/read", b"now") and pressed)
    time.sleep(1)
    before = len(pressed)
    for payload in (b"", b"later", b"now" * 1000):
        assistant.client.publish(f"{TOPIC}/read", payload)
    assistant.client.publish(f"{TOPIC}/read", b"now")
    wait_until(lambda: len(pressed) == before + 1)


def test_a_press_that_a_broker_has_kept_is_no_press(broker, publish, listen):
    listen(broker.port).client.publish(f"{TOPIC}/read", b"now", qos=1, retain=True).wait_for_publish(5)
    pressed = []
    publisher = publish(read_now=lambda: pressed.append(1))
    wait_until(lambda: publisher.connected)
    assistant = listen(broker.port, f"{TOPIC}/read")
    assistant.wait_for(f"{TOPIC}/read")
    assistant.client.publish(f"{TOPIC}/read", b"now")
    wait_until(lambda: pressed)
    assert pressed == [1]


def test_the_frame_of_a_decision_is_a_picture(broker, publish, listen):
    publisher = publish(picture=True)
    wait_until(lambda: publisher.connected)
    frame = np.full((48, 64), 200, np.uint8)
    send(publisher, 1)
    publisher.see(MESSAGE, frame)
    frame[:] = 0  # the service takes the next frame into the same memory
    late = listen(broker.port, f"{TOPIC}/picture")
    picture = Image.open(io.BytesIO(late.wait_for(f"{TOPIC}/picture")[-1]))
    assert (picture.format, picture.size) == ("JPEG", (64, 48))
    assert abs(int(np.asarray(picture).mean()) - 200) < 5


def test_without_the_setting_no_frame_leaves_the_machine(broker, publish, listen):
    publisher = publish()
    wait_until(lambda: publisher.connected)
    publisher.see(MESSAGE, np.zeros((48, 64), np.uint8))
    send(publisher, 1)
    everything = listen(broker.port)
    everything.wait_for(f"{TOPIC}/state")
    assert f"{TOPIC}/picture" not in everything.heard


def test_a_broker_that_is_away_is_complained_of(broker):
    complaints = []
    config = load_config((), {"mqtt": {"host": "127.0.0.1", "port": broker.port, "topic": TOPIC}})
    publisher = MqttPublisher(config.mqtt, 4, complaints.append)
    wait_until(lambda: publisher.connected)
    broker.stop()
    wait_until(lambda: any("does not answer" in complaint for complaint in complaints))
    assert "went away" in complaints[0]
    publisher.close()


def test_a_broker_that_returns_gets_waiting_messages_and_the_standing_decision(broker, publish, listen):
    publisher = publish(capacity=4)
    wait_until(lambda: publisher.connected)
    broker.stop()
    wait_until(lambda: not publisher.connected)
    for number in range(20):
        send(publisher, number)
    assert 15 <= publisher.dropped <= 16  # one is in transit
    broker.start()
    subscriber = listen(broker.port)
    heard = subscriber.wait_for(f"{TOPIC}/state", lambda heard: b'{"number": 19}' in heard, 60)
    numbers = [json.loads(payload)["number"] for payload in heard if payload != NO_DECISION]
    assert numbers == sorted(numbers)  # the newest message is retained, not the resent one
    subscriber.wait_for(f"{TOPIC}/availability", lambda heard: heard[-1] == b"online")


def test_an_account_is_needed_and_its_password_is_in_a_file(tmp_path, listen):
    users = tmp_path / "users"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(users), "pi", "secret"], check=True)
    users.chmod(0o644)
    (tmp_path / "password").write_text("secret\n")
    broker = Broker(tmp_path, f"password_file {users}", "allow_anonymous false")
    try:
        for name, accepted in (("password", True), ("users", False)):
            values = {"host": "127.0.0.1", "port": broker.port, "topic": TOPIC, "username": "pi"}
            config = load_config((), {"mqtt": {**values, "password_file": str(tmp_path / name)}})
            complaints = []
            publisher = MqttPublisher(config.mqtt, 4, complaints.append)
            if accepted:
                wait_until(lambda publisher=publisher: publisher.connected)
                assert complaints == []
            else:
                wait_until(lambda complaints=complaints: complaints)
                assert not publisher.connected
                assert "refuses the connection: Not authorized; see [mqtt] of the configuration" in complaints[0]
            publisher.close()
    finally:
        broker.stop()


@pytest.fixture
def service(tmp_path, broker):
    """`edge-lpdpl run` on the shipped pictures."""
    settings = ["frames.picture_ms=400", "frames.repeat=true", "publish.socket=", f"mqtt.port={broker.port}"]
    settings += ["mqtt.host=127.0.0.1", f"mqtt.topic={TOPIC}", "publish.stdout=false", "mqtt.picture=true"]
    command = [sys.executable, "-c", "import sys; from edge_lpdpl.commands.main import main; sys.exit(main())", "run"]
    command += ["--frames", str(ROOT / "edge_lpdpl" / "library" / "shipped_pictures" / "chinese_*_paper.png")]
    process = subprocess.Popen(
        [*command, *(word for setting in settings for word in ("--set", setting))],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_decisions_arrive_and_the_end_of_the_service_is_known_however_it_ends(end, broker, listen, service):
    subscriber = listen(broker.port)
    states = subscriber.wait_for(f"{TOPIC}/state", lambda heard: heard[-1] != NO_DECISION, 90)
    assert json.loads(states[-1])["trigger"] == "change"
    assert subscriber.wait_for(f"{TOPIC}/availability")[-1] == b"online"
    assert json.loads(subscriber.wait_for(f"{TOPIC}/event")[0])["event_type"] in ("accepted", "rejected")
    assert Image.open(io.BytesIO(subscriber.wait_for(f"{TOPIC}/picture")[0])).size == (640, 480)
    service.send_signal(end)  # once all of a decision has come, because each of its messages waits for the broker
    subscriber.wait_for(f"{TOPIC}/availability", lambda heard: heard[-1] == b"offline")
    if end == signal.SIGTERM:
        assert service.wait(10) == 0


def test_a_broker_that_forgot_everything_is_told_again(broker, publish, listen):
    publisher = publish()
    wait_until(lambda: publisher.connected)
    send(publisher, 1)
    listen(broker.port).wait_for(f"{TOPIC}/state")
    broker.stop()
    broker.start()  # without persistence: retained messages are gone
    assert listen(broker.port).wait_for(f"{TOPIC}/state", seconds=60) == [b'{"number": 1}']
