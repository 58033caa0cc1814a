"""LpDPL, from samples to dictionary pairs and to the folded form that the device evaluates.

Samples (N, n) and their classes come in. `lpdpl` has the equations of the paper, one function an equation, on the
sufficient statistics of `statistics`; `subspace`, `refine` and `folding` are the steps around it. Open `lpdpl` first.
Nothing here knows pictures or model files.
"""
