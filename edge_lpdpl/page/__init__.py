"""Pages: a frame in, the numerals on it out, in reading order.

In: a grey frame. Out: boxes, and what the recogniser read in each. Open `reader.py`, then `locator.py`.
`kernels` holds the compiled steps, `plain` the same steps in NumPy.
"""
