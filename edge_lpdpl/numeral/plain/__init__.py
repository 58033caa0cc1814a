"""The steps of `numeral.kernels` in NumPy, for machines without a compiler. Open `engine.py` first."""
