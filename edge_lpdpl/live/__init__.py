"""The live service: it reads frames when a trigger wants them, and publishes the decisions.

In: a configuration and a camera. Out: messages. Open `service.py` first, then `setup.py`.
"""
