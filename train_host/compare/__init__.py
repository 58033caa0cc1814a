"""Every method under one harness: `cells` are worked off and kept, `table` and `studies` say which, `latency` times.

What was found is written as records, from which `train_host.report` draws tables and figures.
"""
