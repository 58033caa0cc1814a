"""`lpdpl-train compare`, `report`, `tune` and `stream`.

They compare methods, write the page of results, find settings, and train on more data than fits into memory.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.atomic import check_place
from edge_lpdpl.files.text import print_result, table
from train_host.commands.recipe import plain_options, recipe_of
from train_host.commands.spans import whole_number
from train_host.compare import KINDS
from train_host.splits import BETWEEN_SUBJECT, CONVENTIONAL, PROTOCOLS

FOLDER = Path("comparison")
KEPT = "finished cells are kept: the same command continues"
FOLDS = 10


def add_commands(commands: Any, trained: Sequence[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    """Add the commands to `lpdpl-train`.

    Args:
        trained: parsers of the options for data, recipe and output.
    """
    compare = commands.add_parser("compare", parents=trained, help="compare methods on the same features and folds")
    compare.add_argument("--protocol", choices=PROTOCOLS, help="needed unless --only names an experiment")
    text = "run an experiment of docs/results.md on the data sets in the folder DATA; NAME/METHOD: one row; or all"
    compare.add_argument("--only", metavar="NAME", help=text)
    add_parts(compare)
    compare.add_argument("--splits", type=int, metavar="N", help="only the first N splits; default: all")
    compare.add_argument("--plan", action="store_true", help="print how long the table would take, and stop")
    compare.add_argument("--methods", help="such as lpdpl,dpl,rbf-svm; default: all that are installed")
    text = f"{', '.join(KINDS)}; several with commas, or all (%(default)s)"
    compare.add_argument("--kinds", default="table", help=text)
    _add_place(compare)
    _add_workers(compare)
    compare.set_defaults(run=lambda options: _compare(options, compare), kept=KEPT)
    tune = commands.add_parser("tune", parents=trained, help="find settings by folds of the training part")
    tune.add_argument("--try", dest="grid", action="append", default=[], metavar="NAME=V,V", help="such as atoms=8,12")
    _add_place(tune)
    _add_workers(tune)
    tune.set_defaults(run=_tune, kept=KEPT)
    _add_stream(commands, common)
    report = commands.add_parser("report", parents=[common], help="write what was compared as one page")
    _add_place(report)
    report.add_argument("--html", type=Path, default=Path("results.html"), help="page to write, with all figures in it")
    report.add_argument("--markdown", type=Path, help="Markdown page, such as docs/results.md; figures go beside it")
    report.set_defaults(run=_report)


def _add_stream(commands: Any, common: argparse.ArgumentParser) -> None:
    parents = [plain_options(), common]
    stream = commands.add_parser("stream", parents=parents, help="train on more data than fits into memory")
    stream.add_argument("data", nargs="+", metavar="DATA", help="sources; the first calibrates, the others train")
    stream.add_argument("-o", "--output", required=True, metavar="MODEL", help="file to write")
    stream.add_argument(
        "--seeds", type=whole_number(1), default=1, help="open every synthetic source with this many seeds"
    )
    stream.add_argument("--test", action="append", default=[], metavar="DATA", help="real data to test the model on")
    stream.add_argument("--folder", type=Path, help="keep a record for lpdpl-train report here")
    stream.set_defaults(plain=True, fixed_subspace=False, no_copies=True, drawn=0, lines=0)
    stream.set_defaults(wide_copies=False, bent_copies=False)
    stream.set_defaults(run=_stream)


def _stream(options: argparse.Namespace) -> None:
    from joblib import parallel_config

    from train_host.compare.run import keep_record
    from train_host.compare.table import read_real
    from train_host.datasets import open_dataset
    from train_host.shipping.export import model_name
    from train_host.shipping.stream import fit_stream

    recipe = recipe_of(options)
    sources = [source for named in options.data for source in _with_seeds(named, options.seeds)]
    output = Path(options.output)
    check_place(output, *sources, *options.test)
    name = model_name(output.stem)
    real = [open_dataset(data) for data in options.test]  # first, so that a wrong name is reported at once
    with parallel_config(n_jobs=options.jobs):
        found = fit_stream(sources, options.output, recipe, name=name, tests=real)
    found["tests"] = [read_real(options.output, data) for data in real]
    if options.folder:
        inputs = [*sources, *(data.digest for data in real)]
        keep_record(options.folder, f"stream-{name}-{recipe.seed}", found | {"kind": "stream"}, recipe, inputs)
    print_result(options.json, found, _streamed(found))


def _with_seeds(source: str, seeds: int) -> list[str]:
    """A source with every seed from 0 to seeds - 1; the source itself if one seed is wanted or it is not synthetic."""
    word, _, asked = source.partition(":")
    if word != "synthetic" or seeds == 1:
        return [source]
    if "seed=" in asked:
        raise EdgeError(f"{source}: has its own seed, and --seeds asks for {seeds}; leave out one of them")
    return [f"{word}:{asked}{',' if asked else ''}seed={seed}" for seed in range(seeds)]


def _streamed(found: dict[str, Any]) -> str:
    peak = "" if found["peak_bytes"] is None else f", {found['peak_bytes'] / 2**20:,.0f} MB at the peak"
    lines = [
        f"{found['model']}: LpDPL on {found['pictures']:,} pictures of {found['sources']} sources{peak}",
        f"  held-out        {found['held_out_accuracy']:.2%} right (first source)",
        *(f"  {test['data']:<15} {test['accuracy']:.2%} of {test['n']:,} right" for test in found["tests"]),
        f"  took            {found['seconds']:.0f} s",
    ]
    return "\n".join(lines)


def add_parts(command: argparse.ArgumentParser) -> None:
    """Add the options that say into how many parts a protocol splits the data."""
    command.add_argument("--folds", type=whole_number(2), help=f"folds of the conventional protocol ({FOLDS})")
    text = "groups of writers of the between-subject protocol; default: one writer at a time"
    command.add_argument("--groups", type=whole_number(2), help=text)


def parts_of(options: argparse.Namespace, protocol: str | None) -> dict[str, Any]:
    """`folds` and `groups` for a protocol.

    Raises:
        EdgeError: one of them is given and the protocol does not use it.
    """
    for option, said, user in (("--folds", options.folds, CONVENTIONAL), ("--groups", options.groups, BETWEEN_SUBJECT)):
        if said is not None and protocol != user:
            raise EdgeError(f"{option} applies only to the protocol {user}: leave it out")
    return {"folds": options.folds or FOLDS, "groups": options.groups}


def _add_place(command: argparse.ArgumentParser) -> None:
    command.add_argument("--folder", type=Path, default=FOLDER, help="where cells and records are kept")


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--backend", choices=("local", "dask"), default="local", help="where jobs run")
    command.add_argument("--scheduler", metavar="ADDRESS", help="address of a dask cluster, such as tcp://host:8786")


def _compare(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    from train_host.compare.run import workers

    named = [options] if options.only is None else list(_experiments(options, parser))
    with workers(options.jobs, options.backend, options.scheduler):
        found = [_compare_one(one, recipe_of(one)) for one in named]
    print_result(options.json, [part for parts, _ in found for part in parts], "\n".join(text for _, text in found))


def _experiments(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Iterator[argparse.Namespace]:
    """The options of each experiment that `--only` names."""
    from train_host.compare.run import experiment_words

    if options.protocol or len(options.data) != 1:
        raise EdgeError("--only needs one folder of data sets, and no protocol: the experiment has its own")
    for words in experiment_words(options.only, Path(options.data[0])):
        own = parser.parse_args(words)
        for name in ("folder", "jobs", "json", "quiet", "plan"):
            setattr(own, name, getattr(options, name))
        yield own


def _compare_one(options: argparse.Namespace, recipe: Any) -> tuple[list[dict[str, Any]], str]:
    """What one comparison found, for programs and for people."""
    from train_host.compare.bench import Bench, Protocol
    from train_host.compare.run import run_comparison
    from train_host.compare.table import plan_table, usual_methods
    from train_host.datasets import open_datasets

    if options.protocol is None:
        raise EdgeError("name a --protocol, or an experiment with --only")
    if options.splits is not None and options.splits < 1:
        raise EdgeError("--splits must be 1 or more")
    parts = parts_of(options, options.protocol)
    protocol = Protocol(options.protocol, **parts, first=options.splits)
    nothing_kept = options.plan and not options.folder.exists()
    bench = Bench(open_datasets(options.data), protocol, None if nothing_kept else options.folder)
    methods = usual_methods(recipe) if options.methods is None else options.methods.split(",")
    if options.plan:
        rows = plan_table(bench, methods, recipe)
        return rows, _planned(rows)
    kinds = list(KINDS) if options.kinds == "all" else options.kinds.split(",")
    records = run_comparison(bench, methods, recipe, kinds)
    return records, "\n".join(map(_told, records))


def _planned(rows: list[dict[str, Any]]) -> str:
    """A plan as a table for people."""
    minutes = ["?" if row["seconds"] is None else f"{row['seconds'] / 60:.1f}" for row in rows]
    cells = [
        [row["method"], str(row["cells"]), str(row["missing"]), took] for row, took in zip(rows, minutes, strict=True)
    ]
    return table([["method", "cells", "missing", "minutes"], *cells], "<>>>")


def _told(record: dict[str, Any]) -> str:
    """A record as text for people."""
    head = f"{record['data']}, {record['protocol']}, {record['kind']}, seed {record['seed']}, {record['seconds']:.0f} s"
    if record["kind"] == "table":
        from train_host.report.tables import accuracy

        found = accuracy(record, None)
        return f"{head}\n{table([found.titles, *found.rows], '<' + '>' * (len(found.titles) - 1))}"
    if not record["points"]:
        return f"{head}\ndrawn by lpdpl-train report"
    titles = list(dict.fromkeys(title for point in record["points"] for title in point))
    rows = [[_number(point.get(title, "")) for title in titles] for point in record["points"]]
    return f"{head}\n{table([titles, *rows], '<' * len(titles))}"


def _number(value: Any) -> str:
    if isinstance(value, tuple | list) and all(isinstance(part, float) for part in value):
        return " to ".join(f"{part:.4g}" for part in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _tune(options: argparse.Namespace) -> None:
    from train_host.compare.run import workers
    from train_host.compare.tune import USUAL_GRID, tune
    from train_host.datasets import open_datasets
    from train_host.recipe import parse_grid

    recipe, dataset, grid = recipe_of(options), open_datasets(options.data), parse_grid(options.grid) or USUAL_GRID
    with workers(options.jobs, options.backend, options.scheduler):
        found = tune(dataset, recipe, grid, options.folder)
    print_result(options.json, found, _tuned(found))


def _tuned(found: dict[str, Any]) -> str:
    lines = [f"best of {len(found['trials'])} on {found['data']}, {found['protocol']}: {_settings(found['best'])}"]
    lines += [f"  {trial['accuracy']:.2%}  {_settings(trial['settings'])}" for trial in found["trials"]]
    taken = " ".join(f"--set {name}={value:g}" for name, value in found["best"].items())
    lines.append(f"train with it: lpdpl-train fit ... {taken}")
    return "\n".join(lines)


def _settings(settings: dict[str, float]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in settings.items())


def _report(options: argparse.Namespace) -> None:
    from train_host.report.write import write_report

    found = write_report(options.folder, options.html, options.markdown)
    print_result(options.json, found, "\n".join(found["written"]))
