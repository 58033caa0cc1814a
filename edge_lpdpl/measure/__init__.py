"""Measurements of this machine: the bench, the doctor's checks and the report of a board.

In: a model, this machine. Out: tables of JSON values. Open `bench.py` first.
"""
