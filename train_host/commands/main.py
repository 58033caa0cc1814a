"""`lpdpl-train`: fit, evaluate, score; the other commands are in `comparison`, `scenes` and `lines`."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import edge_lpdpl
from edge_lpdpl.commands.program import OK, OneLineParser, run_command
from edge_lpdpl.errors import EdgeError, ModelError, how_to_install
from edge_lpdpl.files.atomic import check_place
from edge_lpdpl.files.text import print_result, printable
from train_host.commands import comparison, lines, scenes
from train_host.commands.recipe import recipe_of, recipe_options
from train_host.commands.spans import spans
from train_host.progress import progress_bars
from train_host.splits import PROTOCOLS

EXTRA_TRAIN = ("scipy", "sklearn", "joblib", "tqdm", "h5py", "threadpoolctl", "matplotlib", "jinja2")
"""Modules of the extra `train`; a device with only the runtime has none of them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, see `edge_lpdpl.commands.program`."""
    options = _parser().parse_args(arguments)
    return run_command("lpdpl-train", lambda: _run(options), debug=options.debug)


def _run(options: argparse.Namespace) -> int:
    try:
        with progress_bars(not options.quiet):
            options.run(options)
    except KeyboardInterrupt:
        kept = getattr(options, "kept", "nothing was written")
        print(f"lpdpl-train: interrupted, {kept}", file=sys.stderr)
        raise
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRA_TRAIN:
            raise
        raise EdgeError(f"needs the extra train: {how_to_install('train')} ({missing} is missing)") from error
    return OK


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_argument("--quiet", action="store_true", help="no progress bars")
    common.add_argument("--debug", action="store_true", help="show where an error comes from")
    data = argparse.ArgumentParser(add_help=False)
    data.add_argument(
        "data",
        nargs="+",
        metavar="DATA",
        help="an archive or folder of pictures, or the words digits, synthetic, synthetic:writers=20,script=latin; "
        "several are joined",
    )
    parser: argparse.ArgumentParser = OneLineParser(
        prog="lpdpl-train", description="Train numeral readers on a workstation."
    )
    parser.add_argument("--version", action="version", version=f"lpdpl-train {edge_lpdpl.__version__}")
    trained = [data, recipe_options(), common]
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    fit = commands.add_parser("fit", parents=trained, help="train and export a model")
    fit.add_argument("-o", "--output", required=True, metavar="MODEL", help="file to write, such as mine.safetensors")
    text = "add the pictures to this data, or to a model; nothing is written that reads worse than it; repeatable"
    fit.add_argument("--base", action="append", metavar="MODEL|DATA", help=text)
    fit.add_argument("--name", help="name inside the model; default: the file's")
    fit.add_argument("--with-dictionaries", action="store_true", help="also keep the dictionaries in the file")
    fit.add_argument("--everything", action="store_true", help="also train on the set's own test part")
    fit.add_argument("--writers", type=spans, metavar="N-M,...", help="train on these writers alone; default: all")
    fit.add_argument("--sign", metavar="KEY", help="sign the model with this SSH key, into MODEL.sig")
    non_numerals = fit.add_mutually_exclusive_group()
    text = "a model that does not detect non-numerals"
    non_numerals.add_argument("--no-novelty", action="store_true", help=text)
    text = "detect non-numerals by distances alone: for numerals as plain as a dot, which suffer from a class of blots"
    non_numerals.add_argument("--distances-alone", action="store_true", help=text)
    fit.set_defaults(run=_fit)
    evaluate = commands.add_parser("evaluate", parents=trained, help="accuracy under a protocol")
    evaluate.add_argument("--protocol", required=True, choices=PROTOCOLS)
    evaluate.add_argument("--method", metavar="M", default="lpdpl", help="lpdpl, or a baseline such as dpl or rbf-svm")
    evaluate.add_argument("--features", choices=("hog", "pixels"), default="hog")
    comparison.add_parts(evaluate)
    evaluate.set_defaults(run=_evaluate)
    scenes.add_commands(commands, common)
    lines.add_commands(commands, common)
    comparison.add_commands(commands, trained, common)
    score = commands.add_parser(
        "score", parents=[common], help="read labelled pictures with a model, as the device does"
    )
    score.add_argument("model", metavar="MODEL", help="a model file, or the name of a shipped model")
    score.add_argument("data", metavar="DATA")
    score.add_argument("--invert", choices=("auto", "yes", "no"), default="auto", help="is ink dark on light paper?")
    text = "replay what each writer would teach: each picture that is misread, or so many of each class beforehand"
    score.add_argument("--teach", choices=("errors", "1", "2", "3"), help=text)
    score.add_argument("--writers", type=spans, metavar="N-M,...", help="read these writers alone; default: all")
    score.set_defaults(run=_score)
    return parser


def _fit(options: argparse.Namespace) -> None:
    from joblib import parallel_config

    from train_host.datasets import open_datasets
    from train_host.shipping.base import open_base
    from train_host.shipping.export import model_name
    from train_host.shipping.fit import fit_model

    recipe = recipe_of(options)
    if options.no_novelty:
        recipe = replace(recipe, novelty=None)
    elif options.distances_alone and recipe.novelty is not None:
        recipe = replace(recipe, novelty=replace(recipe.novelty, is_class=False))
    output = Path(options.output)
    check_place(output, *options.data, *(options.base or ()))
    if output.exists():
        _check_model(output)
    if options.sign and not Path(options.sign).is_file():
        raise EdgeError(f"{printable(options.sign)}: there is no such key; name the file of a private SSH key")
    dataset = open_datasets(options.data).written_by(options.writers)
    with parallel_config(n_jobs=options.jobs):
        found = fit_model(
            dataset,
            output,
            recipe,
            name=model_name(options.name or output.stem),
            base=open_base(options.base) if options.base else None,
            everything=options.everything,
            with_dictionaries=options.with_dictionaries,
        )
    if options.sign:
        from edge_lpdpl.library.trust import sign_model

        made = sign_model(output, options.sign)
        found |= {"signature": made["signature"], "key": made["key"]}
    _warn(found)
    print_result(options.json, found, _fit_text(found))


def _check_model(output: Path) -> None:
    """Refuse to write over a file that is no model."""
    from edge_lpdpl.model.files import read_model

    try:
        read_model(output)
    except ModelError:
        fault = "exists, and is no model that can be read; it is not overwritten, name another file"
        raise EdgeError(f"{printable(str(output))}: {fault}") from None


def _fit_text(found: dict[str, Any]) -> str:
    lines = [
        f"{found['model']}: {found['file_bytes']:,} bytes, {found['digest'][:19]}",
        f"  trained on      {found['images']:,} pictures of {found['data']}, seed {found['seed']}",
        f"  classes         {' '.join(found['labels'])}",
        *([f"  left out        {_kinds(found['unread'])}"] if found["unread"] else []),
        *([f"  left out        {found['twins']:,} {_TWINS}"] if found["twins"] else []),
        *([f"  left out        {found['blank']:,} in which no ink is seen"] if found["blank"] else []),
        f"  held-out        {found['held_out_accuracy']:.2%} right ({found['held_out_protocol']})",
        *map(_beside_text, found["base"]),
        f"  calibration     expected error {found['expected_calibration_error']:.2%}",
        f"  rejection       {found['false_rejects']:.1%} of right decisions",
        f"  non-numerals    {_share_accepted(found)}",
        f"  folded form     decides as eq. 12 does on {found['agreement_float64']:.2%} (float64), "
        f"{found['agreement_device']:.2%} (device)",
        *([f"  signed with     {found['key']}"] if "key" in found else []),
        f"  took            {found['seconds']:.0f} s",
    ]
    return "\n".join(lines)


def _beside_text(one: dict[str, Any]) -> str:
    return (
        f"  beside a base   {one['right']:,} of {one['n']:,} {one['what']} right, {one['before']:,} by {one['rival']}"
    )


def _kinds(unread: dict[str, int]) -> str:
    """Files that are no pictures of a kind that is read.

    >>> _kinds({".heic": 3, ".pdf": 1})
    '3 .heic, 1 .pdf: no kinds that are read; convert pictures to PNG or JPEG'
    """
    return f"{', '.join(f'{count} {printable(kind)}' for kind, count in unread.items())}: {_NO_KINDS}"


_TWINS = "whose pixels are all those of another picture"
_NO_KINDS = "no kinds that are read; convert pictures to PNG or JPEG"
MOST_STRANGERS = 0.2
"""Share of non-numerals that a model may accept without a warning."""


def _warn(found: dict[str, Any]) -> None:
    share = found["strangers_accepted"]
    if share is not None and share > MOST_STRANGERS:
        to_do = "give more pictures or writers, or add drawn ones with --drawn 40"
        print(f"lpdpl-train: warning: {found['model']} accepts {share:.0%} of non-numerals; {to_do}", file=sys.stderr)


def _share_accepted(found: dict[str, Any]) -> str:
    kinds = (("strangers", "drawn shapes"), ("characters", "other characters"), ("struck", "struck-out numerals"))
    shares = [f"{share:.1%} of {what}" for kind, what in kinds if (share := found[f"{kind}_accepted"]) is not None]
    return f"detected; of held-out ones {', '.join(shares)} are accepted" if shares else "not detected"


def _evaluate(options: argparse.Namespace) -> None:
    from joblib import parallel_config

    from train_host.compare.table import evaluate
    from train_host.datasets import open_datasets

    if options.features == "pixels" and options.centre is None:
        options.centre = "box"  # as in the paper: alignment by the centroid would already do part of a feature's work
    parts = comparison.parts_of(options, options.protocol)
    dataset, recipe = open_datasets(options.data), recipe_of(options)
    with parallel_config(n_jobs=options.jobs):
        found = evaluate(dataset, recipe, options.protocol, method=options.method, **parts)
    print_result(options.json, found, _evaluate_text(found))


def _evaluate_text(found: dict[str, Any]) -> str:
    lines = [
        f"{found['data']}, {found['protocol']}, {found['title']}, profile {found['profile']}, seed {found['seed']}: "
        f"{found['accuracy']:.2%} of {found['n']:,} ({found['errors']} errors, "
        f"{len(found['folds'])} splits, standard deviation {found['std']:.2%}, {found['seconds']:.0f} s)"
    ]
    lines += [f"  left out: {found['twins']:,} {_TWINS}"] if found["twins"] else []
    worst = min(found["folds"])
    for number, accuracy in enumerate(found["folds"], 1):
        bar = "#" * round(40 * (accuracy - worst) / (1 - worst) if worst < 1 else 40)
        lines.append(f"  {number:3d}  {accuracy:8.2%}  {bar}")
    return "\n".join(lines)


def _score(options: argparse.Namespace) -> None:
    from edge_lpdpl.library.models import find_model
    from train_host.datasets import open_dataset
    from train_host.shipping.score import score_model

    model, dataset = find_model(options.model), open_dataset(options.data).written_by(options.writers)
    if options.teach:
        from train_host.shipping.replay import replay_teaching

        found = replay_teaching(model, dataset, options.teach, options.invert)
        print_result(options.json, found, _teaching_text(found))
        return
    found = score_model(model, dataset, options.invert)
    print_result(options.json, found, _score_text(found))


def _teaching_text(found: dict[str, Any]) -> str:
    errors, rejected = (f"{found[f'{what}_before']:,} before, {found[f'{what}_after']:,} after" for what in _COUNTED)
    strange = f"{found['strangers_before']:.1%} before, {found['strangers_after']:.1%} after"
    error = f"{found['calibration_before']:.2%} before, {found['calibration_after']:.2%} after"
    lines = [
        f"{found['taught']:,} pictures taught, {found['n']:,} counted",
        f"  errors       {errors}; {found['spoilt']:,} were right before",
        f"  rejected     {rejected}",
        f"  calibration  expected error {error}",
        f"  non-numerals {strange} are accepted",
    ]
    return "\n".join(lines)


_COUNTED = "errors", "rejected"


def _score_text(found: dict[str, Any]) -> str:
    accepted, labels = found["accuracy_accepted"], found["labels"]
    rest = (
        f"{found['rejected']:,} rejected; of the others {accepted:.2%} right"
        if accepted is not None
        else "all rejected"
    )
    lines = [f"{found['correct']:,} of {found['n']:,} right, {found['accuracy']:.2%}", rest]
    if found["twins"]:
        lines.append(f"left out: {found['twins']:,} {_TWINS}")
    if part := found["test_part"]:
        lines.append(f"in its test part {part['correct']:,} of {part['n']:,} right; the rest is for training")
    mistakes = [
        (count, labels[true], labels[decided])
        for true, row in enumerate(found["confusion"])
        for decided, count in enumerate(row)
        if count and true != decided
    ]
    worst = sorted(mistakes, reverse=True)[:10]
    return "\n".join(lines + [f"  {true} read as {decided}: {count}" for count, true, decided in worst])
