"""Writes the page: the order of tables and figures, and the text between them."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.files.atomic import write_atomically
from train_host.baselines.methods import METHODS
from train_host.compare import STUDIES, Record
from train_host.compare.run import read_records
from train_host.progress import bar
from train_host.report import accuracy_figures, study_figures, tables
from train_host.report.cost_figure import cost
from train_host.report.document import TEXTS, Block, Commands, Figure, Heading, Paragraph, to_html, to_markdown
from train_host.report.merge import merge_tables

DIFFERENCES = ("samples", "robustness")
"""Studies of several methods, which also get a table of differences."""
FEWEST_FOR_FIGURES = 3
"""Fewest methods in a table for which all figures are drawn and common errors are counted."""
CHOSEN_ON = ("chinese", "madbase", "usps")
"""Data sets that the paragraph `chosen` of the introduction is about."""
USUAL = [name for name, method in METHODS.items() if not method.on_request]
"""Methods whose absence the page names."""


def write_report(folder: Path, page: Path, markdown: Path | None) -> dict[str, Any]:
    """Write the page as HTML and, if asked for, as Markdown with figure files. Returns what was written.

    Figures that show pictures of the data set are only in the HTML file.

    Args:
        folder: of the comparison; its records are read.
        page: the HTML file.
        markdown: the Markdown file; figures go to a folder beside it. None writes none.

    Raises:
        TrainingError: there are no records in the folder, or a file cannot be written.
    """
    records = read_records(folder)
    for place in (page.parent, *([markdown.parent] if markdown else [])):
        if not place.is_dir():
            raise TrainingError(f"there is no folder {place}; make it first")
    blocks = list(bar("report", page_blocks(records), unit=" blocks"))
    written = []
    try:
        if markdown is not None:
            figures = markdown.with_suffix("")
            figures.mkdir(parents=True, exist_ok=True)
            ours = [block for block in blocks if not (isinstance(block, Figure) and block.shows_data)]
            for block in ours:
                if isinstance(block, Figure):
                    write_atomically(figures / f"{block.name}.png", block.png)
                    written.append(os.fspath(figures / f"{block.name}.png"))
            write_atomically(markdown, to_markdown(ours, figures.name).encode())
            written.append(os.fspath(markdown))
        write_atomically(page, to_html(blocks, TEXTS["title"]).encode())
    except OSError as error:
        raise TrainingError(f"{error.filename or page}: cannot be written ({error.strerror})") from error
    return {"records": len(records), "written": [*written, os.fspath(page)]}


def page_blocks(records: list[Record]) -> Iterator[Block]:
    """The blocks of the page, in their order."""
    yield Heading(TEXTS["title"], 1)
    yield from (Paragraph(TEXTS["introduction"][name]) for name in introduction(_of(records, "table")))
    for line in dict.fromkeys(map(tables.machine, records)):
        yield Paragraph(line)
    records = _with_stems(sorted(merge_tables(records), key=_place))
    yield Heading("Methods and their settings")
    methods = [row["method"] for record in _of(records, "table") for row in record["rows"]]
    yield tables.settings(methods)
    in_short = [record for record in _of(records, "table") if not any(_place(record)[:2])]
    if in_short:
        yield Heading("In short")
        yield Paragraph(TEXTS["in_short"])
        yield tables.summary(in_short)
    for record in _of(records, "table"):
        yield from _table_blocks(record, _latency_of(record, _of(records, "latency")))
    for kind in STUDIES:
        for record in _of(records, kind):
            yield from _study_blocks(record)
    for record in _of(records, "stream"):
        yield Heading(TEXTS["stream"]["title"])
        yield Paragraph(TEXTS["stream"]["trained"])
        yield tables.stream(record)
        yield Commands((record["command"],))


def introduction(found: list[Record]) -> Iterator[str]:
    """Names of the paragraphs before the tables: only what is true of these tables is said.

    >>> list(introduction([{"data": "digits", "protocol": "conventional", "rows": []}]))
    ['compared', 'reading']
    """
    methods = [{row["method"] for row in record["rows"]} for record in found]
    yield "compared"
    if any(METHODS[name].sees == "pixels" for own in methods for name in own):
        yield "networks"
    if any(record["data"].startswith(CHOSEN_ON) for record in found):
        yield "chosen"
    yield "reading"
    if any(tables.reported(record).keys() & own for record, own in zip(found, methods, strict=True)):
        yield "paper"


def _table_blocks(record: Record, latency: Record | None) -> Iterator[Block]:
    title = _title(record)
    yield Heading(title)
    tested = len(record["truth"])
    few = len(record["rows"]) < FEWEST_FOR_FIGURES
    shared = "" if few else f" {tables.in_common(record)}"
    yield Paragraph(f"{record['pictures_of']:,} pictures, {tested:,} tested, seed {record['seed']}.{shared}")
    if record["data"].startswith("synthetic"):
        yield Paragraph(TEXTS["table"]["synthetic"])
    yield tables.accuracy(record, latency)
    yield Commands((*record["commands"], *([latency["command"]] if latency else [])))
    own = record["rows"][0]["method"]
    run = {tables.title_in(record, row["method"]) for row in record["rows"]}
    absent = [title for title in dict.fromkeys(tables.title_in(record, name) for name in USUAL) if title not in run]
    if absent:
        yield Paragraph(f"Not run here: {'; '.join(absent)}.")
    if latency and not few:
        caption = "Accuracy against cost: up and to the left is better."
        yield Figure(f"{record['stem']}-cost", f"{caption} {title}.", cost(record, latency))
    if "--splits" in record["protocol"]:
        return
    drawn = {
        "confusion": ("Confusion matrix in percent", accuracy_figures.confusion(record, own)),
        "objective": ("Objective against iterations, first split", accuracy_figures.objective(record)),
        "rejection": ("Accuracy against rejection rate", accuracy_figures.rejection(record)),
        "reliability": ("Reliability of the confidence", accuracy_figures.reliability(record, own)),
        "mistakes": (f"Misread by {tables.title_in(record, own)}", accuracy_figures.mistakes(record)),
    }
    for kind, (caption, png) in drawn.items():
        if png is not None and not (few and kind in ("confusion", "objective", "rejection")):
            yield Figure(f"{record['stem']}-{kind}", f"{caption}, {title}.", png, shows_data=kind == "mistakes")


def _study_blocks(record: Record) -> Iterator[Block]:
    kind, title = record["kind"], _title(record)
    yield Heading(f"{STUDIES[kind]}: {title}")
    if kind == "unseen":
        yield Paragraph(TEXTS["unseen"]["threshold"].format(share=record["false_rejects"]))
        yield tables.unseen(record)
    else:
        bands = "; bands are 95 % intervals" if "interval" in (record["points"] or [{}])[0] else ""
        png = getattr(study_figures, kind)(record)
        yield Figure(f"{record['stem']}-{kind}", f"{STUDIES[kind]}, {title}; first split{bands}.", png)
    if kind in DIFFERENCES and (behind := tables.behind(record)):
        yield Paragraph(TEXTS["behind"])
        yield behind
    yield Commands((record["command"],))


def _place(record: Record) -> tuple[bool, bool, bool]:
    """Sort key on the page: augmented copies are last, before them the paper's profile and partial protocols."""
    recipe = record["recipe"]
    return bool(recipe["jitter"]), recipe["profile"] == "paper", "--splits" in record.get("protocol", "")


def _of(records: list[Record], kind: str) -> list[Record]:
    return [record for record in records if record["kind"] == kind]


def _title(record: Record) -> str:
    copies = ", trained on augmented copies too" if record["recipe"]["jitter"] else ", no augmented copies"
    return f"{record['data']}, {record['protocol']}, profile {record['recipe']['profile']}{copies}"


def _latency_of(record: Record, latencies: list[Record]) -> Record | None:
    """The times for a table: the record, on the same data and recipe, with most of its methods; if equal, the newest.

    The augmented copies and the protocol may differ. None where no record has any of the methods.
    """
    methods = {row["method"] for row in record["rows"]}

    def timed(latency: Record) -> int:
        return len(methods.intersection(point["method"] for point in latency["points"]))

    wanted = _without_copies(record)
    fitting = [latency for latency in latencies if _without_copies(latency) == wanted and timed(latency)]
    return max(fitting, key=lambda latency: (timed(latency), latency["written"]), default=None)


def _without_copies(record: Record) -> tuple[str, Record]:
    """Digest of the data, and the recipe without augmented copies."""
    return record["digest"], record["recipe"] | {"jitter": None, "camera": None}


def _with_stems(records: list[Record]) -> list[Record]:
    """Records with `stem`, the start of their figures' names. Stems that would be equal get the record's run."""
    names = [_stem(record) for record in records]
    taken = Counter((name, record["kind"]) for name, record in zip(names, records, strict=True))
    return [
        record | {"stem": name if taken[name, record["kind"]] == 1 else f"{name}-{record['run']}"}
        for name, record in zip(names, records, strict=True)
    ]


def _stem(record: Record) -> str:
    copies = "-copies" if record["recipe"]["jitter"] else ""
    name = f"{record.get('data')}-{record.get('protocol')}-{record['recipe']['profile']}{copies}"
    return re.sub(r"[^a-z0-9]+", "-", name.lower())
