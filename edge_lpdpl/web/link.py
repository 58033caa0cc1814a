"""The connection to the service: requests with answers, messages as they come, and another try when it is gone."""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import ServiceError
from edge_lpdpl.live.publish.requests import LONGEST_LINE

_LONGEST_LINE = 1 << 20
_MOST_DATA = 8 << 20  # bytes of one picture
_PATIENCE = 10.0  # seconds for an answer
_PAUSE = 0.5  # seconds before the next try to connect
GONE, SILENT = "the service is not running", "the service does not answer"
TOO_LONG = "this is more than the service takes at once"

Answer = tuple[dict[str, Any], bytes]


class Link:
    """A connection that is made anew when it breaks.

    Args:
        path: of the service's socket.
        changed: awaited when the service has come or is gone.
        message: called with every decision.
    """

    def __init__(
        self, path: Path, changed: Callable[[], Awaitable[None]], message: Callable[[dict[str, Any]], object]
    ) -> None:
        self.path = path
        self.connected = False
        self._changed, self._message = changed, message
        self._writer: asyncio.StreamWriter | None = None
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._numbers = itertools.count(1)

    async def run(self) -> None:
        """Keep the connection until this task is cancelled."""
        while True:
            try:
                reader, self._writer = await asyncio.open_unix_connection(self.path, limit=_LONGEST_LINE)
            except OSError:
                await asyncio.sleep(_PAUSE)
                continue
            reading = asyncio.create_task(self._read(reader))
            try:
                self.connected = True
                await self._changed()
                await reading
            except (OSError, ValueError, EOFError, ServiceError):  # it is gone, or sends no lines
                pass
            finally:
                reading.cancel()
                self._close()
            await self._changed()
            await asyncio.sleep(_PAUSE)

    async def ask(self, request: dict[str, Any]) -> Answer:
        """Send a request; returns its reply and the bytes behind it.

        Raises:
            ServiceError: it is refused or too long, or the service is gone, or does not answer in time.
        """
        if self._writer is None or not self.connected:
            raise ServiceError(GONE)
        number = next(self._numbers)
        line = json.dumps(request | {"id": number}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if len(line) > LONGEST_LINE:  # the service would hang up
            raise ServiceError(TOO_LONG)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(line)
            await self._writer.drain()
            reply, data = await asyncio.wait_for(answer, _PATIENCE)
        except TimeoutError:
            raise ServiceError(SILENT) from None
        except OSError:
            raise ServiceError(GONE) from None
        finally:
            self._waiting.pop(number, None)
        if "error" in reply:
            raise ServiceError(str(reply["error"]))
        return reply, data

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Hand on what comes until the connection ends."""
        while line := await reader.readline():
            value = json.loads(line)
            if not isinstance(value, dict):
                raise ServiceError("the program at this socket is not the service")
            size = value.get("bytes", 0)
            if not isinstance(size, int) or not 0 <= size <= _MOST_DATA:
                raise ServiceError("the program at this socket is not the service")
            data = await reader.readexactly(size)
            number = value.get("id")
            answer = self._waiting.get(number) if isinstance(number, int) else None
            if answer is not None and not answer.done():
                answer.set_result((value, data))
            elif "numbers" in value:
                self._message(value)

    def _close(self) -> None:
        self.connected = False
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ServiceError(GONE))
