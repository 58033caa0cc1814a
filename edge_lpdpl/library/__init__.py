"""The models there are: those that come with the package and those that are installed.

In: a name or a file. Out: the path of a model that was checked. Open `models.py` first.
"""
