"""A publisher that keeps decisions in the log. The loop hands over copies; a thread writes them, many at once."""

import threading
import time
from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import LogError
from edge_lpdpl.live.config.sections import LogConfig
from edge_lpdpl.live.log.database import MOST_BATCH, Entry, LogDatabase
from edge_lpdpl.live.log.place import log_path
from edge_lpdpl.live.publish.message import Message

MOST_WAITING = 4 * MOST_BATCH
"""Bytes of decisions that may wait to be written."""
LONGEST_SIDE = 640
"""Pixels of a crop; larger ones are thinned out."""
_MARGIN = 8  # pixels around the numbers
_PATIENCE = 2.0  # seconds for what waits when the service ends


class LogPublisher:
    """A publisher, see `SeeingPublisher`. What cannot be written is said and counted, and never ends the service.

    Args:
        complain: is told why something could not be written; called in the thread of the log.
    """

    name = "log"
    broken: OSError | None = None

    def __init__(self, settings: LogConfig, complain: Callable[[str], None] = lambda text: None) -> None:
        self.dropped = 0
        self._crops, self._seconds, self._complain = settings.crops, settings.write_s, complain
        self._database = LogDatabase(log_path(settings.file), settings.quota_mb << 20)
        self._line = b""
        self._waiting: deque[Entry] = deque()
        self._bytes = 0
        self._change = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="log", daemon=True)
        self._thread.start()

    def publish(self, message: Message, line: bytes) -> None:
        self._line = line  # `see` comes next, with the frame

    def see(self, message: Message, grey: NDArray[np.uint8]) -> None:
        crop = crop_of(message, grey) if self._wants_crop(message) else np.zeros((0, 0), np.uint8)
        entry = Entry(message["time"], self._line, crop.shape[1], crop.shape[0], crop.tobytes())
        with self._change:
            if entry.size > MOST_BATCH:
                self.dropped += 1
                return
            self._waiting.append(entry)
            self._bytes += entry.size
            while self._bytes > MOST_WAITING:
                self._take_one()
                self.dropped += 1
            self._change.notify()

    def close(self) -> None:
        with self._change:
            self._closing = True
            self._change.notify()
        self._thread.join(_PATIENCE)
        with self._change:
            self.dropped += len(self._waiting)
            self._waiting.clear()

    def _wants_crop(self, message: Message) -> bool:
        doubtful = any(number["rejected"] for number in message["numbers"])
        return self._crops == "all" or (self._crops == "doubtful" and doubtful)

    def _work(self) -> None:
        while batch := self._next_batch():
            try:
                self._database.add(batch)
            except LogError as error:
                self.dropped += len(batch)
                self._complain(f"log: decisions are not kept: {error}")
        self._database.close()

    def _next_batch(self) -> list[Entry]:
        """Entries to write together, once enough of them wait or enough time is over; none at the end."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._closing)
            full = time.monotonic() + self._seconds
            while not self._closing and self._bytes < MOST_BATCH and (left := full - time.monotonic()) > 0:
                self._change.wait(left)
            size = 0
            batch: list[Entry] = []
            while self._waiting and size + self._waiting[0].size <= MOST_BATCH:
                batch.append(self._take_one())
                size += batch[-1].size
            return batch

    def _take_one(self) -> Entry:
        entry = self._waiting.popleft()
        self._bytes -= entry.size
        return entry


def crop_of(message: Message, grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A copy of the part of a frame (height, width) in which the numbers of a decision are; empty if there is none.

    >>> crop_of({"numbers": [{"box": [20, 10, 30, 40]}]}, np.zeros((48, 64), np.uint8)).shape
    (46, 46)
    """
    boxes = np.array([number["box"] for number in message["numbers"]], np.int64).reshape(-1, 4)
    if not len(boxes):
        return np.zeros((0, 0), np.uint8)
    left, top = np.maximum(boxes[:, :2].min(axis=0) - _MARGIN, 0).tolist()
    right, bottom = ((boxes[:, :2] + boxes[:, 2:]).max(axis=0) + _MARGIN).tolist()
    part = grey[top:bottom, left:right]
    step = -(-max(*part.shape, 1) // LONGEST_SIDE)
    return np.ascontiguousarray(part[::step, ::step])
