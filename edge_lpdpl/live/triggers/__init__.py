"""Triggers: they look at every frame and say which frames are to be read.

In: a `Frame`. Out: whether to read it. Open `make.py`, then `trigger.py`.
"""
