"""Paragraphs before the tables: what a reader has to know about them. Only what is true of these records is said."""

from collections.abc import Iterator
from typing import Any

from train_host.baselines.methods import METHODS
from train_host.report.tables import reported

Record = dict[str, Any]
COMPARED = (
    "Every method sees the same pictures with the same preprocessing, on the same folds. Methods on features see the "
    "same features; networks see the square picture from which the features are computed. The settings of each method "
    "are listed below. No other method was tuned, except where its settings say so."
)
NETWORKS = (
    "Networks are trained from scratch for a few epochs, without augmented copies of the pictures. More epochs or "
    "augmented copies would help them. SqueezeNet, which has no normalisation between its layers, hardly learned on "
    "USPS under these conditions: its row there says little about it. Where a table has no row of SqueezeNet, "
    "MobileNetV2 or GoogLeNet, it was not given the hours that each of them takes on two cores."
)
CHOSEN = (
    "LpDPL's settings were chosen on folds of a part of the Chinese data set and of MADBase (see docs/method.md). Its "
    "results on these two data sets are therefore slightly optimistic. The USPS test part was never looked at. Some "
    "choices were made on the reported Chinese folds themselves: the size of the model, and the rules for what counts "
    "as ink. The ink is the same for all methods. One of its rules, for detached faint strokes, was designed after "
    "looking at test errors of `conventional`."
)
READING = (
    "Intervals are bootstrap intervals: over writers where more than one writer is known, otherwise over pictures. "
    "Where all pictures are read correctly, or all are misread, they are exact intervals (Clopper and Pearson) over "
    "pictures. p is the p value of McNemar's exact test against the first row. Where a title has --splits 1, only the "
    "first split of the protocol was run, for all methods alike. Bytes (kB) are those of the float32 numbers that a "
    "decision needs. LpDPL's bytes and microseconds do not include the distances by which the shipped models detect "
    "non-numerals. Training time and memory are those of one fold on one thread. The load of the machine may have "
    "changed from hour to hour: take training times as orders of magnitude. Microseconds are for one picture on one "
    "thread: LpDPL, DPL and InDPL folded, by the device's engine; the linear SVM as one matrix; the others as their "
    "libraries run them (networks in PyTorch; `make bench` times them in LiteRT, where they are far faster)."
)
PAPER = (
    'The column "the paper" has the figures that the paper reports, on all of its data. Its networks were pretrained '
    "on ImageNet, and its InDPL figures come from an earlier paper and are on pixels."
)
CHOSEN_ON = ("chinese", "madbase", "usps")
"""Data sets that `CHOSEN` is about."""


def introduction(tables: list[Record]) -> Iterator[str]:
    """The paragraphs that apply to these tables.

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
