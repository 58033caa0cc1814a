"""Where decisions go: JSON lines, a Unix socket, MQTT. Whoever reads slowly or not at all never delays the loop."""

from edge_lpdpl.live.publish.message import Message, as_line, make_message, message_schema
from edge_lpdpl.live.publish.publisher import Publisher, open_publishers

__all__ = ["Message", "Publisher", "as_line", "make_message", "message_schema", "open_publishers"]
