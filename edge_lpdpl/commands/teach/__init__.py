"""The commands that teach: `teach`, `hand`, and `ask teach|forget|hand`. Open `hands.py`."""
