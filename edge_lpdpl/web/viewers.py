"""What the viewers see: the newest frame, the last hundred decisions, the figures to aim by; asked for while somebody
looks, and once for all viewers."""

import asyncio
import contextlib
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from aiohttp import web

from edge_lpdpl.errors import ServiceError
from edge_lpdpl.web import pictures
from edge_lpdpl.web.keeping import short
from edge_lpdpl.web.link import GONE, Link

MOST_VIEWERS = 6
MOST_DECISIONS, MOST_CUT_OUTS = 100, 64
"""Decisions that are kept, and cut-outs of one decision."""
_PERIOD, _AIM_PERIOD = 0.1, 0.25  # seconds between two frames, and between two figures
_SETTINGS_PERIOD = 2.0  # seconds: others change them, too
_PAUSE = 0.5  # seconds before the next frame is asked for where there was none
_MOST_EVENTS = 256  # that wait for a slow viewer, who is sent away then


class Viewer:
    """One browser: events in order, and of the frames the newest only."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[str] = asyncio.Queue(_MOST_EVENTS)
        self.frame: bytes | None = None
        self.something = asyncio.Event()
        self.is_behind = False

    def tell(self, event: str) -> None:
        """Send an event; a viewer that takes none for long is sent away."""
        try:
            self.events.put_nowait(event)
        except asyncio.QueueFull:
            self.is_behind = True
        self.something.set()

    def show(self, frame: bytes) -> None:
        """Send a frame, unless a newer one comes before it is sent."""
        self.frame = frame
        self.something.set()

    async def serve(self, socket: web.WebSocketResponse, is_in: Callable[[], bool]) -> None:
        """Send what there is until the viewer is gone, or may not look any more."""
        while not socket.closed and not self.is_behind:
            await self.something.wait()
            self.something.clear()
            if not is_in():
                break
            while not self.events.empty():
                await socket.send_str(self.events.get_nowait())
            if self.frame is not None:
                frame, self.frame = self.frame, None
                await socket.send_bytes(frame)
        await socket.close()


class Viewers:
    """All viewers and what they share.

    Args:
        path: of the service's socket.
    """

    def __init__(self, path: Any) -> None:
        self.link = Link(path, self._service_changed, self._decided)
        self.service: dict[str, Any] = {"settings": {}, "frame": {}, "labels": []}
        """The answer to `settings`, as it was last told."""
        self.last_seen = time.monotonic()
        """When a viewer was last here."""
        self._viewers: set[Viewer] = set()
        self._decisions: deque[dict[str, Any]] = deque(maxlen=MOST_DECISIONS)
        # Another run of the page counts from elsewhere: a browser may still show a decision of the last one.
        self._number = secrets.randbelow(800_000_000)
        self._looking = asyncio.Event()
        self._aimed = 0.0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_full(self) -> bool:
        return len(self._viewers) >= MOST_VIEWERS

    @property
    def has_viewers(self) -> bool:
        return bool(self._viewers)

    async def run(self) -> None:
        """Keep in touch with the service, until this task is cancelled."""
        await asyncio.gather(self.link.run(), self._watch(), self._stay_current())

    def decision(self, number: int) -> dict[str, Any] | None:
        """The message of a decision that the service may still explain."""
        found = next((one for one in self._decisions if one["id"] == number and one["current"]), None)
        return found["message"] if found else None

    def tell(self, event: dict[str, Any]) -> None:
        """Send an event to all viewers."""
        text = json.dumps(event, ensure_ascii=False)
        for viewer in self._viewers:
            viewer.tell(text)

    async def look(self, socket: web.WebSocketResponse, is_in: Callable[[], bool] = lambda: True) -> None:
        """Serve a viewer until it is gone.

        Args:
            is_in: whether it may still look; asked before anything is sent.
        """
        viewer = Viewer()
        viewer.tell(json.dumps(self._state(), ensure_ascii=False))
        viewer.tell(json.dumps({"type": "decisions", "decisions": list(self._decisions)}, ensure_ascii=False))
        self._viewers.add(viewer)
        self._looking.set()
        self._spawn(self._catch_up())
        sending = asyncio.create_task(viewer.serve(socket, is_in))
        sending.add_done_callback(lambda task: task.cancelled() or task.exception())  # it is gone
        try:
            async for _ in socket:  # a viewer sends nothing; this ends when it is gone
                break
        finally:
            sending.cancel()
            self._viewers.discard(viewer)
            self.last_seen = time.monotonic()
            if not self._viewers:
                self._looking.clear()
        await socket.close()

    async def refresh(self) -> None:
        """Tell the viewers the settings, if they are other ones now."""
        told = self._state()
        self.service, _ = await self.link.ask({"request": "settings"})
        settings = self.service.get("settings", {})
        settings["field"] = [short(field) for field in settings.get("field", ())]  # as they come back, in one request
        if (state := self._state()) != told:
            self.tell(state)

    def _state(self) -> dict[str, Any]:
        fault = None if self.link.connected else GONE
        return {"type": "service", "connected": self.link.connected, "fault": fault} | {
            key: self.service.get(key) for key in ("settings", "frame", "labels", "models", "teaches", "collect")
        }

    async def _service_changed(self) -> None:
        for decision in self._decisions:
            decision["current"] = False  # another run counts its frames anew
        if self.link.connected:
            self._spawn(self._greet())
        else:
            self.tell(self._state())

    async def _greet(self) -> None:
        self.tell(self._state())
        with contextlib.suppress(ServiceError):
            await self.refresh()

    def _decided(self, message: dict[str, Any]) -> None:
        last = self._decisions[-1] if self._decisions else None
        if last and last["message"]["time"] == message["time"]:  # the standing decision, told again to a new client
            last["current"] = True
            return
        self._number += 1
        decision = {"id": self._number, "current": True, "message": message, "cut_outs": []}
        self._decisions.append(decision)
        self._spawn(self._complete(decision))

    async def _complete(self, decision: dict[str, Any]) -> None:
        """Fetch the cut-outs of a decision, and tell the viewers."""
        message, frame = decision["message"], self.service["frame"]
        if frame:
            decision["writing"] = pictures.writing(message, frame["width"], frame["height"])
        if self._viewers:
            await self._fetch(decision)
        self.tell({"type": "decision", "decision": decision})

    async def _catch_up(self) -> None:
        """Fetch the cut-outs of decisions that were made while nobody looked, as far as the service keeps them."""
        lacking = [one for one in self._decisions if one["current"] and not one["cut_outs"]]
        for decision in lacking:
            await self._fetch(decision)
        if any(decision["cut_outs"] for decision in lacking):
            self.tell({"type": "decisions", "decisions": list(self._decisions)})

    async def _fetch(self, decision: dict[str, Any]) -> None:
        message = decision["message"]
        if message["numerals"]:
            request = {"request": "cut_outs", "decision": message["frame"]["sequence"]}
            with contextlib.suppress(ServiceError, LookupError, ValueError, TypeError):  # they are not kept any more
                answer, data = await self.link.ask(request)
                decision["cut_outs"] = await asyncio.to_thread(pictures.cut_outs, data, answer["sizes"], MOST_CUT_OUTS)

    async def _stay_current(self) -> None:
        """Ask for the settings now and then while somebody looks."""
        while True:
            await self._looking.wait()
            await asyncio.sleep(_SETTINGS_PERIOD)
            with contextlib.suppress(ServiceError):
                await self.refresh()

    async def _watch(self) -> None:
        """Ask for frames while somebody looks."""
        while True:
            await self._looking.wait()
            started = time.monotonic()
            try:
                answer, grey = await self.link.ask({"request": "watch"})
                await self._show(grey, answer["width"], answer["height"])
            except (ServiceError, LookupError, ValueError, TypeError):
                await asyncio.sleep(_PAUSE)
            await asyncio.sleep(max(0.0, started + _PERIOD - time.monotonic()))

    async def _show(self, grey: bytes, width: int, height: int) -> None:
        jpeg = await asyncio.to_thread(pictures.as_jpeg, grey, width, height)
        for viewer in self._viewers:
            viewer.show(jpeg)
        if time.monotonic() - self._aimed >= _AIM_PERIOD:
            self._aimed = time.monotonic()
            region = self.service["settings"].get("page", {}).get("region", ())
            self.tell({"type": "aim", **await asyncio.to_thread(pictures.aim, grey, width, height, region)})

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
