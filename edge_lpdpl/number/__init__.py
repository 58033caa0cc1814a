"""Numbers: how parts of ink become numbers such as 427 or -12.5.

In: a frame or a picture. Out: a `Reading` of numbers and their numerals. Open `reader.py` first, then `line_reader.py`,
`lattice.py` and `finder.py`; `grammar.py` says which texts are numbers, and what they are worth.
"""
