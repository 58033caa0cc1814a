"""The model file: a safetensors container with one JSON text, checked before it is used.

In: bytes from anywhere. Out: a `Model`, whose arrays and settings agree with each other. Open `model.py` first, then
`files.py`; `shapes.py` and `settings.py` are the tables of what a file may hold.
"""
