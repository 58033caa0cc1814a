"""What is around a number may belong to it, or divide it: then it is in doubt.

In: the readings of a frame's lines, the ink that is in none, and printed walls.
Out: which numbers are in doubt for it.
"""
