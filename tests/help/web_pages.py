"""The server of the page in this process, and a client that says what a browser would."""

import asyncio
from contextlib import asynccontextmanager

from aiohttp.test_utils import TestClient, TestServer

from edge_lpdpl.web.guard import Guard
from edge_lpdpl.web.keeping import Keeping
from edge_lpdpl.web.server import Server
from edge_lpdpl.web.tokens import TokenFile
from edge_lpdpl.web.viewers import Viewers


@asynccontextmanager
async def page_server(folder, *, needs_token=False, socket=None, names=()):
    """A client of a server; beyond this machine if it needs a token. Nobody answers at its socket if none is given."""
    guard = Guard(TokenFile(folder) if needs_token else None, names)
    app = Server(Viewers(socket or folder / "none"), guard, Keeping(folder / "config.d" / "90-page.toml")).app()
    async with TestClient(TestServer(app)) as client:
        yield client


def own(client):
    """The Origin header that the page's own requests have."""
    return {"Origin": f"http://{client.host}:{client.port}"}


def running(coroutine):
    """Run a coroutine to its end, half a minute at most."""
    return asyncio.run(asyncio.wait_for(coroutine, 30))


async def event_of(socket, kind):
    """The next event of a kind."""
    async for message in socket:
        if message.type.name == "TEXT" and (event := message.json())["type"] == kind:
            return event
    raise AssertionError("the page has closed")
