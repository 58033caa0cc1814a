"""A new configuration or model for the running service: read, checked and tested beside it, then handed over whole."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from edge_lpdpl.config import load_config, needs_restart
from edge_lpdpl.config.sections import Config
from edge_lpdpl.errors import EdgeError
from edge_lpdpl.live.publish.requests import Reply, settings_to_change
from edge_lpdpl.live.reading import Reading, prepare

Changes = Mapping[str, Mapping[str, object]]


class Reloaded(NamedTuple):
    """What came of a reload."""

    reading: Reading | None
    """What to use from now on; None where the old one has to stay."""
    report: str
    """What to say of it."""
    by_signal: bool
    """Whether the service manager waits to hear that it is over."""
    reply: Callable[[Reply], None]

    def answer(self, error: str | None) -> None:
        """Tell who asked for it."""
        self.reply({"ok": True, "note": self.report} if error is None else {"error": error})


class Reloader:
    """Prepares in a thread, one at a time, while frames are read on with what there is.

    Args:
        files: the configuration files to read again, found anew each time.
        changes: what the command line changes in them.
        height, width: of the frames.
    """

    def __init__(
        self, files: Callable[[], Sequence[Any]], changes: Changes, config: Config, height: int, width: int
    ) -> None:
        self.last_error: str | None = None
        """Why the last reload was refused; None where it was not."""
        self._files, self._changes, self._running = files, changes, config
        self._size = (height, width)
        self._lock = threading.Lock()
        self._orders: list[_Order] = []
        self._signalled = self._announced = 0
        self._thread: threading.Thread | None = None
        self._results: list[tuple[_Order, Reloaded, Config | None]] = []
        self._temporary: dict[str, dict[str, object]] = {}

    def reload(self) -> None:
        """Read the files again, and forget what clients have set; short, because a signal handler calls it."""
        self._signalled += 1

    def change(self, request: dict[str, Any], reply: Callable[[Reply], None]) -> None:
        """What a client wants to be different until the next reload.

        Raises:
            EdgeError: it is no such request.
        """
        changes = settings_to_change(request)
        with self._lock:
            if len(self._orders) >= _MOST_ORDERS:
                raise EdgeError("too many changes at once; ask again")
            self._orders.append(_Order(changes, by_signal=False, reply=reply))

    def wanted_by_signal(self) -> bool:
        """True once for each reload that a signal asked for, which is then ordered."""
        if self._announced == self._signalled:
            return False
        self._announced = self._signalled  # several signals at once are one reload
        with self._lock:
            self._orders.append(_Order({}, by_signal=True, reply=_nobody))
        return True

    def done(self) -> Reloaded | None:
        """What is ready to be taken over, if anything; starts what was ordered meanwhile. Called by the loop."""
        if self._thread is not None and not self._thread.is_alive():
            self._thread = None
            order, reloaded, config = self._results.pop()
            if config is not None:
                self._running = config
                self._temporary = order.merged
            self.last_error = None if config is not None else reloaded.report
            return reloaded
        if self._thread is None and self._orders:
            with self._lock:
                order = self._orders.pop(0)
            order.merged = {} if order.by_signal else _merge(self._temporary, order.changes)
            self._thread = threading.Thread(target=self._prepare, args=(order,), name="reload", daemon=True)
            self._thread.start()
        return None

    def _prepare(self, order: "_Order") -> None:
        try:
            config = load_config(self._files(), _merge(self._changes, order.merged))
            reading = prepare(config, *self._size)
        except Exception as error:  # whatever it is, the old one stays
            fault = str(error) if isinstance(error, EdgeError) else f"{type(error).__name__}: {error}"
            report = f"reload refused, the old configuration stays: {fault}"
            self._results.append((order, Reloaded(None, report, order.by_signal, order.reply), None))
            return
        report = f"reloaded, {reading.model.name} reads"
        if later := needs_restart(self._running, config):
            report += f"; at the next start: {', '.join(later)}"
        self._results.append((order, Reloaded(reading, report, order.by_signal, order.reply), config))


_MOST_ORDERS = 16


class _Order:
    """One reload that somebody wants."""

    def __init__(self, changes: dict[str, dict[str, object]], *, by_signal: bool, reply: Callable[[Reply], None]):
        self.changes, self.by_signal, self.reply = changes, by_signal, reply
        self.merged: dict[str, dict[str, object]] = {}


def _merge(first: Changes, second: Changes) -> dict[str, dict[str, object]]:
    return {section: {**first.get(section, {}), **second.get(section, {})} for section in {*first, *second}}


def _nobody(reply: Reply) -> None:
    """A signal has nobody to answer."""
