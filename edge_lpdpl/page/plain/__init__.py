"""The steps of `page.kernels` in NumPy, for machines without a compiler. Open `searcher.py` first."""
