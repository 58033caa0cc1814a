"""Home Assistant discovers the service, and its templates show the first number of a decision."""

import json

import jinja2
import pytest

from edge_lpdpl.live.publish.home_assistant import discovery_messages, event_of
from edge_lpdpl.live.publish.mqtt import NO_DECISION, READ_NOW

UNKNOWN = "None"
"""How Jinja renders none. The state is then unknown; before Home Assistant 2024.10 only where a number is expected."""


def number(text, value, confidence, rejected=False):
    return {"text": text, "value": value, "confidence": confidence, "rejected": rejected}


def of_kind(kind, picture=True):
    messages = discovery_messages("homeassistant", "kitchen/cards", (), picture)
    parts = {tuple(topic.split("/")): payload for topic, payload in messages.items()}
    return {name: json.loads(payload) for (_, one, _, name, _), payload in parts.items() if one == kind}


@pytest.fixture
def entities():
    """The sensors."""
    return of_kind("sensor")


def test_home_assistant_is_told_where_to_look(entities):
    assert set(entities) == {"text", "value", "confidence"}
    for entity in entities.values():
        assert entity["state_topic"] == entity["json_attributes_topic"] == "kitchen/cards/state"
    everything = [one for kind in ("sensor", "event", "button", "image") for one in of_kind(kind).values()]
    assert len({entity["unique_id"] for entity in everything}) == 6
    for entity in everything:
        assert entity["availability_topic"] == "kitchen/cards/availability"
        assert entity["device"]["identifiers"] == ["kitchen_cards"]
        assert entity["origin"]["name"] == "edge-lpdpl"


def test_each_topic_is_a_device_of_its_own():
    topics = "cards", "kitchen/cards", "kitchen_cards", "车间", "仓库"
    names = {name for topic in topics for name in discovery_messages("homeassistant", topic)}
    assert len(names) == len(topics) * len(discovery_messages("homeassistant", "cards"))


def test_before_the_first_decision_nothing_is_known(entities):
    state = {"value_json": json.loads(NO_DECISION)}
    assert {jinja2.Template(one["value_template"]).render(state) for one in entities.values()} == {UNKNOWN}


def test_an_event_a_button_and_a_picture():
    """With the keys that Home Assistant requires of each."""
    (event,), (button,), (image,) = (of_kind(kind).values() for kind in ("event", "button", "image"))
    assert (event["state_topic"], set(event["event_types"])) == (
        "kitchen/cards/event",
        {"accepted", "rejected", "nothing"},
    )
    assert (button["command_topic"], button["payload_press"].encode()) == ("kitchen/cards/read", READ_NOW)
    assert (image["image_topic"], image["content_type"]) == ("kitchen/cards/picture", "image/jpeg")


def test_the_picture_is_taken_back_where_there_is_none():
    messages = discovery_messages("homeassistant", "kitchen/cards")
    assert messages["homeassistant/image/kitchen_cards/picture/config"] == b""


@pytest.mark.parametrize(
    ("numbers", "kind"), [([("4", False), ("5", True)], "accepted"), ([("4", True)], "rejected"), ([], "nothing")]
)
def test_the_event_of_a_decision_has_a_type_that_was_announced_and_its_numbers(numbers, kind):
    numbers = [number(text, int(text), 0.9, rejected) | {"reason": None, "box": []} for text, rejected in numbers]
    event = json.loads(event_of({"time": "now", "trigger": "change", "numbers": numbers, "unread": []}))
    assert event["event_type"] == kind
    assert kind in of_kind("event")["decision"]["event_types"]
    assert [one["text"] for one in event["numbers"]] == [one["text"] for one in numbers]


def test_home_assistant_expects_numbers_of_all_sensors_but_the_text(entities):
    """It does where a sensor has a unit or a class. A text such as 007 has to stay a text."""
    numeric = {"unit_of_measurement", "suggested_display_precision", "state_class", "device_class"}
    assert [name for name, entity in entities.items() if numeric.isdisjoint(entity)] == ["text"]


def test_home_assistant_shows_what_stands_behind_a_decimal_point():
    """With a precision of 0 it would show 12.5 as 13."""
    told = [json.loads(one) for one in discovery_messages("homeassistant", "a", ["sum"]).values() if one]
    assert any(one["name"] == "sum" for one in told)
    assert all("suggested_display_precision" not in one for one in told)


class TestFields:
    """Each field of a form is a sensor of its own."""

    NAMES = ("score", '分数 "a" {{ b }}')

    @pytest.fixture
    def sensors(self):
        messages = discovery_messages("homeassistant", "kitchen/cards", self.NAMES)
        told = [json.loads(payload) for topic, payload in messages.items() if "/field_" in topic]
        return {entity["name"]: jinja2.Template(entity["value_template"]) for entity in told}

    @pytest.mark.parametrize("name", NAMES)
    def test_it_shows_the_value_of_its_field(self, sensors, name):
        fields = dict.fromkeys(self.NAMES) | {name: number("427", 427, 0.9)}
        shown = {one: sensor.render(value_json={"fields": fields}) for one, sensor in sensors.items()}
        assert shown == dict.fromkeys(self.NAMES, UNKNOWN) | {name: "427"}

    @pytest.mark.parametrize("fields", [None, {"score": None}, {"score": number("427", 427, 0.3, rejected=True)}])
    def test_it_is_unknown_where_nothing_is_read_or_in_doubt(self, sensors, fields):
        assert {sensor.render(value_json={"fields": fields}) for sensor in sensors.values()} == {UNKNOWN}


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ([number("五", 5, 0.998)], ("五", "5", "99.8")),
        ([number("427", 427, 0.9), number("31", 31, 0.8)], ("427", "427", "90.0")),
        ([number("007", 7, 0.9876)], ("007", "7", "98.8")),
        ([number("0", 0, 0.9)], ("0", "0", "90.0")),
        ([number("9999999999999999", 9_999_999_999_999_999, 1.0)], ("9999999999999999", "9999999999999999", "100.0")),
        ([number("427", 427, 0.3, rejected=True), number("31", 31, 0.8)], (UNKNOWN, UNKNOWN, "30.0")),
        ([number("百四", None, 0.3, rejected=True)], (UNKNOWN, UNKNOWN, "30.0")),
        ([], (UNKNOWN, UNKNOWN, UNKNOWN)),
    ],
)
def test_what_home_assistant_shows(entities, numbers, shown):
    """Home Assistant renders with Jinja, from what `json.loads` gives."""
    state = {"value_json": json.loads(json.dumps({"numbers": numbers}))}
    rendered = {key: jinja2.Template(entity["value_template"]).render(state) for key, entity in entities.items()}
    assert (rendered["text"], rendered["value"], rendered["confidence"]) == shown
