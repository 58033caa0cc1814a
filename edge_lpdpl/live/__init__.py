"""The live service: frames from a camera are read when a trigger wants it, and the decisions are published.

In: a configuration and a camera. Out: messages. Open `service.py` first, then `reading.py`.
"""
