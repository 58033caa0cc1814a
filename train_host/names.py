"""Names that the command line offers and the trainer decides by. This module imports nothing of the extra `train`."""

CONVENTIONAL, WITHIN_SUBJECT, BETWEEN_SUBJECT = "conventional", "within-subject", "between-subject"
STANDARD = "standard"
PROTOCOLS = (CONVENTIONAL, WITHIN_SUBJECT, BETWEEN_SUBJECT, STANDARD)
"""Which pictures are trained on and which are tested; `train_host.protocols.make_splits` explains each."""
