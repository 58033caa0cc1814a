"""Pages: a frame in, the parts of its ink out; groups of them cut, lifted and measured.

In: a grey frame. Out: a table of parts, pictures for the recogniser, reasons to reject a numeral. Open `locator.py`.
`kernels` holds the compiled steps, `plain` the same steps in NumPy.
"""
