"""The model file: a safetensors container with one JSON text, checked before it is believed.

In: bytes from anywhere. Out: a `Model`, whose arrays and settings fit each other. Open `model.py`, then `files.py`.
"""
