"""Requests of clients: what they may set, and any bytes are a request or an error."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge_lpdpl.live.publish.message import as_line
from edge_lpdpl.live.publish.requests import REQUESTS, RequestError, parse_request, settings_to_change

AT_START = {"set": {"camera.gain": 1, "camera.number": 1}}


def test_what_a_client_may_set():
    assert settings_to_change({"set": {"trigger.kind": "x", "trigger.still_ms": 1, "page.region": []}}) == {
        "trigger": {"kind": "x", "still_ms": 1},
        "page": {"region": []},
    }
    for wrong in (
        {},
        {"set": {}},
        {"set": []},
        {"set": {"publish.socket": "/etc/x"}},
        {"set": {"model.file": "a"}},
        AT_START,
    ):
        with pytest.raises(RequestError):
            settings_to_change(wrong)


# With lone surrogates, which `st.text` leaves out.
ANY_TEXT = st.lists(st.characters() | st.sampled_from(["\ud800", "\udfff"]), max_size=9).map("".join)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.recursive(
            st.none() | st.integers() | ANY_TEXT,
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["request", "id", "set", "x"]), inner, max_size=3)
            ),
        ).map(lambda value: json.dumps(value).encode()),
        st.fixed_dictionaries(
            {"request": st.sampled_from(list(REQUESTS)), "id": ANY_TEXT | st.integers()},
            optional={"set": st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=2)},
        ).map(lambda value: json.dumps(value).encode()),
    )
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_are_an_error_or_a_request_that_can_be_repeated_in_an_answer(line):
    try:
        request = parse_request(line)
    except RequestError:
        return
    assert request["request"] in REQUESTS
    assert json.loads(as_line(request)) == request


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (b'{"request": "status", "id": 7, "extra": 1}', {"id": 7}),
        (b'{"request": "nonsense", "id": "a"}', {"id": "a"}),
        (b'{"request": "nonsense"}', {}),
        (b'{"request": "status", "id": []}', {}),
        (b"[]", {}),
    ],
)
def test_an_error_names_the_request_that_it_answers(line, identity):
    with pytest.raises(RequestError) as caught:
        parse_request(line)
    assert caught.value.identity == identity
