"""Tables of the report, made from records."""

from itertools import compress

import numpy as np

from train_host.baselines.methods import METHODS, method_title
from train_host.compare import Record
from train_host.report.document import TEXTS, Table


def accuracy(record: Record, latency: Record | None) -> Table:
    """One row per method: accuracy, cost, and the accuracy that the paper reports. Empty columns are left out.

    Args:
        record: of the table.
        latency: record of the times; None where there is none.
    """
    paper = reported(record)
    timed = {point["method"]: point for point in latency["points"]} if latency else {}
    titles = ["method", "accuracy", "95 % interval", "errors", "1 % rejected", "5 % rejected", "p"]
    titles += ["us per picture", "timed as", "kB", "training s", "training MB", "the paper"]
    rows = []
    for row in record["rows"]:
        method = row["method"]
        low, high = row["interval"]
        title = title_in(record, method) + (f" ({row['note']})" if row.get("note") else "")
        rows.append(
            (
                title,
                f"{row['accuracy']:.2%}",
                f"{100 * low:.2f} to {100 * high:.2f}",
                f"{row['errors']:,}",
                *(f"{value:.2%}" for value in row["rejecting"].values()),
                "" if row is record["rows"][0] else probability(row["mcnemar"]),
                f"{timed[method]['whole_us']:.1f}" if method in timed else "",
                timed[method]["form"] if method in timed else "",
                f"{row['bytes'] / 1000:,.0f}",
                f"{row['train_seconds']:.1f}",
                "" if row["peak_bytes"] is None else f"{row['peak_bytes'] / 2**20:.0f}",
                f"{paper[method]:.2f} %" if method in paper else "",
            )
        )
    told = [any(column) for column in zip(*rows, strict=True)]
    return Table(tuple(compress(titles, told)), tuple(tuple(compress(row, told)) for row in rows))


def in_common(record: Record) -> str:
    """How many pictures all methods misread, and how many most of them do: another classifier can hardly read these.

    >>> decided = {"a": {"decisions": [1, 1, 1]}, "b": {"decisions": [1, 0, 1]}, "c": {"decisions": [1, 1, 0]}}
    >>> in_common({"truth": [0, 0, 0], "pictures": decided})
    'All 3 methods misread 1 of them; more than half of the methods misread 3.'
    """
    truth = np.array(record["truth"])
    wrong = np.array([np.array(of["decisions"]) != truth for of in record["pictures"].values()])
    shared, mostly = np.sum(wrong.all(axis=0)), np.sum(2 * wrong.sum(axis=0) > len(wrong))
    return f"All {len(wrong)} methods misread {shared:,} of them; more than half of the methods misread {mostly:,}."


def reported(record: Record) -> dict[str, float]:
    """Accuracy in percent of the methods that the paper reports on the same data and protocol."""
    protocol = record["protocol"].split()[0]
    for data, of in TEXTS["paper"].items():
        figures: dict[str, float] = of.get(protocol, of.get("any", {}))
        if figures and record["data"].startswith(data):
            return figures if is_refined(record) else figures | {"lpdpl": figures["lpdpl-plain"]}
    return {}


def is_refined(record: Record) -> bool:
    """Whether the project's own method was trained with refinement."""
    return record.get("recipe", {}).get("refinement", True) is not None


def title_in(record: Record, method: str) -> str:
    """What the tables and figures of a record call a method.

    >>> title_in({"recipe": {"refinement": None}}, "lpdpl")
    'LpDPL'
    """
    return method_title(method, is_refined(record))


def probability(value: float) -> str:
    """A p value with two digits, or `< 0.0001`.

    >>> probability(0.03124), probability(1e-9)
    ('0.031', '< 0.0001')
    """
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def summary(records: list[Record]) -> Table:
    """Accuracy of every method, one column per table. The cell of a method that was not run is empty."""
    titles = [f"{record['data']} {record['protocol'].replace(' --', ', ')}" for record in records]
    right = [
        {title_in(record, row["method"]): f"{row['accuracy']:.2%}" for row in record["rows"]} for record in records
    ]
    methods = [method.title for method in METHODS.values() if any(method.title in column for column in right)]
    rows = ((title, *(column.get(title, "") for column in right)) for title in methods)
    return Table(("method", *titles), tuple(rows))


def settings(methods: list[str]) -> Table:
    """Source and settings of each of these methods."""
    rows = ((METHODS[name].title, METHODS[name].source, METHODS[name].how) for name in METHODS if name in methods)
    return Table(("method", "source", "settings"), tuple(rows), words=True)


def behind(record: Record) -> Table | None:
    """Percentage points by which each method is less accurate than the first; None where there is only one method."""
    points = [point for point in record["points"] if "behind" in point]
    methods = list(dict.fromkeys(point["method"] for point in points))
    if not methods:
        return None
    places = list(dict.fromkeys((point.get("distortion", ""), point["x"]) for point in points))
    found = {(point["method"], point.get("distortion", ""), point["x"]): point for point in points}
    rows = []
    for distortion, x in places:
        cells = [f"{distortion} {x:g}".strip()]
        for method in methods:
            point = found[method, distortion, x]
            low, high = (100 * end for end in point["behind_interval"])
            cells.append(f"{100 * point['behind']:.2f} ({low:.2f} to {high:.2f})")
        rows.append(tuple(cells))
    return Table(("at", *(title_in(record, method) for method in methods)), tuple(rows))


def stream(record: Record) -> Table:
    """Cost and accuracy of training on more pictures than fit into memory."""
    peak = record["peak_bytes"]
    rows = [
        ("pictures trained on", f"{record['pictures']:,} from {record['sources']:,} sources"),
        ("peak memory of the process", "unknown" if peak is None else f"{peak / 2**20:,.0f} MB"),
        ("seconds, on one thread of a shared machine", f"{record['seconds']:,.0f}"),
        ("accuracy on the first source, which was not trained on", f"{record['held_out_accuracy']:.2%}"),
    ]
    for test in record["tests"]:
        low, high = test["interval"]
        words = f"{test['accuracy']:.2%} ({100 * low:.2f} to {100 * high:.2f}) of {test['n']:,}"
        rows.append((f"accuracy on {test['data']}, real handwriting", words))
    return Table(("", "LpDPL, profile edge"), tuple(rows))


def unseen(record: Record) -> Table:
    """Accepted share of each set of pictures, one column per method."""
    methods = list(dict.fromkeys(point["method"] for point in record["points"]))
    sets = list(dict.fromkeys((point["set"], point["n"]) for point in record["points"]))
    accepted = {(point["set"], point["method"]): point["accepted"] for point in record["points"]}
    rows = ((f"{name} ({count:,})", *(f"{accepted[name, method]:.1%}" for method in methods)) for name, count in sets)
    return Table(("pictures", *(title_in(record, method) for method in methods)), tuple(rows))


def machine(record: Record) -> str:
    """The machine and the versions of packages, in one sentence."""
    of = record["machine"]
    packages = ("python", "numpy", "numba", "scipy", "scikit-learn", "torch")
    versions = ", ".join(f"{name} {of[name]}" for name in packages if of.get(name))
    board = of.get("board") or of["cpu"]
    return f"{board} ({of['arch']}, {of['cores']} cores), {of['system']}; {versions}; edge-lpdpl {record['version']}."
