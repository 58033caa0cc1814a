"""The server: which address answers what. `Guard.check` stands before every handler."""

import asyncio
import contextlib
from base64 import b64encode
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web

from edge_lpdpl.errors import ConfigError, ServiceError
from edge_lpdpl.live.config.loading import PAGE_SETTINGS
from edge_lpdpl.live.publish.requests import json_value
from edge_lpdpl.web import pictures
from edge_lpdpl.web.collected import collected, zipped
from edge_lpdpl.web.guard import COOKIE, MOST_BODY, Guard
from edge_lpdpl.web.keeping import Keeping, flat
from edge_lpdpl.web.viewers import Viewers

PAGE = Path(__file__).with_name("page")
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json"}
_MONTHS = 90 * 24 * 3600  # seconds that a browser stays in
_HEARTBEAT = 20.0  # seconds
_TAUGHT = (32, 32)  # pixels of a sample of a hand
OLD = "the service was started anew since, and does not have this numeral any more"


class Server:
    """The handlers and what they work on."""

    def __init__(self, viewers: Viewers, guard: Guard, keeping: Keeping) -> None:
        self._viewers, self._guard, self._keeping = viewers, guard, keeping
        self._files = {path.name: path.read_bytes() for path in PAGE.iterdir() if path.suffix in _KINDS}
        self._before: dict[str, Any] = {}  # what the page has changed since it was kept: how it was before
        self._tried: dict[str, Any] = {}  # and what the page made of it

    def app(self) -> web.Application:
        """The application, which keeps in touch with the service while it runs."""
        app = web.Application(middlewares=[self._guard.check], client_max_size=MOST_BODY)
        app.router.add_get("/", self._index)
        app.router.add_get("/page/{name}", self._file)
        app.router.add_post("/login", self._login)
        app.router.add_get("/live", self._live)
        app.router.add_get("/steps/{decision:\\d{1,9}}/{numeral:\\d{1,3}}", self._steps)
        app.router.add_get("/hand", self._hand)
        app.router.add_get("/hand/file", self._hand_file)
        app.router.add_post("/teach", self._teach)
        app.router.add_post("/forget", self._forget)
        app.router.add_get("/collected/{start:\\d{1,6}}", self._collected)
        app.router.add_get("/collected.zip", self._collected_zip)
        app.router.add_post("/label", self._label)
        app.router.add_post("/discard", self._discard)
        app.router.add_post("/read", self._read)
        app.router.add_post("/set", self._set)
        app.router.add_post("/keep", self._keep)
        app.router.add_post("/undo", self._undo)
        app.cleanup_ctx.append(self._stay_in_touch)
        return app

    async def _stay_in_touch(self, app: web.Application) -> AsyncIterator[None]:
        task = asyncio.create_task(self._viewers.run())
        yield
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def _index(self, request: web.Request) -> web.Response:
        return self._answer("index.html" if self._guard.is_in(request) else "login.html")

    async def _file(self, request: web.Request) -> web.Response:
        return self._answer(request.match_info["name"])

    def _answer(self, name: str) -> web.Response:
        if name not in self._files:
            raise web.HTTPNotFound
        return web.Response(body=self._files[name], content_type=_KINDS[Path(name).suffix], charset="utf-8")

    async def _login(self, request: web.Request) -> web.Response:
        token = str((await _body(request)).get("token", ""))[:200]
        admitted = self._guard.admits(request.remote or "", token)
        if admitted is None:
            raise web.HTTPTooManyRequests
        if not admitted:
            raise web.HTTPUnauthorized
        response = web.json_response({"ok": True})
        response.set_cookie(COOKIE, token, max_age=_MONTHS, httponly=True, samesite="Strict", path="/")
        return response

    async def _live(self, request: web.Request) -> web.StreamResponse:
        if self._viewers.is_full:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=256, compress=False)
        await socket.prepare(request)
        await self._viewers.look(socket, partial(self._guard.is_in, request))
        return socket

    async def _steps(self, request: web.Request) -> web.Response:
        message = self._viewers.decision(int(request.match_info["decision"]))
        if message is None:
            return _refused(OLD)
        sequence, numeral = message["frame"]["sequence"], int(request.match_info["numeral"])
        return await self._pass_on({"request": "explain", "decision": sequence, "numeral": numeral})

    async def _hand(self, request: web.Request) -> web.Response:
        """What was taught, with pictures."""
        try:
            answer, data = await self._viewers.link.ask({"request": "hand"})
            samples = answer["samples"]
            shown = await asyncio.to_thread(pictures.cut_outs, data, [_TAUGHT] * len(samples), len(samples))
        except (ServiceError, LookupError, ValueError, TypeError) as error:
            return _refused(str(error))
        told = [{**sample, "picture": picture} for sample, picture in zip(samples, shown, strict=True)]
        return web.json_response({"samples": told, "most": answer.get("most")})

    async def _hand_file(self, request: web.Request) -> web.Response:
        """The hand as a file to download, as `edge-lpdpl hand export` writes it."""
        try:
            _, data = await self._viewers.link.ask({"request": "hand", "file": True})
        except ServiceError as error:
            return _refused(str(error))
        saved = {"Content-Disposition": 'attachment; filename="mine.hand"'}
        return web.Response(body=data, content_type="application/octet-stream", headers=saved)

    async def _teach(self, request: web.Request) -> web.Response:
        wanted = await _body(request)
        number = wanted.pop("decision", None)
        message = self._viewers.decision(number) if isinstance(number, int) else None
        if message is None:
            return _refused(OLD)
        sequence = message["frame"]["sequence"]
        return await self._pass_on({**wanted, "request": "teach", "decision": sequence})

    async def _forget(self, request: web.Request) -> web.Response:
        return await self._pass_on({**await _body(request), "request": "forget"})

    async def _collected(self, request: web.Request) -> web.Response:
        """Collected numerals without a label, the most doubtful first, with pictures."""
        try:
            answer, pngs = await collected(self._viewers.link, int(request.match_info["start"]), labelled=False)
        except ServiceError as error:
            return _refused(str(error))
        shown = [b64encode(png).decode() for png in pngs]
        told = [{**one, "png": png} for one, png in zip(answer["collected"], shown, strict=True)]
        return web.json_response({**answer, "collected": told})

    async def _collected_zip(self, request: web.Request) -> web.StreamResponse:
        """Those with a label as a zip of class folders, as `lpdpl-train fit` takes it."""
        response = web.StreamResponse(headers={"Content-Disposition": 'attachment; filename="collected.zip"'})
        response.content_type = "application/zip"
        await response.prepare(request)
        try:
            async for part in zipped(self._viewers.link):
                await response.write(part)
        except ServiceError:
            response.force_close()  # the zip has no end, so nobody takes it for a whole one
            return response
        await response.write_eof()
        return response

    async def _label(self, request: web.Request) -> web.Response:
        return await self._pass_on({**await _body(request), "request": "label"})

    async def _discard(self, request: web.Request) -> web.Response:
        return await self._pass_on({**await _body(request), "request": "discard"})

    async def _read(self, request: web.Request) -> web.Response:
        return await self._pass_on({"request": "recognise"})

    async def _set(self, request: web.Request) -> web.Response:
        wanted = (await _body(request)).get("set")
        allowed = {"field", *(f"{section}.{key}" for section, keys in PAGE_SETTINGS.items() for key in keys)}
        if not isinstance(wanted, dict) or not wanted.keys() <= allowed:
            return _refused("the page does not change this setting")
        await self._refresh()
        before = flat(self._viewers.service["settings"])
        response = await self._pass_on({"request": "set", "set": wanted})
        if response.status == 200:
            await self._refresh()
            now = flat(self._viewers.service["settings"])
            changed = wanted.keys() & before.keys() & now.keys()
            self._before = {name: before[name] for name in changed} | self._before
            self._tried |= {name: now[name] for name in changed}
        return response

    async def _keep(self, request: web.Request) -> web.Response:
        try:
            await self._viewers.refresh()
            now, frame = self._viewers.service["settings"], self._viewers.service["frame"]
            await asyncio.to_thread(self._keeping.keep, self._before, now, frame)
        except (ConfigError, ServiceError) as error:
            return _refused(str(error))
        self._before, self._tried = {}, {}
        return web.json_response({"file": str(self._keeping.path)})

    async def _undo(self, request: web.Request) -> web.Response:
        """Take back what was tried and not kept, unless somebody else changed it since; where everything was kept, what
        was kept last."""
        await self._refresh()
        now, wanted = flat(self._viewers.service["settings"]), self._before
        try:
            if wanted:
                wanted = {name: value for name, value in wanted.items() if now.get(name) == self._tried[name]}
            else:
                wanted = await asyncio.to_thread(self._keeping.undo)
        except ConfigError as error:
            return _refused(str(error))
        self._before, self._tried = {}, {}
        response = await self._pass_on({"request": "set", "set": wanted}) if wanted else web.json_response({})
        await self._refresh()
        return response

    async def _refresh(self) -> None:
        with contextlib.suppress(ServiceError):
            await self._viewers.refresh()

    async def _pass_on(self, request: dict[str, Any]) -> web.Response:
        try:
            answer, _ = await self._viewers.link.ask(request)
        except ServiceError as error:
            return _refused(str(error))
        return web.json_response(answer)


async def _body(request: web.Request) -> dict[str, Any]:
    """The JSON object in a request.

    Raises:
        HTTPException: it is too long, or none.
    """
    if request.content_type != "application/json":  # no form of another site can send it
        raise web.HTTPUnsupportedMediaType
    try:
        value = json_value(await request.read())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise web.HTTPBadRequest
    return value


def _refused(fault: str) -> web.Response:
    return web.json_response({"error": fault}, status=409)
