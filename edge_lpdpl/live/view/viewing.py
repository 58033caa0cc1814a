"""Frames and cut-outs for clients that watch: the loop hands over copies after its work, and waits for nobody."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.form.reader import FormReader
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.publish.requests import RequestError, Respond
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.reader import PageReader, Reading
from edge_lpdpl.numeral.hand import Hand

MOST_WAITING = 8
"""Clients that may wait for a frame."""
PERIOD = 0.1
"""Seconds between two frames that are handed over, at least."""
MOST_DECISIONS, MOST_BYTES = 100, 4 << 20
"""Decisions whose cut-outs are kept, and bytes of all of them."""


class Kept(NamedTuple):
    """The cut-outs of one decision, and what read them."""

    sequence: int
    """Number of its frame."""
    pictures: tuple[NDArray[np.uint8], ...]
    """(height, width) for each numeral, light ink on black, as the recogniser was given them."""
    models: tuple[Model, ...]
    """Which one read each numeral."""
    hand: Hand
    """That was worn."""


class CutOut(NamedTuple):
    """One numeral of a decision, and what read it."""

    picture: NDArray[np.uint8]
    """(height, width), light ink on black."""
    model: Model
    hand: Hand


class Viewing:
    """Answers `watch` and `cut_outs`. `offer` and `keeping` and `of` are called by the loop, the rest in other threads.

    >>> answers = []
    >>> viewing = Viewing()
    >>> viewing.watch(lambda answer, data: answers.append((answer, len(data))))
    >>> viewing.offer(Frame(np.zeros((16, 20), np.uint8), 7, time.monotonic_ns()))
    >>> answers
    [({'sequence': 7, 'width': 20, 'height': 16}, 320)]
    """

    def __init__(self) -> None:
        self._lock, self._keeping = threading.Lock(), threading.Lock()  # for `_waiting`, and for `_kept`
        self._waiting: list[Respond] = []
        self._given = -PERIOD
        self._kept: deque[Kept] = deque(maxlen=MOST_DECISIONS)
        self._bytes = 0

    def watch(self, respond: Respond) -> None:
        """Answer with the next frame; frames are handed over at most 10 times a second.

        Raises:
            RequestError: too many clients wait.
        """
        with self._lock:
            if len(self._waiting) >= MOST_WAITING:
                raise RequestError(f"{MOST_WAITING} clients watch already; try again later")
            self._waiting.append(respond)

    def offer(self, frame: Frame) -> None:
        """Hand a frame to those who wait for one."""
        if not self._waiting or (now := time.monotonic()) - self._given < PERIOD:
            return
        self._given = now
        with self._lock:
            waiting, self._waiting = self._waiting, []
        height, width = frame.grey.shape
        data = frame.grey.tobytes()
        for respond in waiting:
            respond({"sequence": frame.sequence, "width": width, "height": height}, data)

    @contextmanager
    def keeping(self, frame: Frame, reader: PageReader | FormReader, decided: Reading) -> Iterator[None]:
        """Publish a decision in this block. After the block, its cut-outs are kept, to be looked at or taught; a client
        that asks earlier waits.

        Args:
            frame: that the reader has read last.
            decided: the decision. It may be an older one that stands; then the same scene may have given other
                numerals, and none are kept.
        """
        with self._keeping:
            yield
            pictures, worn = tuple(reader.cut_outs()), reader.recogniser
            if len(pictures) == len(decided.numerals):
                self._keep(Kept(frame.sequence, pictures, tuple(decided.models_of_numerals(worn.model)), worn.hand))

    def _keep(self, kept: Kept) -> None:
        if len(self._kept) == MOST_DECISIONS:
            self._bytes -= _size(self._kept.popleft())
        self._kept.append(kept)
        self._bytes += _size(kept)
        while self._bytes > MOST_BYTES:
            self._bytes -= _size(self._kept.popleft())

    def of(self, frame: Frame) -> tuple[NDArray[np.uint8], ...]:
        """The cut-outs of the decision about a frame, if it is the last one; none where they are not kept."""
        last = self._kept[-1] if self._kept else None
        return last.pictures if last and last.sequence == frame.sequence else ()

    def cut_outs(self, request: dict[str, Any]) -> tuple[NDArray[np.uint8], ...]:
        """The cut-outs of the decision that a request names by the number of its frame.

        Raises:
            EdgeError: they are not kept, or no longer.
        """
        return self._find(request).pictures

    def _find(self, request: dict[str, Any]) -> Kept:
        with self._keeping:
            found = next((one for one in self._kept if one.sequence == request.get("decision")), None)
        if found is None:
            raise EdgeError("the cut-outs of this decision are not kept; those of the last 100 are")
        return found

    def cut_out(self, request: dict[str, Any]) -> CutOut:
        """The cut-out of one numeral.

        Raises:
            EdgeError: it is not kept, or there is no such numeral.
        """
        kept, numeral = self._find(request), request.get("numeral")
        if not isinstance(numeral, int) or not 0 <= numeral < len(kept.pictures):
            last = len(kept.pictures) - 1
            raise RequestError(f"numeral is not 0 to {last}" if kept.pictures else "it has no numerals")
        return CutOut(kept.pictures[numeral], kept.models[numeral], kept.hand)


def _size(kept: Kept) -> int:
    return sum(picture.nbytes for picture in kept.pictures)
