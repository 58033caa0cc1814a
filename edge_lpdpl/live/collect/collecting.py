"""Collects cut-outs of decisions in a thread of its own, and answers what clients ask about them."""

import io
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.live.collect.store import LARGEST_PICTURE, MOST_DOUBT, NOTHING, Collected, CollectStore, collect_folder
from edge_lpdpl.live.config.sections import CollectConfig
from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.outbox import Outbox
from edge_lpdpl.live.publish.requests import Reply, RequestError, Respond

OFF, DOUBTFUL, ALL = "off", "doubtful", "all"
MOST_TOLD = 24
"""Pictures in one answer."""
_MOST_BYTES = 2 << 20  # of the pictures in one answer
_CAPACITY, _MOST_WAITING = 64, 4 << 20  # decisions, and bytes of cut-outs, that wait to be written

_Picture = NDArray[np.uint8]
_Taken = list[tuple[Collected, _Picture]]


class Collecting:
    """Takes cut-outs from the loop, which never waits, and requests from the thread of the socket.

    Args:
        complain: is told why something could not be written; called in another thread.
    """

    def __init__(self, settings: CollectConfig, complain: Callable[[str], None] = lambda text: None) -> None:
        self.what = settings.what
        self._settings, self._complain = settings, complain
        self._counting = Lock()  # the loop takes it: held for a few instructions only
        self._waiting = self._bytes = self._dropped = 0
        self._making = Lock()  # held while the folder is looked through
        self._made: CollectStore | None = None
        self._outbox: Outbox[_Taken] | None = None
        if self.what != OFF:
            self._outbox = Outbox("collect", _CAPACITY, self._write)

    def offer(self, message: Message, pictures: Sequence[_Picture]) -> None:
        """Collect the numerals of a decision that are wanted.

        Args:
            pictures: (height, width) uint8 of each numeral, light ink on black; none where they were not kept.
        """
        if self._outbox is None or len(pictures) != len(message["numerals"]):
            return
        taken = [(one, pictures[place]) for place, one in wanted(message, self.what)]
        size = sum(picture.nbytes for _, picture in taken)
        if not taken:
            return
        with self._counting:
            if self._waiting == _CAPACITY or self._bytes + size > _MOST_WAITING:
                self._dropped += len(taken)
                return
            self._waiting += 1
            self._bytes += size
        self._outbox.put(taken)

    def status(self) -> Reply:
        """What `status` tells. The folder is looked through where something may be in it only."""
        dropped = self._dropped + (self._outbox.dropped if self._outbox else 0)
        used = self.what != OFF or collect_folder().is_dir()
        return {"what": self.what, "dropped": dropped} | (self._store().counts() if used else NOTHING)

    def tell(self, request: dict[str, Any], respond: Respond) -> None:
        """Tell some pictures; their PNGs are behind the line, one after the other.

        Raises:
            RequestError: the request is not valid.
        """
        start, labelled = request.get("from", 0), request.get("labelled", False)
        if type(start) is not int or start < 0 or not isinstance(labelled, bool):
            raise RequestError('collected takes {"request": "collected", "from": N, "labelled": false}')
        chosen = self._store().pictures(labelled=labelled)
        told, data = list[Reply](), list[bytes]()
        for one in chosen[start : start + MOST_TOLD]:
            try:
                png = self._store().data(one)
            except EdgeError:  # it was deleted meanwhile
                png = b""
            if sum(map(len, data)) + len(png) > _MOST_BYTES:
                break
            data.append(png)
            told.append(
                {"picture": one.id, "read": one.read, "doubt": one.doubt, "label": one.label, "length": len(png)}
            )
        respond({"collected": told, "total": len(chosen), **self._store().counts()}, b"".join(data))

    def label(self, request: dict[str, Any], known: Sequence[str], respond: Respond) -> None:
        """Label a picture, or take its label back.

        Args:
            known: the characters of the model.

        Raises:
            EdgeError: there is no such picture, or the model does not know the character.
        """
        identity, label = request.get("picture"), request.get("label")
        if not isinstance(identity, str) or not isinstance(label, str | None):
            raise RequestError('label needs {"request": "label", "picture": ID, "label": "七"}; null takes it back')
        if label is not None and label not in known:
            raise RequestError(f"the model does not know {label[:20]!r}, only {' '.join(known)}")
        self._store().label(identity, label)
        respond({"ok": True, **self._store().counts()})

    def discard(self, request: dict[str, Any], respond: Respond) -> None:
        """Delete a picture, or all of them.

        Raises:
            EdgeError: there is no such picture.
        """
        identity = request.get("picture")
        if request.get("all") is True and identity is None:
            self._store().discard(None)
        elif isinstance(identity, str) and "all" not in request:
            self._store().discard([identity])
        else:
            raise RequestError('discard needs {"request": "discard", "picture": ID} or "all": true')
        respond({"ok": True, **self._store().counts()})

    def close(self) -> None:
        """Write what waits, for a second at most."""
        if self._outbox is not None:
            self._outbox.close()

    def _store(self) -> CollectStore:
        """The folder; it is looked through when it is needed first."""
        with self._making:
            if self._made is None:
                settings = self._settings
                self._made = CollectStore(collect_folder(), settings.quota_mb << 20, settings.days)
            return self._made

    def _write(self, taken: _Taken) -> None:
        try:
            self._store().add((one, png) for one, picture in taken if len(png := _png(picture)) <= LARGEST_PICTURE)
        except OSError as error:
            with self._counting:
                self._dropped += len(taken)
            self._complain(f"collect: {self._store().folder} cannot be written ({error.strerror or error})")
        finally:
            with self._counting:
                self._waiting -= 1
                self._bytes -= sum(picture.nbytes for _, picture in taken)


def wanted(message: Message, what: str) -> Iterator[tuple[int, Collected]]:
    """The numerals of a decision to collect, with their places: all, or those that are in doubt, or whose number is.

    >>> numeral = {"label": "七", "confidence": 0.842, "rejected": True}
    >>> message = {"time": "2023-11-14T22:13:20.000Z", "numerals": [numeral], "numbers": []}
    >>> [(place, one.id, one.doubt) for place, one in wanted(message, "doubtful")]
    [(0, '1700000000000000', 1158)]
    """
    moment = round(1000 * datetime.fromisoformat(message["time"]).timestamp())
    doubtful = {place for number in message["numbers"] if number["rejected"] for place in number["numerals"]}
    for place, numeral in enumerate(message["numerals"][:1000]):
        if what == ALL or numeral["rejected"] or place in doubtful:
            doubt = round(1000 * (1 - numeral["confidence"])) + 1000 * numeral["rejected"]
            yield place, Collected(f"{moment:013}{place:03}", numeral["label"], min(max(doubt, 0), MOST_DOUBT))


def _png(picture: _Picture) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()
