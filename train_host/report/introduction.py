"""What a reader of the page has to know before the tables: no more than what is true of the records in them."""

from collections.abc import Iterator
from typing import Any

from train_host.baselines import METHODS
from train_host.report.tables import reported

Record = dict[str, Any]
COMPARED = (
    "Every method sees the same pictures through the same preprocessing, on the same folds; methods on features see "
    "the same features, networks the square from which those are taken. Whose settings each method has stands below; "
    "no rival was tuned but where it says so."
)
NETWORKS = (
    "Networks start from nothing and are trained for a few epochs, without copies of the pictures: more of either "
    "would help them, and SqueezeNet, which normalises nothing between its layers, hardly learned so on USPS: its row "
    "there says little about it."
)
CHOSEN = (
    "LpDPL's settings were chosen on folds of a part of the Chinese set and of MADBase (see README), so those rows are "
    "a little kind to it; the USPS test part was never looked at. Some choices were made on the reported Chinese folds "
    "themselves: the size of the model, and what is ink, which all methods see alike, with a rule for faint strokes "
    "that came from the errors that `conventional` had left."
)
READING = (
    "Intervals are bootstrapped over writers where more than one are known, else over pictures; where all is right or "
    "all is wrong they are Clopper and Pearson's over pictures. p is McNemar's exact test against the first row. "
    "Where a title says --splits 1, only the first split of the protocol was run, for all methods alike. Bytes are the "
    "float32 numbers that a decision needs; LpDPL's bytes and microseconds are without the distances by which the "
    "shipped models tell what is no numeral. Training time and memory are of one fold on one thread, the time on a "
    "machine whose load may have changed from hour to hour: take it for an order of magnitude. Microseconds are of one "
    "picture on one thread: LpDPL as the device runs it, the others as their libraries do (networks in PyTorch; `make "
    "bench` has them in LiteRT, where they are far faster)."
)
PAPER = (
    "The paper's figures are its own, on all of its data: its networks were trained on ImageNet before, and its InDPL "
    "is that of an earlier paper, on pixels."
)
CHOSEN_ON = ("chinese", "madbase", "usps")
"""Data sets of which `CHOSEN` speaks."""


def introduction(tables: list[Record]) -> Iterator[str]:
    """Paragraphs before the tables.

    >>> [text[:20] for text in introduction([{"data": "digits", "protocol": "conventional", "rows": []}])]
    ['Every method sees th', 'Intervals are bootst']
    """
    yield COMPARED
    if any(METHODS[row["method"]].sees == "pixels" for table in tables for row in table["rows"]):
        yield NETWORKS
    if any(table["data"].startswith(CHOSEN_ON) for table in tables):
        yield CHOSEN
    yield READING
    if any(reported(table).keys() & {row["method"] for row in table["rows"]} for table in tables):
        yield PAPER
