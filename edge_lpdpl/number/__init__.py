"""Numbers: lines of ink in, whole numbers out.

Open `grammar.py` for which texts are numbers, and what they are worth.
"""
