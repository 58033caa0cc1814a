"""What is typed: one file a group of commands, which parses arguments and prints.

In: arguments of `edge-lpdpl`. Out: text or JSON, and an exit status. Open `main.py` first.
"""
