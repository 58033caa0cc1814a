"""Looks at the page as a browser does, inside the machine: what it got, as JSON. Debian's aiohttp is there already."""

import asyncio
import json

from aiohttp import ClientSession, WSMsgType

ADDRESS = "http://127.0.0.1:8017"
OWN = {"Origin": ADDRESS}


async def look(session, found):
    """The page, the state of the service, a frame, and a setting that is kept."""
    async with session.get(ADDRESS) as page:
        found["title"] = "<title>edge-lpdpl</title>" in await page.text()
        found["policy"] = page.headers["Content-Security-Policy"]
    async with session.ws_connect(f"{ADDRESS}/live", headers=OWN) as live:
        async for message in live:
            if message.type is WSMsgType.BINARY:
                found["frame"] = message.data[:2].hex()
            elif (event := message.json())["type"] == "service":
                found["connected"] = event["connected"]
            if found.get("connected") and found.get("frame"):
                break
        for path, body in (("set", {"set": {"page.ink": "dark"}}), ("keep", {})):
            async with session.post(f"{ADDRESS}/{path}", json=body, headers=OWN) as answer:
                found[path] = await answer.json()


async def main():
    found = {}
    async with ClientSession() as session:
        await asyncio.wait_for(look(session, found), 60)
    print(json.dumps(found))


asyncio.run(main())
