"""The log: decisions that are kept in a database on this machine, if `[log]` of the configuration says so.

In: messages and frames. Out: an SQLite file within a quota, and what is read from it later. Open `keeping.py` first.
"""
