"""Publishers: every decision becomes one message, sent over a socket, MQTT or standard output.

In: what was read. Out: messages as in `message.schema.json`. Open `message.py` first.
"""
