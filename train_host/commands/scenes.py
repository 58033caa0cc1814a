"""`lpdpl-train scenes` and `lpdpl-train scenes-score`."""

import argparse
from pathlib import Path
from typing import Any

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.atomic import check_drawing, spare_inputs
from edge_lpdpl.files.text import print_result
from train_host.commands.spans import span, spans, whole_number
from train_host.scenes.options import KINDS, LAYOUTS, SceneOptions

_MOST_SCENES = 100_000
_SHARES_OF_NUMBERS = {
    "boxed": "numbers in entry boxes",
    "marked": "numbers with points, commas, a minus",
    "underlined": "numbers on a printed line",
}
_AS_NAMED = ("kind", "layout", "seed", "gap", *_SHARES_OF_NUMBERS)
"""Options that `SceneOptions` has by the same name."""


def add_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add both commands to those of `lpdpl-train`."""
    make = commands.add_parser("scenes", parents=[common], help="draw camera frames of numerals on paper, with truth")
    make.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER", help="a new or empty folder")
    make.add_argument("--count", type=whole_number(1, _MOST_SCENES), default=100, help="number of scenes (%(default)s)")
    make.add_argument("--seed", type=whole_number(0), default=0)
    make.add_argument("--numerals", type=span, default=(1, 1), metavar="N or N-M", help="per scene, 1 to 12 (1)")
    make.add_argument("--layout", choices=LAYOUTS, default="row")
    make.add_argument("--kind", choices=KINDS, default="numerals", help="nothing: each kind without numerals in turn")
    make.add_argument("--source", default="synthetic:writers=20,size=128", metavar="DATA", help="data set, as for fit")
    make.add_argument("--writers", type=spans, metavar="N-M,...", help="writers of the source; default: all")
    make.add_argument(
        "--gap",
        type=_shares,
        default=(-0.05, 0.45),
        metavar="A,B",
        help="in numbers, of their height (--gap=-0.05,0.45)",
    )
    for share, text in _SHARES_OF_NUMBERS.items():
        make.add_argument(f"--{share}", type=float, default=0.0, metavar="SHARE", help=f"{text} (%(default)s)")
    make.add_argument("--size", type=_size, default=(640, 480), metavar="WxH", help="size of the frames (640x480)")
    make.set_defaults(run=_make)
    score = commands.add_parser("scenes-score", parents=[common], help="read scenes with a model, as the service does")
    score.add_argument("model", metavar="MODEL", help="a model file, or the name of a shipped model")
    score.add_argument("scenes", type=Path, metavar="FOLDER", help="folder that lpdpl-train scenes wrote")
    score.add_argument("--failures", type=Path, metavar="FILE.png", help="draw the first scenes that were misread")
    score.add_argument("--backend", choices=("auto", "numba", "numpy"), default="auto")
    score.set_defaults(run=_score)


def _make(options: argparse.Namespace) -> None:
    from train_host.datasets import open_dataset
    from train_host.scenes.folder import write_scenes
    from train_host.scenes.inks import Inks

    fewest, most = options.numerals
    width, height = options.size
    for share in _SHARES_OF_NUMBERS:
        if getattr(options, share) and options.kind != "numbers":
            raise EdgeError(f"--{share} is a share of numbers; give --kind numbers")
    named = {name: getattr(options, name) for name in _AS_NAMED}
    asked = SceneOptions(fewest=fewest, most=most, width=width, height=height, **named)
    spare_inputs(options.output, options.source)
    dataset = open_dataset(options.source).written_by(options.writers)
    done = write_scenes(options.output, Inks(dataset), asked, options.count)
    text = f"{done['folder']}: {done['scenes']} scenes with {done['numerals']} numerals of {done['source']}"
    print_result(options.json, done, text)


def _score(options: argparse.Namespace) -> None:
    from edge_lpdpl.drawing.decision import save_png
    from edge_lpdpl.library.models import find_model
    from train_host.scenes.folder import read_scenes
    from train_host.scenes.scoring import MOST, Outcome, draw_failures, score_scenes

    model, sheet = find_model(options.model), options.failures
    if sheet:
        check_drawing(sheet, options.scenes, model)
    failures: list[Outcome] = []

    def watch(outcome: Outcome) -> None:
        if not outcome.is_whole and len(failures) < MOST:
            failures.append(outcome)

    scenes = read_scenes(options.scenes)
    found = score_scenes(model, scenes, backend=options.backend, watch=watch)
    if sheet:
        save_png(draw_failures(failures), sheet)
    print_result(options.json, found, _score_text(found))


def _score_text(found: dict[str, Any]) -> str:
    numerals = found["numerals"]
    lines = [f"{found['scenes']} scenes, {found['whole_scenes']} read completely and with no false decision"]
    if numerals:
        lines.append(f"  numerals        {numerals}")
        for name, text in (("found", "found"), ("read", "read right"), ("read_in_order", "in right order")):
            lines.append(f"  {text:14s}  {found[name]} ({found[name] / numerals:.2%})")
        lines.append(f"  read wrong      {found['wrong']}; the others were rejected or not found")
    kinds = ", ".join(f"{kind} {count}" for kind, count in found["false_by_kind"].items() if count)
    return "\n".join([*lines, f"  false decisions {found['false_decisions']}" + (f" ({kinds})" if kinds else "")])


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not all(part.isascii() and part.isdigit() and len(part) <= 5 for part in (width, height)):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a size such as 640x480")
    return int(width), int(height)


def _shares(text: str) -> tuple[float, float]:
    low, _, high = text.partition(",")
    try:
        return float(low), float(high)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not two numbers, as in --gap=-0.05,0.45") from None
