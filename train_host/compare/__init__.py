"""Every method under one harness: `cells` are worked off and kept, `table` and `studies` say which, `latency` times.

What was found is written as records, from which `train_host.report` draws tables and figures.
"""

KINDS = ("table", "atoms", "sensitivity", "pairs", "samples", "robustness", "unseen", "glyphs", "latency")
"""What can be compared. Here, a command line names them without what works them off, which takes the extra `train`."""
