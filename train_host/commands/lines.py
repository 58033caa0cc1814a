"""`lpdpl-train lines` and `lpdpl-train score-numbers`."""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.atomic import check_drawing, spare_inputs
from edge_lpdpl.files.text import print_result

if TYPE_CHECKING:  # both import numpy
    from edge_lpdpl.model.model import Model
    from train_host.lines.pictures import Labelled


def add_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add both commands to those of `lpdpl-train`."""
    make = commands.add_parser("lines", parents=[common], help="learn from drawn numbers how lines are put together")
    make.add_argument("model", metavar="MODEL", help="a model file that has not seen the characters of the scenes")
    make.add_argument("scenes", type=Path, nargs="+", metavar="FOLDER", help="that lpdpl-train scenes wrote")
    make.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.json")
    make.add_argument("--widest", type=float, default=0.45, help="wider parts are cut, in sizes (%(default)s)")
    make.add_argument("--joined", type=float, default=1.35, help="width of what is joined, in sizes (%(default)s)")
    make.add_argument("--usual", default="0", help="character whose size stands for unknown ones (%(default)s)")
    make.add_argument("--columns", action="store_true", help="the numbers are columns of Chinese characters")
    make.add_argument(
        "--confidences", action="store_true", help="keep the weights of the package, count only how sure numbers are"
    )
    make.set_defaults(run=_make)
    score = commands.add_parser("score-numbers", parents=[common], help="how often whole numbers are read right")
    score.add_argument("model", metavar="MODEL", help="a model file, or the name of a shipped model")
    score.add_argument(
        "folder", type=Path, metavar="FOLDER", help="pictures with numbers.csv (FILE,NUMBER), or drawn scenes"
    )
    score.add_argument("--columns", action="store_true", help="the numbers are columns of Chinese characters")
    score.add_argument("--drawing", type=Path, metavar="FILE.png", help="draw accepted against wrong")
    score.add_argument("--backend", choices=("auto", "numba", "numpy"), default="auto")
    score.set_defaults(run=_score)


def _make(options: argparse.Namespace) -> None:
    import json

    from edge_lpdpl.files.atomic import write_atomically
    from edge_lpdpl.library.models import find_model
    from edge_lpdpl.number.grammar import marks_for
    from edge_lpdpl.numeral.recogniser import Recogniser
    from train_host.lines.make import as_table, count_anew, make_lines
    from train_host.lines.pictures import read_labelled

    for folder in options.scenes:
        spare_inputs(options.output, folder)
    recogniser = Recogniser.load(find_model(options.model))
    pictures = [one for folder in options.scenes for one in read_labelled(folder, options.columns) if one.text]
    sizes = options.widest, options.joined, options.columns
    if options.confidences:
        lines, count = count_anew(recogniser, pictures, *sizes), len(pictures)
    else:
        lines, count = make_lines(recogniser, pictures, *sizes)
    labels = recogniser.model.labels
    table = as_table(lines, [*(one.character for one in labels), *marks_for(labels)], options.usual)
    write_atomically(options.output, (json.dumps(table, ensure_ascii=False, indent=1) + "\n").encode())
    done = {"file": str(options.output), "pictures": len(pictures), "lines": count, "sure": table["sure"]}
    print_result(options.json, done, f"{options.output}: learned from {count} lines of {len(pictures)} pictures")


def _score(options: argparse.Namespace) -> None:
    from edge_lpdpl.files.atomic import write_atomically
    from edge_lpdpl.library.models import find_model
    from edge_lpdpl.number.pictures.confirming import ConfirmingReader
    from edge_lpdpl.number.weights import STRICTNESS, line_model
    from edge_lpdpl.numeral.recogniser import Recogniser
    from train_host.lines.score import all_sure, read_all, share_at

    model, drawing = find_model(options.model), options.drawing
    if drawing:
        check_drawing(drawing, options.folder, model)
    recogniser = Recogniser.load(model, options.backend)
    pictures = _numbers_of(recogniser.model, options.folder, options.columns)
    known = line_model(recogniser.model.labels, options.columns)
    make = partial(ConfirmingReader, recogniser, lines=all_sure(known), turned=options.columns)
    outcomes = read_all(pictures, make)
    if not outcomes:
        raise EdgeError(f"{options.folder}: has no pictures; give at least one")
    if not any(one.text for one in outcomes):
        raise EdgeError(f"{options.folder}: shows no number; make the scenes with --kind numbers")
    shares = [share_at(outcomes, confidence) for confidence in known.sure]
    if drawing:
        from train_host.lines.drawing import draw_shares

        write_atomically(drawing, draw_shares(outcomes, dict(zip(STRICTNESS, shares, strict=True))))
    found = {
        "pictures": len(outcomes),
        "read": sum(one.is_read for one in outcomes),
        "settings": [
            {"wrong_per_thousand": strictness, "right": round(share.accepted, 6), "wrong": round(share.wrong, 6)}
            for strictness, share in zip(STRICTNESS, shares, strict=True)
        ],
    }
    print_result(options.json, found, _score_text(found))


def _numbers_of(model: "Model", folder: Path, columns: bool) -> "Iterator[Labelled]":
    """The pictures of a folder, whose numbers the model could read.

    Raises:
        EdgeError: one shows no number of the model's script: it would count as an error of the model.
    """
    from edge_lpdpl.number.grammar import grammar_for
    from train_host.lines.pictures import read_labelled

    grammar = grammar_for(model.labels)
    for one in read_labelled(folder, columns):
        if one.text and grammar.digits(one.text) is None:
            fault = f"{one.text[:40]!r} is no number of {model.name}; correct it, or take another model"
            raise EdgeError(f"{folder / one.file}: {fault}")
        yield one


def _score_text(found: dict[str, Any]) -> str:
    pictures, read = found["pictures"], found["read"]
    lines = [f"{pictures} pictures, {read} numbers read right, doubtful ones included ({read / pictures:.1%})"]
    lines.append("  wrong_per_thousand  accepted, right  accepted, wrong")
    rows: Sequence[dict[str, Any]] = found["settings"]
    lines += [f"  {row['wrong_per_thousand']:18d}  {row['right']:15.1%}  {row['wrong']:15.1%}" for row in rows]
    return "\n".join(lines)
