"""Other settings or another model for the running service: checked and tested beside it, then handed over whole."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.live.config.loading import load_config, needs_restart
from edge_lpdpl.live.publish.requests import Reply, settings_to_change
from edge_lpdpl.live.reading import Reading, prepare, prepare_with

Changes = Mapping[str, Mapping[str, object]]


class Order:
    """Another reading that somebody wants: a signal that of the files, a client that of the settings it names."""

    def __init__(self, changes: dict[str, dict[str, object]], *, by_signal: bool, reply: Callable[[Reply], None]):
        self.changes, self.by_signal, self.reply = changes, by_signal, reply
        self.merged: dict[str, dict[str, object]] = {}
        """All that clients have set, with this."""

    def refusal(self, error: Exception) -> str:
        """What to say where it cannot be done."""
        fault = str(error) if isinstance(error, EdgeError) else f"{type(error).__name__}: {error}"
        return f"reload refused, the old configuration stays: {fault}" if self.by_signal else f"set refused: {fault}"


class Reloaded(NamedTuple):
    """What came of an order."""

    order: Order
    reading: Reading | None
    """What to use from now on; None where the old one has to stay."""
    report: str
    """What to say of it."""


class Reloader:
    """Prepares in a thread, one at a time, while frames are read on with what there is.

    Args:
        files: the configuration files to read again, found anew each time.
        changes: what the command line changes in them.
        reading: what the service starts with.
        height, width: of the frames.
    """

    def __init__(
        self, files: Callable[[], Sequence[Any]], changes: Changes, reading: Reading, height: int, width: int
    ) -> None:
        self.last_error: str | None = None
        """Why the last reload was refused; None where it was not."""
        self._files, self._changes = files, changes
        self._started = self._loaded = reading.config  # with what it runs until the end, and what the files said last
        self._reading = reading
        self._size = (height, width)
        self._lock = threading.Lock()
        self._orders: list[Order] = []
        self._signalled = self._announced = 0
        self._thread: threading.Thread | None = None
        self._results: list[Reloaded] = []
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
            self._orders.append(Order(changes, by_signal=False, reply=reply))

    def wanted_by_signal(self) -> bool:
        """True once for each reload that a signal asked for, which is then ordered."""
        if self._announced == self._signalled:
            return False
        self._announced = self._signalled  # several signals at once are one reload
        with self._lock:
            self._orders.append(Order({}, by_signal=True, reply=_nobody))
        return True

    def done(self) -> Reloaded | None:
        """What is ready to be taken over, if anything; starts what was ordered meanwhile. Called by the loop."""
        if self._thread is not None and not self._thread.is_alive():
            self._thread = None
            return self._results.pop()
        if self._thread is None and self._orders:
            with self._lock:
                order = self._orders.pop(0)
            order.merged = {} if order.by_signal else _merge(self._temporary, order.changes)
            thread = threading.Thread(target=self._prepare, args=(order,), name="reload", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the machine has no more
                return Reloaded(order, None, order.refusal(error))
            self._thread = thread
        return None

    def settle(self, done: Reloaded, error: str | None) -> None:
        """Note what is in force now, and tell who ordered it.

        Args:
            done: what `done` gave last.
            error: why it was not taken over; None where it was.
        """
        order = done.order
        if order.by_signal:
            self.last_error = error
        if error is None and done.reading is not None:
            self._reading, self._temporary = done.reading, order.merged
            if order.by_signal:
                self._loaded = done.reading.config
        order.reply({"ok": True, "note": done.report} if error is None else {"error": error})

    def _prepare(self, order: Order) -> None:
        try:
            reading, report = self._reload() if order.by_signal else self._set(order)
        except Exception as error:  # whatever it is, the old one stays
            self._results.append(Reloaded(order, None, order.refusal(error)))
            return
        self._results.append(Reloaded(order, reading, report))

    def _reload(self) -> tuple[Reading, str]:
        """What the files say now."""
        config = load_config(self._files(), self._changes)
        reading = prepare(config, *self._size)
        report = f"reloaded, {reading.model.name} reads"
        if later := needs_restart(self._started, config):
            report += f"; at the next start: {', '.join(later)}"
        return reading, report

    def _set(self, order: Order) -> tuple[Reading, str]:
        """What is in force with other settings: neither the files nor the model are read again."""
        config = load_config((), _merge(self._loaded.values(), order.merged))
        names = [f"{section}.{key}" for section, keys in order.changes.items() for key in keys]
        return prepare_with(self._reading.model, config, *self._size), f"{', '.join(names)} set until the next reload"


_MOST_ORDERS = 16


def _merge(first: Changes, second: Changes) -> dict[str, dict[str, object]]:
    return {section: {**first.get(section, {}), **second.get(section, {})} for section in {*first, *second}}


def _nobody(reply: Reply) -> None:
    """A signal has nobody to answer."""
