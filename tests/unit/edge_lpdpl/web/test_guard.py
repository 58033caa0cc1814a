"""Who gets in: each refusal, and that nobody who is not in sees anything of the camera."""

import json

import pytest
from aiohttp import WSServerHandshakeError
from web_pages import own, page_server, running

from edge_lpdpl.web.guard import BURST, COOKIE, MOST_BODY, OPEN, TRIES
from edge_lpdpl.web.tokens import make_token

PATHS = [("GET", "/live"), ("GET", "/steps/1/0"), ("GET", "/page/index.html"), ("GET", "/page/see.js")]
PATHS += [("GET", "/hand"), *(("POST", path) for path in ("/read", "/set", "/keep", "/undo", "/teach", "/forget"))]


def status_of(folder, method, path, headers=None, needs_token=False, **options):
    """The status of one request."""

    async def ask():
        async with page_server(folder, needs_token=needs_token) as client:
            answer = await client.request(method, path, headers=own(client) | (headers or {}), **options)
            return answer.status

    return running(ask())


class TestToken:
    @pytest.mark.parametrize(("method", "path"), PATHS)
    def test_without_one_nothing_of_the_camera_is_given(self, method, path, tmp_path):
        make_token(tmp_path)
        assert status_of(tmp_path, method, path, needs_token=True, json={}) == 401

    @pytest.mark.parametrize(("method", "path"), PATHS)
    def test_nobody_gets_in_where_none_was_made(self, method, path, tmp_path):
        headers = {"Cookie": f"{COOKIE}="}
        assert status_of(tmp_path, method, path, headers, needs_token=True, json={}) == 401

    @pytest.mark.parametrize("token", ["", "x", "0" * 64, "é"])
    def test_a_wrong_one_does_not_help(self, token, tmp_path):
        make_token(tmp_path)
        headers = {"Cookie": f"{COOKIE}={token}"}
        assert status_of(tmp_path, "POST", "/read", headers, needs_token=True, json={}) == 401

    def test_its_hash_is_no_token(self, tmp_path):
        make_token(tmp_path)
        headers = {"Cookie": f"{COOKIE}={(tmp_path / 'token').read_text()}"}
        assert status_of(tmp_path, "POST", "/read", headers, needs_token=True, json={}) == 401

    def test_no_websocket_opens_without_one(self, tmp_path):
        async def look():
            async with page_server(tmp_path, needs_token=True) as client:
                with pytest.raises(WSServerHandshakeError) as refused:
                    await client.ws_connect("/live", headers=own(client))
                return refused.value.status

        assert running(look()) == 401

    def test_what_is_open_shows_only_the_form_for_it(self, tmp_path):
        async def look():
            async with page_server(tmp_path, needs_token=True) as client:
                page = await (await client.get("/")).text()
                opened = [path for path in OPEN if (await client.get(path)).status == 200]
                return page, sorted(opened)

        page, opened = running(look())
        assert 'id="token"' in page
        assert "canvas" not in page
        assert opened == sorted(OPEN - {"/login"})  # which takes POST only

    def test_the_right_one_lets_a_browser_in_until_there_is_a_new_one(self, tmp_path):
        token = make_token(tmp_path)

        async def enter():
            async with page_server(tmp_path, needs_token=True) as client:
                answer = await client.post("/login", json={"token": token}, headers=own(client))
                cookie = answer.headers["Set-Cookie"]
                client.session.cookie_jar.clear()
                headers = own(client) | {"Cookie": f"{COOKIE}={token}"}
                before = await (await client.get("/", headers=headers)).text()
                make_token(tmp_path)
                after = await client.post("/read", headers=headers, json={})
                return cookie, before, after.status

        cookie, before, after = running(enter())
        assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}
        assert "canvas" in before
        assert after == 401

    def test_tries_are_limited(self, tmp_path):
        make_token(tmp_path)

        async def guess():
            async with page_server(tmp_path, needs_token=True) as client:
                return [
                    (await client.post("/login", json={"token": "x"}, headers=own(client))).status
                    for _ in range(int(TRIES) + 1)
                ]

        assert running(guess()) == [401] * int(TRIES) + [429]

    def test_this_machine_alone_needs_none(self, tmp_path):
        assert status_of(tmp_path, "GET", "/page/see.js") == 200


class TestOtherSites:
    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:8017", "localhost.evil.example", "", "127.0.0.1.nip.io"]
    )
    def test_a_name_that_was_made_to_point_here_is_refused(self, host, tmp_path):
        assert status_of(tmp_path, "GET", "/", {"Host": host}) in (400, 421)

    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8017", "127.0.0.1:1", "[::1]:8017", "192.168.1.7:8017"])
    def test_own_names_and_addresses_are_not(self, host, tmp_path):
        assert status_of(tmp_path, "GET", "/", {"Host": host, "Origin": f"http://{host}"}) == 200

    def test_another_name_may_be_given(self, tmp_path):
        async def ask():
            async with page_server(tmp_path, names=["pi.example"]) as client:
                return (await client.get("/", headers={"Host": "pi.example:80"})).status

        assert running(ask()) == 200

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://localhost:1"])
    @pytest.mark.parametrize(("method", "path"), PATHS)
    def test_requests_of_another_site_are_refused(self, method, path, origin, tmp_path):
        assert status_of(tmp_path, method, path, {"Origin": origin}, json={}) == 403

    @pytest.mark.parametrize("path", ["/read", "/set", "/keep", "/undo", "/login"])
    def test_a_change_needs_an_origin(self, path, tmp_path):
        async def ask():
            async with page_server(tmp_path) as client:
                return (await client.post(path, json={})).status

        assert running(ask()) == 403

    @pytest.mark.parametrize("origin", [None, "http://evil.example"])
    def test_no_websocket_of_another_site_opens(self, origin, tmp_path):
        async def look():
            async with page_server(tmp_path) as client:
                with pytest.raises(WSServerHandshakeError) as refused:
                    await client.ws_connect("/live", headers={"Origin": origin} if origin else {})
                return refused.value.status

        assert running(look()) == 403

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_no_picture_or_script_is_embedded_by_another_site(self, site, tmp_path):
        assert status_of(tmp_path, "GET", "/page/see.js", {"Sec-Fetch-Site": site}) == 403

    def test_a_form_of_another_site_is_no_request(self, tmp_path):
        assert status_of(tmp_path, "POST", "/set", data={"set": "x"}) == 415


class TestLimits:
    @pytest.mark.parametrize("body", [b"[]", b"{", b"1", b"\xff", b"[" * 4000])
    def test_a_body_that_is_no_object_is_refused(self, body, tmp_path):
        headers = {"Content-Type": "application/json"}
        assert status_of(tmp_path, "POST", "/set", headers, data=body) == 400

    def test_a_body_that_is_too_long_is_refused(self, tmp_path):
        body = json.dumps({"set": "x" * MOST_BODY}).encode()
        headers = {"Content-Type": "application/json"}
        assert status_of(tmp_path, "POST", "/set", headers, data=body) == 413

    def test_requests_are_limited(self, tmp_path):
        async def flood():
            async with page_server(tmp_path) as client:
                return [(await client.get("/")).status for _ in range(int(BURST) + 40)]

        assert 429 in running(flood())

    @pytest.mark.parametrize(
        "path", ["/page/..%2fserver.py", "/page/%2e%2e/guard.py", "/page/__init__.py", "/etc/passwd"]
    )
    def test_nothing_but_the_page_is_served(self, path, tmp_path):
        assert status_of(tmp_path, "GET", path) == 404

    @pytest.mark.parametrize("name", ["page.ink\n", "model.file", "publish.socket", "camera.number", "mqtt.host"])
    def test_only_the_settings_of_the_page_may_be_set(self, name, tmp_path):
        assert status_of(tmp_path, "POST", "/set", json={"set": {name: "x"}}) == 409


def test_every_answer_carries_the_policy(tmp_path):
    async def ask():
        async with page_server(tmp_path) as client:
            good, missing = await client.get("/"), await client.get("/none")
            refused = await client.get("/", headers={"Host": "evil.example"})
            return [answer.headers for answer in (good, missing, refused)]

    for headers in running(ask()):
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
