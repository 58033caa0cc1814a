"""The commands around the live service: run it, ask it, check its configuration, record frames."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from edge_lpdpl.commands.program import ERROR, number_up_to
from edge_lpdpl.commands.service.web import PORT, add_web_command, page_beside, web
from edge_lpdpl.errors import ConfigError, EdgeError, ServiceError
from edge_lpdpl.files.text import Progress, print_json, print_result, printable, table, tell

_NOT_OURS = "the program at this socket is not the edge-lpdpl service; check --socket"
Add = Callable[[Any, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]


def run(arguments: argparse.Namespace) -> int:
    """Read the frames of the camera, or pictures, until stopped; one JSON line a decision."""
    from edge_lpdpl.live.run import run

    changes = _changes(arguments)
    if not arguments.web:
        if arguments.web_port is not None:
            raise EdgeError("--web-port is the port of the page; give --web, too")
        run(arguments.config, changes)
        return 0
    with page_beside(arguments.config, changes, arguments.web_port or PORT) as changes:
        run(arguments.config, changes)
    return 0


def record(arguments: argparse.Namespace) -> int:
    """Record frames for `run --frames`, into one file or as PNGs in a folder; nothing is overwritten."""
    from edge_lpdpl.live.run import record

    if arguments.file.suffix not in (".npy", ""):
        raise ConfigError(
            f"{printable(str(arguments.file))}: a recording is called SOMETHING.npy, or is a folder of PNGs"
        )
    with Progress("recording") as progress:
        written = record(arguments.file, arguments.count, arguments.config, _changes(arguments), progress)
    text = f"{written} frames in {printable(str(arguments.file))}"
    print_result(arguments.json, {"file": str(arguments.file), "frames": written}, text)
    return 0


def listen(arguments: argparse.Namespace) -> int:
    """Print the decisions of the running service as they come."""
    from edge_lpdpl.live.client import Client

    with Client(arguments.socket) as client:
        for message in client.lines():
            if arguments.json:
                print_json(message)
            elif "numbers" in message:
                tell(_decision(message))
            elif "dropped" in message:
                tell(f"({printable(str(message['dropped']))} decisions were missed)")
    return 0


def ask_status(arguments: argparse.Namespace) -> int:
    """Print the status of the running service."""
    status = ask_service(arguments, {"request": "status"}).get("status")
    if not isinstance(status, dict):
        raise ServiceError(_NOT_OURS)
    rows = [[printable(key), _status_text(value)] for key, value in status.items()]
    print_result(arguments.json, status, table(rows, "<<"))
    return 0


def ask_recognise(arguments: argparse.Namespace) -> int:
    """Have the running service read the current frame, and print the decision."""
    message = ask_service(arguments, {"request": "recognise"})
    print_result(arguments.json, message, _decision(message))
    return 0


def ask_set(arguments: argparse.Namespace) -> int:
    """Change settings of the running service until its next reload: [page], [numbers], [form], [trigger], and exposure,
    gain and focus of [camera]."""
    from edge_lpdpl.live.config.loading import merge_changes

    changes = merge_changes(arguments.settings)
    flat = {f"{section}.{key}": value for section, keys in changes.items() for key, value in keys.items()}
    answer = ask_service(arguments, {"request": "set", "set": flat})
    print_result(arguments.json, answer, printable(str(answer.get("note", "done"))))
    return 0


def log(arguments: argparse.Namespace) -> int:
    """Print the decisions that the service has kept, the oldest first; [log] of the configuration says what is kept."""
    from edge_lpdpl.commands.service.log import print_log

    print_log(arguments)
    return 0


def config_check(arguments: argparse.Namespace) -> int:
    """Check the configuration, with what it names of this machine; all mistakes are named with file and key."""
    from edge_lpdpl.commands.service.checking import file_faults
    from edge_lpdpl.live.config.loading import check_files, config_files

    files = config_files(arguments.config)
    checked = check_files(files)
    faults = [*checked.faults, *file_faults(checked)]
    if arguments.json:
        print_json({"ok": not faults, "files": [str(file) for file in files], "faults": faults})
    elif not faults:
        tell(f"ok: {', '.join(printable(str(file)) for file in files) or 'no files; the defaults are in force'}")
    else:
        for fault in faults:
            print(f"edge-lpdpl: {fault}", file=sys.stderr, flush=True)
    return ERROR if faults else 0


def config_show(arguments: argparse.Namespace) -> int:
    """Print the configuration in force; --default prints the packaged one with its explanations."""
    from edge_lpdpl.live.config.loading import as_toml, config_files, default_text, load_config

    if arguments.default:
        tell(default_text(), end="")
        return 0
    config = load_config(config_files(arguments.config), _changes(arguments))
    print_result(arguments.json, config.values(), as_toml(config))
    return 0


def add_live_commands(commands: Any, group: Callable[[str, str], Any], add: Add) -> Any:
    """Add them to a command line.

    Args:
        group: makes a command that has subcommands, from its name and a help text.
        add: makes a command.

    Returns:
        the group `ask`, for more requests.
    """
    added = add(commands, "run", run)
    added.add_argument("--web", action="store_true", help="serve the page in the browser, too, to this machine")
    added.add_argument("--web-port", type=number_up_to(65535), metavar="N", help=f"of the page, {PORT} where left out")
    _add_frames(added)
    added.add_argument("--trigger", metavar="KIND", help="when a frame is read: change, button, interval or request")
    added.add_argument("--model", metavar="NAME_OR_FILE", help="instead of the configured model")
    add_constraints(added)
    _add_config(added)
    _add_settings(added)

    added = add(commands, "record", record)
    added.add_argument("file", type=Path, metavar="FILE.npy|FOLDER", help="width x height bytes a frame, or PNGs")
    added.add_argument("--count", type=number_up_to(1_000_000), default=300, metavar="N", help="how many (%(default)s)")
    _add_frames(added)
    _add_config(added)
    _add_settings(added)

    added = add(commands, "web", web)
    add_web_command(added)
    _add_config(added)
    add_socket(added)

    add_socket(add(commands, "listen", listen))
    asks = group("ask", "ask the running service")
    add_socket(add(asks, "status", ask_status))
    add_socket(add(asks, "recognise", ask_recognise))
    added = add(asks, "set", ask_set)
    added.add_argument("settings", nargs="+", metavar="SECTION.KEY=VALUE")
    add_socket(added)

    added = add(commands, "log", log)
    text = "instead of log.file of the configuration"
    added.add_argument("file", nargs="?", metavar="FILE", help=text)
    text = "from then on: 2026-11-20, 2026-11-20T10:15, or 30s, 90m, 12h or 7d ago"
    added.add_argument("--since", metavar="TIME", help=text)
    added.add_argument("--csv", action="store_true", help="print a line for each number, for spreadsheets")
    added.add_argument("--crops", type=Path, metavar="FOLDER", help="write the crops as PNGs into a new folder")
    _add_config(added)

    configs = group("config", "check or show the configuration")
    _add_config(add(configs, "check", config_check))
    added = add(configs, "show", config_show)
    added.add_argument("--default", action="store_true", help="print the packaged one, which explains every setting")
    _add_config(added)
    _add_settings(added)
    return asks


def add_constraints(parser: argparse.ArgumentParser) -> None:
    """The options that say what is known about the numbers."""
    text = "accepted numbers that may be wrong, 6 where left out; fewer put more in doubt; not for small pictures"
    parser.add_argument("--wrong-per-thousand", type=number_up_to(1000), metavar="N", help=text)
    text = "of a number; zeros in front count"
    parser.add_argument("--length", type=number_up_to(16), metavar="DIGITS", help=text)
    limit = number_up_to(10**16, least=-(10**16))
    parser.add_argument("--minimum", type=limit, metavar="N", help="least value of a number; 0 refuses negative ones")
    parser.add_argument("--maximum", type=limit, metavar="N", help="greatest value of a number")
    text = "behind the decimal point; with 0 there is no point"
    parser.add_argument("--decimals", type=number_up_to(15, least=0), metavar="DIGITS", help=text)
    text = "check digit, a module of python-stdnum such as luhn, ean or isbn"
    parser.add_argument("--check", metavar="NAME", help=text)


def _add_config(parser: argparse.ArgumentParser) -> None:
    text = "instead of /etc/edge-lpdpl/config.toml; config.d/*.toml beside it are read too"
    parser.add_argument("--config", metavar="FILE", help=text)


def _add_frames(parser: argparse.ArgumentParser) -> None:
    text = 'a picture, folder, glob or recording instead of the configured source; "camera"; "-": a video from a pipe'
    parser.add_argument("--frames", metavar="SOURCE", help=text)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    text = "any other setting; repeatable (edge-lpdpl config show --default lists all)"
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="SECTION.KEY=VALUE", help=text)


def add_socket(parser: argparse.ArgumentParser) -> None:
    """The option that names the socket of a service."""
    parser.add_argument("--socket", type=Path, metavar="PATH", help="of the service; found by itself as a rule")


def _changes(arguments: argparse.Namespace) -> dict[str, dict[str, object]]:
    from edge_lpdpl.live.config.loading import merge_changes

    short = {"frames": "frames.source", "trigger": "trigger.kind", "model": "model.file"}
    short |= {
        name: f"numbers.{name}" for name in ("wrong_per_thousand", "length", "minimum", "maximum", "decimals", "check")
    }
    texts = list(arguments.settings)
    for option, setting in short.items():
        if (value := getattr(arguments, option, None)) is not None:
            texts.append(f"{setting}={value}")
    return merge_changes(texts)


def ask_service(arguments: argparse.Namespace, request: dict[str, Any]) -> dict[str, Any]:
    """The answer of the running service, at the socket of `add_socket`."""
    from edge_lpdpl.live.client import Client

    with Client(arguments.socket) as client:
        return client.ask(request)


def _decision(message: dict[str, Any]) -> str:
    """A decision for people, a line for each number.

    Raises:
        ServiceError: it is no message of this program.
    """
    from edge_lpdpl.commands.decisions import decision_lines

    try:
        return "\n".join(decision_lines(message))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ServiceError(_NOT_OURS) from None


def _status_text(value: object) -> str:
    if isinstance(value, dict):
        return printable(", ".join(f"{key} {one}" for key, one in value.items()) or "-")
    return "-" if value is None else printable(str(value))
