"""A page as a list of blocks, which can be written as Markdown with figure files or as one self-contained HTML file."""

import tomllib
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, select_autoescape


class Heading(NamedTuple):
    """A heading; level 1 is the title of the page."""

    text: str
    level: int = 2


class Paragraph(NamedTuple):
    """A paragraph of plain text."""

    text: str


class Commands(NamedTuple):
    """Commands that reproduce the results above them."""

    lines: tuple[str, ...]


class Table(NamedTuple):
    """Rows under column titles. The first column names the row."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: bool = False
    """Columns hold text and are aligned left; columns of numbers are aligned right."""


class Figure(NamedTuple):
    """A figure with its caption and the name of its file."""

    name: str
    caption: str
    png: bytes
    shows_data: bool = False
    """It contains pictures of the data set, which we may not distribute: keep it out of the repository."""


Block = Heading | Paragraph | Commands | Table | Figure

TEXTS = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
"""What the page says between tables and figures, and the figures of the paper."""

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=select_autoescape(["html.jinja"]),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters["base64"] = lambda content: b64encode(content).decode()


def to_markdown(blocks: Sequence[Block], figures: str) -> str:
    """The page as Markdown. Its links expect the figures in the folder `figures` beside it.

    >>> print(to_markdown([Heading("Results", 1), Table(("a", "b"), (("x", "1"),))], "f"), end="")
    # Results
    <BLANKLINE>
    | a | b |
    |---|---:|
    | x | 1 |
    """
    return _TEMPLATES.get_template("page.md.jinja").render(blocks=_named(blocks), figures=figures)


def to_html(blocks: Sequence[Block], title: str) -> str:
    """The page as one HTML file that needs no other file and no network.

    >>> "<h1>a &lt; b</h1>" in to_html([Heading("a < b", 1)], "t")
    True
    """
    return _TEMPLATES.get_template("page.html.jinja").render(blocks=_named(blocks), title=title)


def _named(blocks: Sequence[Block]) -> list[tuple[str, Block]]:
    """Each block with the name of its class, by which the templates choose."""
    return [(type(block).__name__, block) for block in blocks]
