"""From pictures to features: the pictures of a data set, their augmented copies, and non-numerals.

Open `prepare` first.
"""
