"""Home Assistant discovers the service, and its templates show the decisions."""

import json

import jinja2
import pytest

from edge_lpdpl.live.publish.home_assistant import discovery_messages


def numeral(label, value, confidence, rejected=False):
    return {"label": label, "value": value, "confidence": confidence, "rejected": rejected}


@pytest.fixture
def entities():
    messages = discovery_messages("homeassistant", "kitchen/cards")
    return {topic.split("/")[3]: json.loads(payload) for topic, payload in messages.items()}


def test_home_assistant_is_told_where_to_look(entities):
    assert set(entities) == {"numerals", "value", "confidence"}
    assert len({entity["unique_id"] for entity in entities.values()}) == 3
    for entity in entities.values():
        assert entity["state_topic"] == "kitchen/cards/state"
        assert entity["availability_topic"] == "kitchen/cards/availability"
        assert entity["device"]["identifiers"] == ["kitchen_cards"]
        assert entity["origin"]["name"] == "edge-lpdpl"


@pytest.mark.parametrize(
    ("numerals", "shown"),
    [
        ([numeral("五", 5, 0.998)], ("五", "5", "99.8")),
        ([numeral("4", 4, 0.9), numeral("2", 2, 0.8)], ("4 2", "4", "80.0")),
        ([numeral("4", 4, 0.3, rejected=True), numeral("2", 2, 0.8)], ("2", "2", "30.0")),
        ([numeral("4", 4, 0.3, rejected=True)], ("", "None", "30.0")),
        ([], ("", "None", "None")),
    ],
)
def test_what_home_assistant_shows(entities, numerals, shown):
    """Home Assistant uses Jinja templates, and takes `None` for unknown."""
    accepted = [one for one in numerals if not one["rejected"]]
    state = {"value_json": {"numerals": numerals, "numbers": accepted}}
    rendered = {key: jinja2.Template(entity["value_template"]).render(state) for key, entity in entities.items()}
    assert (rendered["numerals"], rendered["value"], rendered["confidence"]) == shown
