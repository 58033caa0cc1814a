"""A publisher that acts: at each decision that fulfils a condition, in a thread, within a time, again if it fails."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from edge_lpdpl.live.actions.command import Command
from edge_lpdpl.live.actions.pulse import Pulse
from edge_lpdpl.live.actions.webhook import Webhook
from edge_lpdpl.live.config.condition import parse_condition
from edge_lpdpl.live.config.sections import ActionConfig
from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.outbox import Outbox

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between two attempts; each pause is twice the one before
_PATIENCE = 0.5  # seconds for what is under way when the service ends


class Way(Protocol):
    """A way to act, used in one thread."""

    def act(self, line: bytes) -> None:
        """Act at a decision, within the time limit of the action.

        Args:
            line: the message, as from `message.as_line`.

        Raises:
            OSError: it failed.
        """

    def close(self) -> None:
        """End what is under way; called in another thread."""


class ActionPublisher:
    """A publisher, see `Publisher`. A decision waits while the one before is acted on. What is too late is dropped.

    Args:
        name: of the action, for the status and for complaints.
        capacity: decisions that may wait; if more wait, the oldest are dropped.
        complain: is told what failed; called in the thread of the action.

    Raises:
        ConfigError: the pin cannot be used on this machine.
    """

    broken: OSError | None = None

    def __init__(
        self, name: str, settings: ActionConfig, capacity: int, complain: Callable[[str], None] = lambda text: None
    ) -> None:
        self.name = name
        self._fulfils, self._complain = parse_condition(settings.when), complain
        self._within = settings.within_s
        self._way = _way(settings)
        self._given_up = 0
        self._closing = threading.Event()
        self._outbox: Outbox[tuple[float, bytes]] = Outbox(name, capacity, self._act)

    @property
    def dropped(self) -> int:
        """Decisions on which it should have acted and did not."""
        return self._outbox.dropped + self._given_up

    def publish(self, message: Message, line: bytes) -> None:
        if self._fulfils(message):
            self._outbox.put((time.monotonic(), line))

    def close(self) -> None:
        self._outbox.close(_PATIENCE)
        self._closing.set()
        self._way.close()
        self._outbox.close(_PATIENCE)

    def _act(self, decision: tuple[float, bytes]) -> None:
        decided, line = decision
        pause, fault = _FIRST_PAUSE, "those before it took too long"
        while time.monotonic() - decided <= self._within:
            try:
                self._way.act(line)
                return
            except OSError as error:
                fault = str(error)
            if time.monotonic() + pause - decided > self._within or self._closing.wait(pause):
                break
            pause = min(2 * pause, _LONGEST_PAUSE)
        self._given_up += 1
        self._complain(f"{self.name}: given up for a decision: {fault}")


def _way(settings: ActionConfig) -> Way:
    if settings.webhook:
        return Webhook(settings.webhook, settings.timeout_s)
    if settings.command:
        return Command(settings.command, settings.timeout_s)
    return Pulse(settings.gpio, settings.pulse_s)
