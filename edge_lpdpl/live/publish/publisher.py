"""What every way to publish has in common, and which of them the configuration wants."""

from collections.abc import Callable
from typing import Protocol

from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.publish.message import Message
from edge_lpdpl.live.publish.requests import RequestHandler


class Publisher(Protocol):
    """Takes messages without making the caller wait."""

    name: str

    @property
    def dropped(self) -> int:
        """Messages that a reader did not get because it was slow or away."""

    @property
    def broken(self) -> OSError | None:
        """Why this publisher is at its end; None while it is not."""

    def publish(self, message: Message, line: bytes) -> None:
        """Hand over a message, and the line that it is (`message.as_line`)."""

    def close(self) -> None:
        """Deliver what waits, for a short while, and stop."""


def open_publishers(
    config: Config, handle: RequestHandler, complain: Callable[[str], None] = lambda text: None
) -> list[Publisher]:
    """All that the configuration wants.

    Args:
        handle: answers the requests that come in.
        complain: is told of a broker that is away, in other threads.

    Raises:
        PublishError: one cannot be opened; those that were are closed again.
    """
    opened: list[Publisher] = []
    try:
        if config.publish.stdout:
            from edge_lpdpl.live.publish.lines import LinesPublisher

            opened.append(LinesPublisher(config.publish.queue))
        from edge_lpdpl.live.publish.unix_socket import SocketPublisher, socket_path

        if (path := socket_path(config.publish.socket)) is not None:
            opened.append(SocketPublisher(path, config.publish.queue, handle))
        if config.mqtt.host:
            from edge_lpdpl.live.publish.mqtt import MqttPublisher

            opened.append(MqttPublisher(config.mqtt, config.publish.queue, complain))
    except BaseException:
        for publisher in opened:
            publisher.close()
        raise
    return opened
