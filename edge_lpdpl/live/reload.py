"""Other settings or another model for the running service: prepared and tested in a thread, then put in place whole."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from edge_lpdpl.errors import ConfigError, EdgeError
from edge_lpdpl.live.config.loading import Changes, load_config, needs_restart, opens_no_file
from edge_lpdpl.live.publish.requests import Reply, settings_to_change
from edge_lpdpl.live.setup import Setup, prepare, prepare_with

_MOST_WAITING = 16


class Change:
    """A requested change, from SIGHUP or a client, and its outcome.

    Args:
        settings: what a client sets until the next reload; None for SIGHUP, which reads the files again.
        reply: takes the answer.
        by: who asks, for the journal.
    """

    def __init__(self, settings: Changes | None, reply: Callable[[Reply], None], by: str = "") -> None:
        self.settings, self.reply, self.by = settings, reply, by
        self.by_signal = settings is None
        self.setup: Setup | None = None
        """What to use from now on; None while it is not prepared, and if it cannot be."""
        self.report = ""
        """What to tell people if the change is made."""
        self.error: str | None = None
        """Why the change is refused; None if it is not."""

    @property
    def origin(self) -> str:
        """Who asked for what, for the journal; in ASCII, whatever the client has sent."""
        what = json.dumps(self.settings) if self.settings else "another hand"
        return f" ({self.by} asked for {what})" if self.by else ""

    def refuse(self, error: Exception) -> None:
        """Note why the change cannot be made."""
        fault = str(error) if isinstance(error, EdgeError) else f"{type(error).__name__}: {error}"
        refused = "reload refused, the old configuration stays" if self.by_signal else "set refused"
        self.error = f"{refused}: {fault}"


class Reloader:
    """Prepares one change at a time in a thread, while the service reads frames as before.

    Args:
        files: the configuration files; called for each reload.
        changes: what the command line changes in them.
        setup: what the service starts with.
        height, width: of the frames.
    """

    def __init__(
        self, files: Callable[[], Sequence[Any]], changes: Changes, setup: Setup, height: int, width: int
    ) -> None:
        self.last_error: str | None = None
        """Why the last reload was refused; None if it was not."""
        self._files, self._changes, self._size = files, changes, (height, width)
        self._setup = setup
        self._started = self._loaded = setup.config  # at the start; by the last reload
        self._set_by_clients: Changes = {}
        self._signalled = False
        self._waiting: deque[Change] = deque()
        self._current: Change | None = None
        self._thread: threading.Thread | None = None

    def reload(self) -> None:
        """Read the files again, and forget what clients have set. Short, because a signal handler calls it."""
        self._signalled = True

    def change(self, request: dict[str, Any], reply: Callable[[Reply], None], by: str = "") -> None:
        """Change the settings that a client names, until the next reload. Called in the thread of the socket.

        Args:
            by: who asks, for the journal.

        Raises:
            EdgeError: the request is not valid, or too many changes wait.
        """
        self._wait(Change(settings_to_change(request), reply, by))

    def take_hand(self, reply: Callable[[Reply], None], by: str = "") -> None:
        """Wear the hand that is on the disk now; settings and model stay. Called in the thread of the socket.

        Args:
            by: who asks, for the journal.

        Raises:
            EdgeError: too many changes wait.
        """
        self._wait(Change({}, reply, by))

    def _wait(self, change: Change) -> None:
        if len(self._waiting) >= _MOST_WAITING:
            raise EdgeError("too many changes at once; ask again")
        self._waiting.append(change)

    def signalled(self) -> bool:
        """Whether a signal came since the last call; several signals are one reload."""
        if not self._signalled:
            return False
        self._signalled = False
        self._waiting.append(Change(None, lambda reply: None))
        return True

    def done(self) -> Change | None:
        """A change that is prepared or refused, if there is one; starts the next one. Called by the loop."""
        if self._thread is not None and self._thread.is_alive():
            return None
        if self._current is None and self._waiting:
            self._current = self._waiting.popleft()
            self._thread = threading.Thread(target=self._prepare, args=(self._current,), name="reload", daemon=True)
            try:
                self._thread.start()
                return None
            except RuntimeError as error:  # the machine has no more threads
                self._current.refuse(error)
        done, self._current, self._thread = self._current, None, None
        return done

    def settle(self, change: Change) -> None:
        """Note which settings are in force after a change that was made or refused, and answer it."""
        if change.by_signal:
            self.last_error = change.error
        if change.error is None and change.setup is not None:
            self._setup = change.setup
            if change.settings is None:
                self._loaded, self._set_by_clients = change.setup.config, {}
            else:
                self._set_by_clients = _merge(self._set_by_clients, change.settings)
        change.reply({"ok": True, "note": change.report} if change.error is None else {"error": change.error})

    def _prepare(self, change: Change) -> None:
        try:
            if change.settings is None:
                change.setup = prepare(load_config(self._files(), self._changes), *self._size)
                change.report = f"reloaded, {change.setup.model.name} reads"
                if change.setup.hand_problem:
                    change.report += f" without the hand: {change.setup.hand_problem}"
                if later := needs_restart(self._started, change.setup.config):
                    change.report += f"; at the next start: {', '.join(later)}"
            else:  # neither the files nor the model are read again
                settings = _merge(_merge(self._loaded.values(), self._set_by_clients), change.settings)
                config = load_config((), settings)
                self._check_models(change.settings)
                change.setup = prepare_with(self._setup.model, config, *self._size)
                change.setup = change.setup._replace(problem=self._setup.problem)
                names = list(_names(change.settings))
                change.report = f"{', '.join(names)} set until the next reload" if names else _hand_report(change.setup)
        except Exception as error:  # on any fault the old configuration stays
            change.refuse(error)

    def _check_models(self, settings: Changes) -> None:
        """A client may name no file: a field is read by a shipped model, or by one that the configuration names."""
        known = {field.model for field in self._loaded.field}
        for model in [field.get("model", "") for field in settings.get("field", ())]:
            if model not in known and not opens_no_file(model):
                raise ConfigError(f"field.model is {model[:60]!r}, not a shipped model; name it in the files")


def _names(settings: Changes) -> Iterator[str]:
    for section, keys in settings.items():
        yield from [section] if isinstance(keys, list) else [f"{section}.{key}" for key in keys]


def _hand_report(setup: Setup) -> str:
    count = len(setup.hand)
    return setup.hand_problem or f"reads with a hand of {count} {'sample' if count == 1 else 'samples'}"


def _merge(first: Changes, second: Changes) -> Changes:
    """Sections that may be repeated are replaced."""
    return {
        **first,
        **{
            section: {**first.get(section, {}), **keys} if isinstance(keys, dict) else keys
            for section, keys in second.items()
        },
    }
