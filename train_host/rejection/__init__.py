"""Which decisions are rejected: confidence, the distance from each class, and the rule that rejects. In: samples and a
recipe. Out: a `Calibration`, and a `Region` for each class. Open `calibration` first; `examples` has the non-numerals.
"""
