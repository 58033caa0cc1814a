"""The page's server on the real service: what a viewer sees and does, and what happens when the service is gone."""

import asyncio
import io
import threading
from contextlib import asynccontextmanager
from functools import partial

import numpy as np
import pytest
from aiohttp import WSMsgType, WSServerHandshakeError
from PIL import Image
from service_bench import still_page
from web_pages import event_of, own, page_server, running

from edge_lpdpl.form.fields import MOST_FIELDS
from edge_lpdpl.live.client import Client
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.web.guard import COOKIE
from edge_lpdpl.web.link import TOO_LONG
from edge_lpdpl.web.tokens import make_token
from edge_lpdpl.web.viewers import MOST_VIEWERS

pytestmark = pytest.mark.slow


@pytest.fixture
def bench(tmp_path):
    """A service that sees a 五 at rest, many times a second for half a minute."""
    bench = still_page(tmp_path, "request")
    bench.scenes._count = 3000
    bench.scenes.truth = bench.scenes.truth * 100
    return bench


def posted(client, path, value):
    """A request of the page."""
    return client.post(path, json=value, headers=own(client))


@asynccontextmanager
async def viewer(folder, socket):
    """A client of the server, and the WebSocket of its viewer."""
    async with page_server(folder, socket=socket) as client, client.ws_connect("/live", headers=own(client)) as live:
        yield client, live


async def a_frame(socket):
    async for message in socket:
        if message.type is WSMsgType.BINARY:
            return np.asarray(Image.open(io.BytesIO(message.data)))
    raise AssertionError("the page has closed")


def test_a_viewer_sees_the_frame_reads_it_and_asks_why(bench, tmp_path):
    async def look():
        async with viewer(tmp_path, bench.socket) as (client, socket):
            frame = await a_frame(socket)
            aim = await event_of(socket, "aim")
            assert (await client.post("/read", json={}, headers=own(client))).status == 200
            decision = (await event_of(socket, "decision"))["decision"]
            steps = await (await client.get(f"/steps/{decision['id']}/0")).json()
            late = await client.get(f"/steps/{decision['id'] + 1}/0")
            return frame, aim, decision, steps, late.status

    with bench.running():
        frame, aim, decision, steps, late = running(look())
    assert np.abs(frame.astype(int) - bench.scenes._still[5][0]).mean() < 3
    assert aim["bright"] == 0
    assert [one["text"] for one in decision["message"]["numbers"]] == ["五"]
    assert len(decision["cut_outs"]) == 1
    assert decision["writing"]["size"] > 0.1
    assert steps["steps"]["label"] == "五"
    assert late == 409


def test_who_comes_later_sees_the_cut_outs_of_what_was_decided_before(bench, tmp_path):
    async def look():
        async with page_server(tmp_path, socket=bench.socket) as client:
            async with client.ws_connect("/live", headers=own(client)) as first:
                await a_frame(first)
            for _ in range(20):
                assert (await client.post("/read", json={}, headers=own(client))).status == 200
                await asyncio.sleep(0.3)  # nobody looks
                async with client.ws_connect("/live", headers=own(client)) as second:
                    shown = (await event_of(second, "decisions"))["decisions"]
                    if shown and not shown[-1]["cut_outs"]:
                        return (await event_of(second, "decisions"))["decisions"][-1]
        raise AssertionError("no decision was made while nobody looked")

    with bench.running():
        decision = running(look())
    assert len(decision["cut_outs"]) == len(decision["message"]["numerals"]) == 1


def test_settings_are_tried_kept_and_taken_back(bench, tmp_path):
    async def change():
        async with viewer(tmp_path, bench.socket) as (client, socket):
            post = partial(posted, client)
            while not (await event_of(socket, "service"))["settings"]:
                pass
            assert (await post("/set", {"set": {"page.region": [16, 16, 200, 200]}})).status == 200
            tried = await event_of(socket, "service")
            wrong = await (await post("/set", {"set": {"page.region": [0, 0, 5000, 5]}})).json()
            kept = await (await post("/keep", {})).json()
            written = load_config([kept["file"]]).page.region
            assert (await post("/undo", {})).status == 200
            while (now := await event_of(socket, "service"))["settings"]["page"]["region"]:
                pass
            return tried, wrong, written, now

    with bench.running():
        tried, wrong, written, now = running(change())
    assert tried["settings"]["page"]["region"] == [16, 16, 200, 200]
    assert "page.region" in wrong["error"]
    assert written == (16, 16, 200, 200)
    assert now["settings"]["page"]["region"] == []


def test_what_somebody_else_changed_is_seen_and_not_taken_back(bench, tmp_path):
    def asked(request):
        with Client(bench.socket) as other:
            return other.ask(request, 30)

    async def change():
        async with viewer(tmp_path, bench.socket) as (client, live):
            assert (await posted(client, "/set", {"set": {"trigger.still_ms": 350, "page.ink": "dark"}})).status == 200
            await asyncio.to_thread(asked, {"request": "set", "set": {"trigger.still_ms": 700}})
            while (await event_of(live, "service"))["settings"].get("trigger", {}).get("still_ms") != 700:
                pass
            assert (await posted(client, "/undo", {})).status == 200
            while (now := (await event_of(live, "service"))["settings"])["page"]["ink"] != "auto":
                pass
            return now["trigger"]["still_ms"]

    with bench.running():
        assert running(change()) == 700


def test_as_many_fields_as_a_form_may_have_can_be_changed(bench, tmp_path):
    """All of them are in one request, which may have 4 kB."""
    drawn = [
        {"name": f"field {place + 1}", "region": [40 * (place % 8), 60 * (place // 8), 36, 56]}
        for place in range(MOST_FIELDS)
    ]

    async def change():
        async with viewer(tmp_path, bench.socket) as (client, live):
            for fields in (drawn, drawn[1:]):
                answer = await posted(client, "/set", {"set": {"form.align": "none", "field": fields}})
                assert answer.status == 200, await answer.text()
                while len((now := await event_of(live, "service"))["settings"].get("field", ())) != len(fields):
                    pass
                assert now["settings"]["field"] == fields  # as they are drawn: what is not said is as by default

    with bench.running():
        running(change())


def test_a_decision_of_another_run_of_the_page_is_none_of_this_one(bench, tmp_path):
    """A browser may show one when the page is started anew, and a correction would be of another numeral."""

    async def decided():
        async with viewer(tmp_path, bench.socket) as (client, live):
            await posted(client, "/read", {})
            return (await event_of(live, "decision"))["decision"]["id"]

    async def ask():
        old = await decided()
        async with viewer(tmp_path, bench.socket) as (client, live):
            await posted(client, "/read", {})
            new = (await event_of(live, "decision"))["decision"]["id"]
            taught = await posted(client, "/teach", {"decision": old, "numeral": 0, "label": "七"})
            return old, new, taught.status, (await client.get(f"/steps/{old}/0")).status

    with bench.running():
        old, new, *refused = running(ask())
    assert old != new
    assert refused == [409, 409]


def test_what_is_too_long_for_the_service_is_refused_and_the_connection_stays(bench, tmp_path):
    async def ask():
        async with viewer(tmp_path, bench.socket) as (client, live):
            await posted(client, "/read", {})
            decision = (await event_of(live, "decision"))["decision"]
            long = await posted(client, "/label", {"picture": "x" * 4070})
            return await long.json(), (await client.get(f"/steps/{decision['id']}/0")).status

    with bench.running():
        assert running(ask()) == ({"error": TOO_LONG}, 200)


@pytest.mark.parametrize("path", ["/login", "/teach", "/forget", "/set"])
def test_half_of_a_character_is_no_text(path, tmp_path):
    async def ask():
        async with page_server(tmp_path) as client:
            headers = {**own(client), "Content-Type": "application/json"}
            return (await client.post(path, data=rb'{"token": "\ud800"}', headers=headers)).status

    assert running(ask()) == 400


def test_the_page_says_that_the_service_is_gone_and_goes_on_when_it_is_back(tmp_path):
    first, second = (still_page(tmp_path, "request") for _ in range(2))

    async def look():
        async with viewer(tmp_path, first.socket) as (client, socket):
            gone = await event_of(socket, "service")
            await asyncio.to_thread(start.set)
            while not (await event_of(socket, "service"))["connected"]:
                pass
            await a_frame(socket)
            stop.set()
            while (await event_of(socket, "service"))["connected"]:
                pass
            refused = await client.post("/read", json={}, headers=own(client))
            again.set()
            while not (await event_of(socket, "service"))["connected"]:
                pass
            await a_frame(socket)
            done.set()
            return gone, await refused.json()

    start, stop, again, done = (threading.Event() for _ in range(4))

    def serve():
        start.wait(20)
        with first.running():
            stop.wait(20)
        again.wait(20)
        with second.running():
            done.wait(20)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        gone, refused = running(look())
    finally:
        for event in (start, stop, again, done):
            event.set()
        thread.join()
    assert gone["connected"] is False
    assert refused["error"] == "the service is not running"


def test_viewers_are_limited(tmp_path):
    async def look():
        async with page_server(tmp_path) as client:
            opened = [await client.ws_connect("/live", headers=own(client)) for _ in range(MOST_VIEWERS)]
            with pytest.raises(WSServerHandshakeError) as refused:
                await client.ws_connect("/live", headers=own(client))
            await opened[0].close()
            await asyncio.sleep(0.1)
            again = await client.ws_connect("/live", headers=own(client))
            for socket in (*opened, again):
                await socket.close()
            return refused.value.status

    assert running(look()) == 503


def test_a_page_that_was_refused_can_ask_why(tmp_path):
    """A browser does not tell the status of a WebSocket that was refused, so the page asks the same address again."""

    async def look():
        async with page_server(tmp_path) as client:
            statuses = [(await client.get("/live")).status]
            for _ in range(MOST_VIEWERS):
                await client.ws_connect("/live", headers=own(client))
            statuses.append((await client.get("/live")).status)
        async with page_server(tmp_path, needs_token=True) as client:
            return [*statuses, (await client.get("/live")).status]

    assert running(look()) == [400, 503, 401]


def test_who_was_in_sees_nothing_any_more_once_another_token_was_made(bench, tmp_path):
    async def look():
        async with page_server(tmp_path, needs_token=True, socket=bench.socket) as client:
            headers = own(client) | {"Cookie": f"{COOKIE}={make_token(tmp_path)}"}
            async with client.ws_connect("/live", headers=headers) as live:
                await a_frame(live)
                make_token(tmp_path)
                async for _ in live:  # what was on its way
                    pass
                return live.closed

    with bench.running():
        assert running(look())


def test_without_a_viewer_no_frame_is_asked_for(bench, tmp_path):
    async def wait():
        async with page_server(tmp_path, socket=bench.socket) as client:
            await asyncio.sleep(0.5)
            before = bench.service._viewing._given
            async with client.ws_connect("/live", headers=own(client)) as socket:
                await a_frame(socket)
            await asyncio.sleep(0.3)
            left = bench.service._viewing._given
            await asyncio.sleep(0.5)
            return before, left, bench.service._viewing._given

    with bench.running():
        before, left, later = running(wait())
    assert before < 0
    assert left == later > 0
