"""Which decisions are doubtful: confidence, the region of every class, and the rule that rejects.

Held-out decisions come in. `calibration` is the whole of it, `regions` and `rule` its parts. Open `calibration` first.
"""
