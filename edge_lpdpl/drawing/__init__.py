"""Pictures that explain a decision, for people.

In: a recogniser, a picture and what was read. Out: PNG images. Open `decision.py` first.
"""
