"""Which models there are: those that come with the package, and those that are installed.

In: a name or a file. Out: the path of a model file; to be installed it must be valid and pass its self-test here.
Open `models.py` first, then `slots.py`, which installs.
"""
