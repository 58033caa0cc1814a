"""What every publisher does, and the publishers that the configuration names."""

import os
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.place import socket_path
from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.requests import Peer, RequestHandler
from edge_lpdpl.live.publish.unix_socket import SocketPublisher


class Publisher(Protocol):
    """Takes messages; the caller never waits."""

    name: str

    @property
    def dropped(self) -> int:
        """Number of messages that a reader did not get because it was slow or away."""

    @property
    def broken(self) -> OSError | None:
        """The error that ended this publisher; None while it works."""

    def publish(self, message: Message, line: bytes) -> None:
        """Publish a message; `line` is the same message from `message.as_line`."""

    def close(self) -> None:
        """Deliver the messages that wait, for a short time at most, and stop."""


@runtime_checkable
class SeeingPublisher(Publisher, Protocol):
    """A publisher that is shown the frame of each decision, too, after `publish`."""

    def see(self, message: Message, grey: NDArray[np.uint8]) -> None:
        """Take what is needed of the frame (height, width), which is valid during this call only."""


def open_publishers(
    config: Config, handle: RequestHandler, complain: Callable[[str], None] = lambda text: None
) -> list[Publisher]:
    """Open all publishers of the configuration.

    Args:
        handle: answers the requests that come in.
        complain: is told that a broker is away, an action failed or a client is refused; called in other threads.

    Raises:
        PublishError, ConfigError: one cannot be opened; those already opened are closed again.
    """
    opened: list[Publisher] = []
    try:
        if config.publish.stdout:
            from edge_lpdpl.live.publish.lines import LinesPublisher

            opened.append(LinesPublisher(config.publish.queue))
        if (path := socket_path(config.publish.socket)) is not None:
            opened.append(SocketPublisher(path, config.publish.queue, handle, complain))
        elif config.publish.socket:
            remedy = "set publish.socket to a path, or XDG_RUNTIME_DIR"
            complain(f"no socket, because this user has no folder for one: listen and ask get no answer; {remedy}")
        if config.mqtt.host:
            from edge_lpdpl.live.publish.mqtt import MqttPublisher

            names = [field.name for field in config.field]

            def read_now() -> None:
                handle({"request": "recognise"}, lambda answer, data=b"": None, Peer(os.getuid(), os.getpid()))

            opened.append(MqttPublisher(config.mqtt, config.publish.queue, complain, names, read_now))
        if config.log.file:
            from edge_lpdpl.live.log.keeping import LogPublisher

            opened.append(LogPublisher(config.log, complain))
        if config.action:
            from edge_lpdpl.live.actions.action import ActionPublisher

            for number, action in enumerate(config.action, 1):
                opened.append(ActionPublisher(f"action {number}", action, config.publish.queue, complain))
    except BaseException:
        for publisher in opened:
            publisher.close()
        raise
    return opened
