"""Train labelled projective dictionary pairs on a workstation; export what the device evaluates."""
