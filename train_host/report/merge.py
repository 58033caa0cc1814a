"""Commands of one table, run one after the other for other methods, as one table."""

from typing import Any

import numpy as np

from train_host.compare.significance import mcnemar

Record = dict[str, Any]


def merge_tables(records: list[Record]) -> list[Record]:
    """The records, those of one table (equal `key`: same data, protocol and recipe) as one, in the place of the first.

    Its first method, against which McNemar's test holds all others, is that of the newest command. So is every row that
    several commands have. `commands` are those whose rows are left, the newest first.
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
    newest, *others = newest_first
    rows, pictures = list(newest["rows"]), dict(newest["pictures"])
    objective, commands = dict(newest["objective"]), [newest["command"]]
    truth = np.array(newest["truth"])
    right = np.array(pictures[rows[0]["method"]]["decisions"]) == truth
    for other in others:
        fresh = [row for row in other["rows"] if row["method"] not in pictures]
        for row in fresh:
            method = row["method"]
            pictures[method], objective[method] = other["pictures"][method], other["objective"].get(method)
            decisions = np.array(pictures[method]["decisions"])
            rows.append(row | {"mcnemar": mcnemar(right, decisions == truth)})
        commands += [other["command"]] if fresh else []
    return newest | {"rows": rows, "pictures": pictures, "objective": objective, "commands": commands}
