"""Numbers in doubt: what is around one may belong to it or divide it, or a stroke of it may be something else. What
surely does not belong to one leaves no doubt: a printed word before it, the table that its page lies on.

In: how a line is read, the ink that is in no line, and printed walls.
Out: whether a number is in doubt for it.
"""
