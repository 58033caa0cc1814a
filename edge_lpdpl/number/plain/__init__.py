"""The steps of `number.kernels` in Python and NumPy, for machines without a compiler. Open `finder.py` first."""
