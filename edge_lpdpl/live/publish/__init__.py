"""Publishers: every decision becomes one message, which leaves by a socket, MQTT or lines of text.

In: what was read. Out: messages as in `message.schema.json`. Open `message.py` first.
"""
