"""A page as a list of blocks, which can be written as Markdown with figure files or as one self-contained HTML file."""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; }
td, th { padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; }
td:first-child, th:first-child, .words td, .words th { text-align: left; }
pre { background: #f4f4f4; padding: 0.7rem; overflow-x: auto; }
img { max-width: 100%; }
figcaption { color: #555; font-size: 0.9rem; }
"""


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of the page."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True)
class Commands:
    """Commands that reproduce the results above them."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows under column titles. The first column names the row."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: bool = False
    """Columns hold text and are aligned left; columns of numbers are aligned right."""


@dataclass(frozen=True)
class Figure:
    """A figure with its caption and the name of its file."""

    name: str
    caption: str
    png: bytes
    shows_data: bool = False
    """It contains pictures of the data set, which we may not distribute: keep it out of the repository."""


Block = Heading | Paragraph | Commands | Table | Figure


def to_markdown(blocks: Sequence[Block], figures: str) -> str:
    """The page as Markdown. Its links expect the figures in the folder `figures` beside it.

    >>> print(to_markdown([Heading("Results", 1), Table(("a", "b"), (("x", "1"),))], "f"), end="")
    # Results
    <BLANKLINE>
    | a | b |
    |---|---:|
    | x | 1 |
    """
    return "\n".join(_markdown(block, figures) for block in blocks)


def _markdown(block: Block, figures: str) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {text}\n"
        case Paragraph(text):
            return f"{text}\n"
        case Commands(lines):
            return "".join(f"    {line}\n" for line in lines)
        case Table(titles, rows, in_words):
            rule = "|".join(["---", *["---" if in_words else "---:"] * (len(titles) - 1)])
            cells = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in (titles, *rows)]
            return "\n".join([f"| {cells[0]} |", f"|{rule}|", *(f"| {row} |" for row in cells[1:])]) + "\n"
        case Figure(name, caption, _):
            return f"![{caption}]({figures}/{name}.png)\n\n{caption}\n"


def to_html(blocks: Sequence[Block], title: str) -> str:
    """The page as one HTML file that needs no other file and no network.

    >>> "<h1>a &lt; b</h1>" in to_html([Heading("a < b", 1)], "t")
    True
    """
    body = "\n".join(_html(block) for block in blocks)
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{html.escape(text)}</p>"
        case Commands(lines):
            return f"<pre>{html.escape(chr(10).join(lines))}</pre>"
        case Table(titles, rows, in_words):
            head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
            body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<table{' class=words' if in_words else ''}><tr>{head}</tr>{body}</table>"
        case Figure(_, caption, png):
            source = base64.b64encode(png).decode()
            words = html.escape(caption)
            return (
                f'<figure><img alt="{words}" src="data:image/png;base64,{source}">'
                f"<figcaption>{words}</figcaption></figure>"
            )
