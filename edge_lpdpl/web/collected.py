"""Collected numerals, asked of the service some at a time: to label them, or as one zip, never all in memory."""

import io
import zipfile
from collections.abc import AsyncIterator
from typing import Any

from edge_lpdpl.errors import ServiceError
from edge_lpdpl.web.link import Link

_NO_ANSWER = "the service does not answer as expected"


async def collected(link: Link, start: int, *, labelled: bool) -> tuple[dict[str, Any], list[bytes]]:
    """Some of the pictures from a place on, and the PNG of each.

    Raises:
        ServiceError: the service refuses or is gone.
    """
    answer, data = await link.ask({"request": "collected", "from": start, "labelled": labelled})
    try:
        pngs, place = [], 0
        for one in answer["collected"]:
            pngs.append(data[place : place + one["length"]])
            place += one["length"]
    except (LookupError, TypeError) as error:
        raise ServiceError(_NO_ANSWER) from error
    return answer, pngs


async def zipped(link: Link) -> AsyncIterator[bytes]:
    """Parts of a zip of all pictures with a label, in folders named by it.

    Raises:
        ServiceError: the service refuses or is gone.
    """
    out = _Parts()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:  # PNGs are compressed already
        start = 0
        while True:
            answer, pngs = await collected(link, start, labelled=True)
            for one, png in zip(answer["collected"], pngs, strict=True):
                if png:  # otherwise it was deleted meanwhile
                    file.writestr(f"{one['label']}/{one['picture']}.png", png)
            yield out.take()
            if not pngs:
                break
            start += len(pngs)
    yield out.take()


class _Parts(io.RawIOBase):
    """A file that is written from its beginning to its end, and handed on in parts."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What was written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)
