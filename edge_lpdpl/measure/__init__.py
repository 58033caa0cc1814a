"""Measurements of this machine: the bench, the doctor's checks and the report of a board.

In: a model, this machine. Out: results ready for JSON. Open `bench.py`, then `timing.py`.
"""
