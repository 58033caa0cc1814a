"""`edge-lpdpl recognise`: pictures, folders of pictures or standard input to a table, JSON or CSV."""

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.commands.decisions import CSV_COLUMNS, DecisionTable, csv_rows, csv_text
from edge_lpdpl.commands.forms import FormPictures, read_form_file
from edge_lpdpl.commands.program import ERROR, OK, complain
from edge_lpdpl.errors import ConfigError, EdgeError, HandError, ImageError
from edge_lpdpl.files.atomic import check_drawing
from edge_lpdpl.files.pictures import ENDINGS, STANDARD_INPUT, read_large_picture
from edge_lpdpl.files.text import print_json, printable, remark, tell
from edge_lpdpl.library.hands import AUTO, load_hand
from edge_lpdpl.library.models import DEFAULT_MODEL, find_model
from edge_lpdpl.library.shipped import shipped_models
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.frames.sources import find_pictures
from edge_lpdpl.live.publish.answer import make_answer
from edge_lpdpl.number.constraints import Known, constraints_of
from edge_lpdpl.number.pictures.columns import may_be_column
from edge_lpdpl.number.pictures.nearer import enlarged
from edge_lpdpl.number.pictures.reader import PictureReader
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.number.weights import USUAL_STRICTNESS
from edge_lpdpl.numeral.recogniser import UNLIKE, Recogniser, wear_all


def read_pictures(program: str, arguments: argparse.Namespace) -> int:
    """Read what the arguments of the command name; an error in one picture is reported, and the others are read.

    Raises:
        EdgeError: nothing can be read, or the drawing cannot be made.
    """
    files, faults = _files(arguments.images)
    if faults and not files:
        raise faults[0]
    _check_together(arguments, files)
    form = read_form_file(arguments) if arguments.fields else None
    usual = (form and form.model.file) or DEFAULT_MODEL
    model = find_model(usual if arguments.model is None else arguments.model)
    if arguments.explain:
        check_drawing(arguments.explain, *files, model)
    recogniser = Recogniser.load(model, arguments.backend)
    also = [Recogniser.load(find_model(one), arguments.backend) for one in arguments.also]
    hand_problem = _wear(arguments.hand, [recogniser, *also])
    reader = _make_reader(arguments, form, recogniser, also)
    show, advice, status = _printer(arguments, files), _Advice(), OK
    for fault in faults:
        complain(program, fault, debug=arguments.debug)
        status = ERROR
    for file in files:
        try:
            picture = read_large_picture(file)
            reading = reader.read(picture.grey)
        except ImageError as error:
            complain(program, error, debug=arguments.debug)
            status = ERROR
            continue
        if picture.note:
            remark(picture.note)
        answer = make_answer(enlarged(reading, picture.scale), recogniser.model.labels, file)
        show(file, answer | ({"hand_problem": hand_problem} if hand_problem else {}))
        advice.note(reading)
        if arguments.explain:
            _explain(arguments, recogniser, reader, picture.grey, reading)
    advice.give(recogniser.model.name, may_advise_columns=not (arguments.columns or form))
    return status


def _check_together(arguments: argparse.Namespace, files: Sequence[str]) -> None:
    """Raises EdgeError where options do not go together."""
    if arguments.explain and len(files) > 1:
        raise EdgeError("--explain draws one picture; give one")
    if arguments.csv and arguments.json:
        raise EdgeError("--csv and --json are two formats; give one")
    if arguments.also and (arguments.fields or arguments.explain):
        other = "--fields" if arguments.fields else "--explain"
        raise EdgeError(f"--also does not go with {other}; leave one of them out")


def _make_reader(
    arguments: argparse.Namespace, form: Config | None, recogniser: Recogniser, also: Sequence[Recogniser]
) -> PictureReader | FormPictures:
    if form:
        return FormPictures(recogniser, form, arguments.fields)
    strictness = arguments.wrong_per_thousand or USUAL_STRICTNESS
    constraints = constraints_of(Known(*(getattr(arguments, name) for name in Known._fields)))
    how = arguments.polarity, arguments.single
    return PictureReader(recogniser, *how, constraints, strictness, also, arguments.columns)


def _explain(
    arguments: argparse.Namespace,
    recogniser: Recogniser,
    reader: PictureReader | FormPictures,
    grey: NDArray[np.uint8],
    reading: Reading,
) -> None:
    """Draw how the picture (height, width) was read that `reader` has just read."""
    from edge_lpdpl.drawing.decision import draw_pipeline, save_png
    from edge_lpdpl.drawing.page import draw_page

    whole = None if reader.as_page else draw_pipeline(recogniser, grey, arguments.polarity)
    about = f"model {recogniser.model.name}, {recogniser.backend}"
    save_png(whole or draw_page(grey, reading, reader.cut_outs(), about), arguments.explain)


class _Advice:
    """What may help whoever gave pictures in which little was read."""

    def __init__(self) -> None:
        self._accepted = self._has_columns = False
        self._unlike = list[bool]()
        """Of each numeral."""

    def note(self, reading: Reading) -> None:
        """Remember what was read in a picture."""
        self._accepted |= not all(number.rejected for number in reading.numbers)
        self._has_columns |= may_be_column(reading.numbers)
        self._unlike += [one.recognition.reason == UNLIKE for one in reading.numerals]

    def give(self, model: str, *, may_advise_columns: bool) -> None:
        """Say it, after the last picture."""
        if self._has_columns and may_advise_columns:
            remark("characters stand below each other; --columns reads them as numbers that are written downwards")
        unlike = sum(self._unlike)
        if not self._accepted and unlike and 2 * unlike >= len(self._unlike):
            others = ", ".join(name for name in shipped_models() if name != model)
            remark(f"nothing is like a character of {model}; for other characters: --model ({others})")


def _wear(setting: str, recognisers: Sequence[Recogniser]) -> str | None:
    """Wear a hand. One that nobody named keeps nothing from being read: returns why it is not worn, after saying so."""
    try:
        wear_all(recognisers, load_hand(setting, must_exist=True))
    except HandError as error:
        if setting != AUTO:
            raise
        remark(f"{error}; reads without it")
        return str(error)
    return None


def _files(images: Sequence[str]) -> tuple[list[str], list[ConfigError]]:
    """The pictures that are named, those of folders in the order of their names, and which folders hold none."""
    files, faults = list[str](), list[ConfigError]()
    for image in images:
        try:
            files += map(str, find_pictures(image)) if os.path.isdir(image) else [image]
            _tell_left_out(image)
        except ConfigError as error:
            faults.append(error)
    if files.count(STANDARD_INPUT) > 1:
        raise EdgeError("standard input holds one picture; give one -")
    return files, faults


def _tell_left_out(folder: str) -> None:
    """Say on standard error which files of a folder are not read, by how they end."""
    if os.path.isdir(folder):
        endings = Counter(path.suffix.lower() for path in Path(folder).iterdir())
        others = sorted((ending or "no ending", count) for ending, count in endings.items() if ending not in ENDINGS)
        if others:
            kinds = ", ".join(f"{count} {printable(ending)}" for ending, count in others)
            remark(f"{printable(folder)}: left out {kinds}; pictures end in {', '.join(ENDINGS)}")


def _printer(arguments: argparse.Namespace, files: Sequence[str]) -> Any:
    """A function that prints the answer about a file."""
    table, headed = DecisionTable(files), False

    def show(file: str, answer: dict[str, Any]) -> None:
        nonlocal headed
        if arguments.json:
            print_json(answer)
        elif arguments.csv:
            rows = csv_rows(printable(file), answer)
            tell(csv_text([*([] if headed else [("file", *CSV_COLUMNS)]), *rows]), end="")
        else:
            tell("\n".join(([] if headed else [table.head()]) + list(table.lines(file, answer))))
        headed = True

    return show
