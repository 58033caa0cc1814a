"""The command `edge-lpdpl`: its command line, and a function for each command.

A command imports what it needs itself, so that a decision comes soon after the start.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from edge_lpdpl import __version__
from edge_lpdpl.commands.program import OK, PROBLEM, OneLineParser, number_up_to, run_command
from edge_lpdpl.commands.service.live import add_constraints, add_live_commands
from edge_lpdpl.commands.teach.collected import add_collect_commands
from edge_lpdpl.commands.teach.hands import add_ask_commands, add_hand, add_hand_commands
from edge_lpdpl.errors import EdgeError
from edge_lpdpl.files.text import print_result, tell

PROGRAM = "edge-lpdpl"
Command = Callable[[argparse.Namespace], int]
_Commands: TypeAlias = "argparse._SubParsersAction[OneLineParser]"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status.

    Args:
        argv: the arguments; those of the process when left out.

    Raises:
        SystemExit: after `--help` and `--version`, for invalid arguments, and when a signal ends `record`.

    >>> main(["model", "verify", "none.safetensors"])  # one line on standard error
    2
    """
    arguments = _parser().parse_args(argv)
    command: Command = arguments.command
    return run_command(PROGRAM, lambda: command(arguments), debug=arguments.debug)


def demo(arguments: argparse.Namespace) -> int:
    """Read the shipped pictures with the shipped models, with times and a drawing of each model."""
    from edge_lpdpl.commands.demo import report, run_demo
    from edge_lpdpl.library.models import find_model

    paths = [find_model(name) for name in arguments.model] if arguments.model else None
    result = run_demo(arguments.output, paths, arguments.backend)
    return _print(arguments, result, report(result))


def recognise(arguments: argparse.Namespace) -> int:
    """Read the numbers in pictures; an error in one picture is reported, and the others are read."""
    from edge_lpdpl.commands.recognise import read_pictures

    return read_pictures(PROGRAM, arguments)


def form(arguments: argparse.Namespace) -> int:
    """Print a form as PDF: marks in the corners, and the boxes and names of its fields."""
    from edge_lpdpl.commands.forms import print_form_file

    printed = print_form_file(arguments.fields, arguments.output)
    text = f"{printed['fields']} fields on {printed['paper']} in {arguments.output}; print it at 100 %, not fitted"
    return _print(arguments, printed, text)


def bench(arguments: argparse.Namespace) -> int:
    """Time every stage against the budget."""
    from edge_lpdpl.library.models import find_model
    from edge_lpdpl.measure.bench import report, run_bench
    from edge_lpdpl.numeral.recogniser import Recogniser

    path = find_model(arguments.model)
    asked = {"image_size": arguments.image_size, "rounds": arguments.rounds}
    options = {name: value for name, value in asked.items() if value is not None}
    if arguments.device_report:
        from edge_lpdpl.files.atomic import check_place
        from edge_lpdpl.measure import report as device

        if options:
            raise EdgeError("--device-report has its own pictures and rounds; leave out --image-size and --rounds")
        check_place(arguments.device_report, path)
        measured = device.measure_device(path, arguments.backend)
        device.write_report(measured, arguments.device_report)
        return _print(arguments, measured, device.summary(measured, arguments.device_report))
    recogniser = Recogniser.load(path, arguments.backend)
    result = run_bench(recogniser, path, **options)
    return _print(arguments, result, report(result))


def model_list(arguments: argparse.Namespace) -> int:
    """List the models: those that are shipped, and those that are installed."""
    from edge_lpdpl.commands.models import model_table
    from edge_lpdpl.library.slots import list_models

    listed = list_models(arguments.to)
    return _print(arguments, listed, model_table(listed))


def model_show(arguments: argparse.Namespace) -> int:
    """Show what is in a model file."""
    from edge_lpdpl.commands.models import model_card
    from edge_lpdpl.library.models import find_model, show_model

    shown = show_model(find_model(arguments.model))
    return _print(arguments, shown, model_card(shown))


def model_verify(arguments: argparse.Namespace) -> int:
    """Check a model file, and that this machine computes the scores that its trainer computed."""
    from edge_lpdpl.commands.models import verify_report
    from edge_lpdpl.library.models import find_model, verify_model

    _, found = verify_model(find_model(arguments.model), arguments.backend, arguments.trust, arguments.signers)
    return _print(arguments, found, verify_report(found))


def model_sign(arguments: argparse.Namespace) -> int:
    """Sign a model file with an SSH key; the signature is written beside it."""
    from edge_lpdpl.commands.models import sign_report
    from edge_lpdpl.library.trust import sign_model

    made = sign_model(arguments.model, arguments.key)
    return _print(arguments, made, sign_report(made))


def model_install(arguments: argparse.Namespace) -> int:
    """Verify a model file and install it for the service, which takes it over at its next reload."""
    from edge_lpdpl.commands.models import install_report
    from edge_lpdpl.library.models import find_model
    from edge_lpdpl.library.slots import install_model
    from edge_lpdpl.live.config.loading import config_files, load_config

    os.umask(0o022)  # the service reads what root installs
    trust = load_config(config_files()).model.trust
    done = install_model(find_model(arguments.model), arguments.to, arguments.backend, arguments.stage, trust)
    return _print(arguments, done, install_report(done))


def model_confirm(arguments: argparse.Namespace) -> int:
    """Keep the installed model as the one to fall back to, once the service reads with it."""
    from edge_lpdpl.library.slots import confirm_model

    done = confirm_model(arguments.to, arguments.wait)
    return _print(arguments, done, f"the service reads with slot {done['slot']}, which is the good one now")


def model_rollback(arguments: argparse.Namespace) -> int:
    """Go back to the last confirmed model; the service takes it over at its next reload."""
    from edge_lpdpl.library.slots import roll_back

    done = roll_back(arguments.to)
    nothing = "there is no confirmed model to go back to; the service reads with the model of the package"
    return _print(arguments, done, f"slot {done['slot']} is current" if done["slot"] else nothing)


def doctor(arguments: argparse.Namespace) -> int:
    """Find what is missing on this machine; exit status 1 where something must be fixed."""
    from edge_lpdpl.measure import doctor

    checks = []
    for check in doctor.examine():
        checks.append(check)
        if not arguments.json:
            tell(doctor.line(check))
    _print(arguments, [check._asdict() for check in checks], "\n" + doctor.summary(checks))
    return PROBLEM if any(check.verdict == doctor.PROBLEM for check in checks) else OK


def warm(arguments: argparse.Namespace) -> int:
    """Compile the kernels now, so that no picture waits for the compiler."""
    from edge_lpdpl.commands.warm import report, warm

    result = warm()
    return _print(arguments, result, report(result))


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog=PROGRAM, description="Read handwritten numerals on this machine.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"edge-lpdpl {__version__}")
    _add_common(parser, default=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    added = _add(commands, "demo", demo)
    added.add_argument("--output", type=Path, default=Path("demo-output"), metavar="FOLDER", help="for the drawings")
    added.add_argument("--model", action="append", metavar="NAME_OR_FILE", help="instead of the shipped; repeatable")
    _add_backend(added)

    added = _add(commands, "recognise", recognise)
    text = (
        "a picture: a page if a side has more than 160 pixels, otherwise one numeral, or one number where the ink is"
        " wide; a folder of them; -: standard input"
    )
    added.add_argument("images", nargs="+", metavar="IMAGE", help=text)
    added.add_argument("--csv", action="store_true", help="print a line for each number, for spreadsheets")
    added.add_argument("--polarity", choices=("auto", "light", "dark"), default="auto", help="of the ink (%(default)s)")
    added.add_argument("--single", action="store_true", help="read the picture as one numeral, whatever its size")
    added.add_argument("--columns", action="store_true", help="read columns of Chinese characters, not rows")
    added.add_argument("--explain", type=Path, metavar="FILE.png", help="draw how the picture was read")
    added.add_argument("--fields", type=Path, metavar="FIELDS.toml", help="read the fields of a form (docs/forms.md)")
    add_constraints(added)
    add_hand(added)
    _add_model(added, default=None)
    text = "also read each line with this model; the number that looks most like its characters is taken; repeatable"
    added.add_argument("--also", action="append", default=[], metavar="NAME_OR_FILE", help=text)
    _add_backend(added)

    added = _add(commands, "form", form)
    added.add_argument("fields", type=Path, metavar="FIELDS.toml", help="the fields (docs/forms.md)")
    added.add_argument("-o", "--output", type=Path, required=True, metavar="FORM.pdf", help="the sheet to print")

    added = _add(commands, "bench", bench)
    added.add_argument("--image-size", type=_side, metavar="N", help="pixels a side (64)")
    text = "measure a Raspberry Pi for a quarter of an hour; on another machine, check the measuring"
    added.add_argument("--device-report", type=Path, metavar="FILE.json", help=text)
    text = "as many as fit into 2 seconds when left out"
    added.add_argument("--rounds", type=number_up_to(10_000), metavar="N", help=text)
    _add_model(added)
    _add_backend(added)

    text = "list, show, verify, sign or install models, or go back to the one before"
    _add_model_commands(_group(commands, "model", text))
    _add(commands, "doctor", doctor)
    _add(commands, "warm", warm)
    asks = add_live_commands(commands, lambda name, text: _group(commands, name, text), _add)
    add_hand_commands(commands, lambda name, text: _group(commands, name, text), _add)
    add_ask_commands(asks, _add)
    add_collect_commands(lambda name, text: _group(commands, name, text), _add)
    return parser


def _side(text: str) -> int:
    from edge_lpdpl.files.grey import LARGEST_SIDE, SMALLEST_SIDE  # --version and --help do not need numpy

    return number_up_to(LARGEST_SIDE, SMALLEST_SIDE)(text)


def _group(commands: _Commands, name: str, text: str) -> _Commands:
    """A command that has subcommands."""
    parser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
    _add_common(parser, default=argparse.SUPPRESS)
    return parser.add_subparsers(metavar="COMMAND", required=True)


def _add_model_commands(commands: _Commands) -> None:
    for name, command in (("show", model_show), ("verify", model_verify), ("install", model_install)):
        added = _add(commands, name, command)
        added.add_argument("model", metavar="NAME_OR_FILE", help="a shipped model, or a file")
        if command is not model_show:
            _add_backend(added)
        if command is model_verify:
            text = "refuse what is not shipped, or not signed by somebody in SIGNERS (%(default)s)"
            added.add_argument("--trust", choices=("any", "shipped", "signed"), default="any", help=text)
            text = "instead of /etc/edge-lpdpl/allowed_signers"
            added.add_argument("--signers", type=Path, metavar="SIGNERS", help=text)
    added.add_argument("--stage", action="store_true", help="put it into the free slot, but do not switch to it")
    sign = _add(commands, "sign", model_sign)
    sign.add_argument("model", type=Path, metavar="FILE", help="a model file")
    text = "a private SSH key, such as ~/.ssh/id_ed25519"
    sign.add_argument("--key", type=Path, required=True, metavar="KEY", help=text)
    confirm, rollback = _add(commands, "confirm", model_confirm), _add(commands, "rollback", model_rollback)
    confirm.add_argument("--wait", type=number_up_to(3600), default=0, metavar="SECONDS", help="for the service")
    for one in (added, confirm, rollback, _add(commands, "list", model_list)):
        one.add_argument("--to", type=Path, default=Path("/var/lib/edge-lpdpl"), metavar="FOLDER", help="%(default)s")


def _add(commands: _Commands, name: str, command: Command) -> argparse.ArgumentParser:
    text = command.__doc__ or ""
    summary = text[:1].lower() + text[1:-1].partition(";")[0]
    parser = commands.add_parser(name, help=summary, description=text, allow_abbrev=False)
    parser.set_defaults(command=command)
    _add_common(parser, default=argparse.SUPPRESS)  # keeps a --json that stands before the command
    return parser


def _add_common(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument("--json", action="store_true", default=default, help="print JSON for programs")
    parser.add_argument("--debug", action="store_true", default=default, help="print the traceback of an error")


def _add_model(parser: argparse.ArgumentParser, default: str | None = "chinese15") -> None:
    text = "a shipped model (arabic10, cheque15, chinese15, latin10) or a file; chinese15 when left out"
    parser.add_argument("--model", default=default, metavar="NAME_OR_FILE", help=text)


def _add_backend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--backend", choices=("auto", "numba", "numpy"), default="auto", help="kernels or NumPy")


def _print(arguments: argparse.Namespace, value: object, text: str) -> int:
    print_result(arguments.json, value, text)
    return OK
