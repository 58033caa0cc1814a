"""Commands of one table, run one after the other for other methods, as one table."""

from typing import Any

import numpy as np

from train_host.baselines import METHODS
from train_host.compare.significance import mcnemar

Record = dict[str, Any]


def merge_tables(records: list[Record]) -> list[Record]:
    """The records, those of one table (equal `key`: same data, splits and recipe) as one, in the place of the first.

    Methods stand in the order of `METHODS`, and McNemar's test holds them against the first, whatever the order of the
    commands. A row that several have is that of the newest; `commands` are those whose rows are left, the newest first.
    Mistakes are the first method's; there are none where its row comes from a command that had kept another method's.
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
