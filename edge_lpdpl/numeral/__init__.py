"""One picture of one numeral in, one decision out.

In: a grey picture and a `Model`. Out: a `Recognition`. Open `recogniser.py`, then `engine.py`.
`kernels` holds the compiled steps, `plain` the same steps in NumPy.
"""
