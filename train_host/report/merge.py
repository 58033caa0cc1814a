"""Merges the records of one table whose methods were run by several commands."""

import numpy as np

from train_host.baselines.methods import METHODS
from train_host.compare import Record
from train_host.compare.significance import mcnemar


def merge_tables(records: list[Record]) -> list[Record]:
    """The records, with those of one table merged into one, at the place of the first.

    Records belong to one table if their `key` is equal: same data, splits and recipe. Methods are in the order of
    `METHODS`, and McNemar's test compares them with the first, whatever the order of the commands. Where several
    records have a row for a method, the newest is taken. `commands` are those whose rows are used, newest first.
    Mistakes are those of the first method; there are none where its row comes from a command that kept the mistakes of
    another method.
    """
    tables: dict[str, list[Record]] = {}
    for record in records:
        if record["kind"] == "table":
            tables.setdefault(record["key"], []).append(record)
    merged = {key: _merged(sorted(parts, key=lambda part: -part["written"])) for key, parts in tables.items()}
    return [
        merged.pop(record["key"]) if record["kind"] == "table" else record
        for record in records
        if record["kind"] != "table" or record["key"] in merged
    ]


def _merged(newest_first: list[Record]) -> Record:
    if len(newest_first) == 1:
        return newest_first[0] | {"commands": [newest_first[0]["command"]]}
    found: dict[str, tuple[Record, Record]] = {}
    commands = []
    for record in newest_first:
        fresh = {row["method"]: (row, record) for row in record["rows"] if row["method"] not in found}
        found |= fresh
        commands += [record["command"]] if fresh else []
    methods = [method for method in METHODS if method in found]
    pictures = {method: found[method][1]["pictures"][method] for method in methods}
    truth = np.array(newest_first[0]["truth"])
    own = found[methods[0]][1]
    right = {method: np.array(pictures[method]["decisions"]) == truth for method in methods}
    return newest_first[0] | {
        "rows": [found[method][0] | {"mcnemar": mcnemar(right[methods[0]], right[method])} for method in methods],
        "pictures": pictures,
        "objective": {method: found[method][1]["objective"].get(method) for method in methods},
        "mistakes": own.get("mistakes", []) if own["rows"][0]["method"] == methods[0] else [],
        "commands": commands,
    }
