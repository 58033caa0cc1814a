"""`edge-lpdpl log`: the decisions that the service has kept, as lines, JSON or CSV, and their crops as PNGs."""

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from edge_lpdpl.commands.decisions import CSV_COLUMNS, csv_rows, csv_text, decision_lines
from edge_lpdpl.errors import EdgeError, LogError
from edge_lpdpl.files.atomic import blaming, check_new
from edge_lpdpl.files.text import print_json, printable, remark, tell
from edge_lpdpl.live.config.loading import config_files, load_config
from edge_lpdpl.live.log.place import log_to_read
from edge_lpdpl.live.log.reading import Kept, parse_since, read_log

_NUMBER = re.compile(r"-[\d.,]+")


def print_log(arguments: argparse.Namespace) -> None:
    """Print what the arguments of the command name.

    Raises:
        LogError: the log cannot be read, or is switched off.
        EdgeError: the crops cannot be written.
    """
    if arguments.csv and arguments.json:
        raise EdgeError("--csv and --json are two formats; give one")
    since = parse_since(arguments.since) if arguments.since else ""
    if not (setting := arguments.file or load_config(config_files(arguments.config)).log.file):
        raise LogError("log.file of the configuration is not set, so nothing is kept; set it, or name a FILE")
    path = log_to_read(setting)
    if "/" not in setting and not os.path.lexists(path) and os.path.lexists(setting):
        raise LogError(
            f"{printable(setting)}: a name alone is looked for in {path.parent}; for the file here, ./{setting}"
        )
    if arguments.crops:
        check_new(arguments.crops)
    if arguments.csv:
        tell(csv_text([("id", "time", *CSV_COLUMNS)]), end="")
    kept = None
    for kept in read_log(path, since):
        try:
            _print(kept, arguments)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, EdgeError):
                raise
            raise LogError(f"{printable(str(path))}: decision {kept.id} is none of this program") from None
        if arguments.crops and kept.crop:
            _write_crop(kept, arguments.crops)
    if kept is None:
        remark(f"{printable(str(path))}: has no decisions{f' since {since}' if since else ''}")


def _print(kept: Kept, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json({"id": kept.id, **kept.message})
    elif arguments.csv:
        tell(csv_text(list(_rows(kept))), end="")
    else:
        tell("\n".join(decision_lines(kept.message)))


def _rows(kept: Kept) -> Iterator[Sequence[object]]:
    for _, *cells in csv_rows("", kept.message):
        yield tuple(map(_cell, (kept.id, kept.message["time"], *cells)))


def _cell(value: Any) -> Any:
    """What a spreadsheet takes as it is: a text that begins like a formula gets an apostrophe.

    >>> _cell(7), _cell("-1,234.5"), _cell("=1+2")
    (7, '-1,234.5', "'=1+2")
    """
    text = printable(str(value))
    formula = isinstance(value, str) and text[:1] in "=+-@" and text and not _NUMBER.fullmatch(text)
    return f"'{text}" if formula else text if isinstance(value, str) else value


def _write_crop(kept: Kept, folder: Path) -> None:
    assert kept.crop is not None
    height, width, pixels = kept.crop
    path = folder / f"{kept.id:08}.png"
    with blaming(path):
        folder.mkdir(exist_ok=True)
        with path.open("xb") as file:
            Image.fromarray(np.frombuffer(pixels, np.uint8).reshape(height, width)).save(file, "PNG")
