"""The commands around collected numerals: what there is, and a folder of it to train with."""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from edge_lpdpl.commands.service.live import Add, add_socket, ask_service
from edge_lpdpl.errors import EdgeError, ServiceError
from edge_lpdpl.files.text import print_result, printable, table

_NOT_OURS = "the program at this socket is not the edge-lpdpl service; check --socket"
_LONGEST_LABEL = 8


def show(arguments: argparse.Namespace) -> int:
    """Print how many numerals the running service has collected, and how many of them have a label."""
    told = ask_service(arguments, {"request": "settings"}).get("collect")
    if not isinstance(told, dict):
        raise ServiceError(_NOT_OURS)
    rows = [[printable(str(key)), printable(str(value))] for key, value in told.items()]
    print_result(arguments.json, told, table(rows, "<<"))
    return 0


def export(arguments: argparse.Namespace) -> int:
    """Write the numerals that have a label into a new folder, one folder a character, for `lpdpl-train fit`."""
    from edge_lpdpl.files.atomic import blaming, check_new, write_result

    folder: Path = arguments.folder
    check_new(folder)
    written = Counter[str]()
    for picture, label, png in _labelled(arguments.socket):
        with blaming(folder):
            (folder / label).mkdir(parents=True, exist_ok=True)
        write_result(folder / label / f"{picture}.png", png)
        written[label] += 1
    if not written:
        raise EdgeError("no collected numeral has a label yet; label some on the page")
    text = f"{printable(str(folder))}: {', '.join(f'{label} ({count})' for label, count in sorted(written.items()))}"
    print_result(arguments.json, {"folder": str(folder), "pictures": dict(sorted(written.items()))}, text)
    return 0


def clear(arguments: argparse.Namespace) -> int:
    """Delete everything that the running service has collected."""
    answer = ask_service(arguments, {"request": "discard", "all": True})
    print_result(
        arguments.json,
        answer,
        "all that was collected is deleted; collecting goes on as [collect] of the configuration says",
    )
    return 0


def add_collect_commands(group: Callable[[str, str], Any], add: Add) -> None:
    """Add `collect` to a command line; `group` and `add` as for `add_live_commands`."""
    collects = group("collect", "what the running service has collected to train with")
    add_socket(add(collects, "show", show))
    added = add(collects, "export", export)
    added.add_argument("folder", type=Path, metavar="FOLDER", help="a new one")
    add_socket(added)
    add_socket(add(collects, "clear", clear))


def _labelled(socket: Path | None) -> Iterator[tuple[str, str, bytes]]:
    """Number, label and PNG of each picture with a label. What the service says names files, so it is checked.

    Raises:
        ServiceError: nobody answers, or not as the service does.
    """
    from edge_lpdpl.live.client import Client

    with Client(socket) as client:
        start = 0
        while True:
            answer = client.ask({"request": "collected", "from": start, "labelled": True})
            pictures, data = answer.get("collected"), client.data
            if not isinstance(pictures, list):
                raise ServiceError(_NOT_OURS)
            if not pictures:
                return
            place = 0
            for one in pictures:
                number, label, length = _checked(one)
                if length:  # otherwise it was deleted meanwhile
                    yield number, label, data[place : place + length]
                place += length
            start += len(pictures)


def _checked(one: Any) -> tuple[str, str, int]:
    if not isinstance(one, dict):
        raise ServiceError(_NOT_OURS)
    number, label, length = one.get("picture"), one.get("label"), one.get("length")
    if not (isinstance(number, str) and isinstance(label, str) and isinstance(length, int) and length >= 0):
        raise ServiceError(_NOT_OURS)
    is_number = number.isascii() and number.isdecimal() and len(number) == 16
    if not is_number or not label.isalnum() or len(label) > _LONGEST_LABEL:
        raise ServiceError(_NOT_OURS)
    return number, label, length
