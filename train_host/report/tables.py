"""Records as tables of words and numbers."""

from typing import Any

from train_host.report.document import Table

Record = dict[str, Any]
PAPER = {
    ("chinese", "conventional"): {"lpdpl-plain": 98.53, "indpl": 93.00, "src": 96.28, "dlsi": 97.80, "lc-ksvd1": 95.23}
    | {"lc-ksvd2": 95.24, "googlenet": 99.83, "mobilenet-v2": 98.55, "squeezenet": 98.53},
    ("chinese", "within-subject"): {"lpdpl-plain": 98.56, "indpl": 93.13},
    ("chinese", "between-subject"): {"lpdpl-plain": 98.07, "indpl": 97.53},
    ("madbase", ""): {"src": 97.13, "lenet-5": 88.00, "dpl": 98.25, "lpdpl-plain": 98.75},
    ("usps", "standard"): {"src": 81.81, "dlsi": 96.13, "lc-ksvd1": 91.25, "lc-ksvd2": 91.10, "dpl": 96.68}
    | {"lpdpl-plain": 97.17},
}
"""Percent right that the paper reports (its Tables 1, 2, 4, 5 and section 3.2), by data and protocol."""


def accuracy(record: Record, latency: Record | None) -> Table:
    """A row a method: what it reads right, what it costs, and what the paper reports of it."""
    paper = reported(record)
    times = {point["method"]: point["whole_us"] for point in latency["points"]} if latency else {}
    titles = ["method", "right", "95 % interval", "errors", "1 % rejected", "5 % rejected", "p"]
    titles += ["us a picture", "kB", "training s", "training MB", "the paper"]
    rows = []
    for row in record["rows"]:
        method = row["method"]
        low, high = row["interval"]
        title = f"{row['title']} ({row['note']})" if row.get("note") else row["title"]
        rows.append(
            (
                title,
                f"{row['accuracy']:.2%}",
                f"{100 * low:.2f} to {100 * high:.2f}",
                f"{row['errors']:,}",
                *(f"{value:.2%}" for value in row["rejecting"].values()),
                "" if row is record["rows"][0] else probability(row["mcnemar"]),
                f"{times[method]:.1f}" if method in times else "",
                f"{row['bytes'] / 1000:,.0f}",
                f"{row['train_seconds']:.1f}",
                "" if row["peak_bytes"] is None else f"{row['peak_bytes'] / 2**20:.0f}",
                f"{paper[method]:.2f} %" if method in paper else "",
            )
        )
    return Table(tuple(titles), tuple(rows))


def reported(record: Record) -> dict[str, float]:
    """Percent right of the methods for which the paper reports the same data and protocol."""
    protocol = record["protocol"].split()[0]
    for (data, of), figures in PAPER.items():
        if record["data"].startswith(data) and of in ("", protocol):
            plain = record.get("recipe", {}).get("refinement", True) is None  # then both names mean the same
            return figures | {"lpdpl": figures["lpdpl-plain"]} if plain else figures
    return {}


def probability(value: float) -> str:
    """A p value as short as it can be told.

    >>> probability(0.03124), probability(1e-9)
    ('0.031', '< 0.0001')
    """
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def unseen(record: Record) -> Table:
    """Share of each set that is accepted, a column a method."""
    methods = list(dict.fromkeys(point["method"] for point in record["points"]))
    sets = list(dict.fromkeys((point["set"], point["n"]) for point in record["points"]))
    accepted = {(point["set"], point["method"]): point["accepted"] for point in record["points"]}
    rows = ((f"{name} ({count:,})", *(f"{accepted[name, method]:.1%}" for method in methods)) for name, count in sets)
    return Table(("pictures", *methods), tuple(rows))


def machine(record: Record) -> str:
    """The machine and the versions in one sentence."""
    of = record["machine"]
    packages = ("python", "numpy", "numba", "scipy", "scikit-learn", "torch")
    versions = ", ".join(f"{name} {of[name]}" for name in packages if of.get(name))
    board = of.get("board") or of["cpu"]
    return f"{board} ({of['arch']}, {of['cores']} cores), {of['system']}; {versions}; edge-lpdpl {record['version']}."
