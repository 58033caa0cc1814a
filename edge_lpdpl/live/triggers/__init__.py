"""Triggers: they look at every frame and say which ones are to be read.

In: a `Frame`. Out: whether to read it. Open `make.py` first.
"""
