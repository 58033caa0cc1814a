"""Numbers: lines of ink in, whole numbers out.

Open `reader.py` first, then `lattice.py` and `finder.py`; `grammar.py` says which texts are numbers.
"""
