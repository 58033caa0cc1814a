"""Compares all methods in one harness.

`table` and `studies` define the cells, `cells` runs them and keeps their results, `latency` measures times. The results
are written as records, from which `train_host.report` makes tables and figures.
"""

KINDS = ("table", "atoms", "sensitivity", "pairs", "samples", "robustness", "unseen", "glyphs", "latency")
"""Kinds of comparison. They are listed here so that a command line can name them without the extra `train`."""
