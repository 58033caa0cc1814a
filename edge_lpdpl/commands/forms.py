"""Forms on the command line: read the fields of pictures, and print a form."""

import argparse
from pathlib import Path
from typing import Any

from numpy import uint8
from numpy.typing import NDArray

from edge_lpdpl.errors import ConfigError, ModelError
from edge_lpdpl.files.atomic import check_place, write_result
from edge_lpdpl.files.text import printable
from edge_lpdpl.form.fields import find_unreadable
from edge_lpdpl.form.printing import print_form
from edge_lpdpl.library.models import DEFAULT_MODEL, find_model
from edge_lpdpl.live.config.form import field_of
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.live.setup import make_reader
from edge_lpdpl.model.files import read_model
from edge_lpdpl.number.reader import Reading
from edge_lpdpl.numeral.recogniser import Recogniser

_NOT_WITH_FIELDS = ("length", "minimum", "maximum", "decimals", "check")


class FormPictures:
    """Reads the fields of pictures of any size; used like `PictureReader`.

    Args:
        recogniser: reads fields without a model of their own.
        file: begins what is told about its fields.
    """

    as_page = True
    """Of each reading."""

    def __init__(self, recogniser: Recogniser, config: Config, file: Path) -> None:
        self._recogniser, self._config, self._file = recogniser, config, file
        self._shape = (0, 0)
        self._reader: Any = None

    def read(self, grey: NDArray[uint8]) -> Reading:
        """The numbers of the fields of a picture (height, width).

        Raises:
            ConfigError: a field is outside of the picture, or its model cannot read it.
            ImageError: the array is no picture that can be read.
        """
        if grey.shape != self._shape:
            try:
                self._reader = make_reader(self._recogniser, self._config, *grey.shape)
            except ConfigError as error:
                raise ConfigError(f"{printable(str(self._file))}: {error}") from error
            self._shape = grey.shape
        reading: Reading = self._reader.read(grey)
        return reading

    def cut_outs(self) -> list[NDArray[uint8]]:
        """The picture of each numeral of the last picture."""
        pictures: list[NDArray[uint8]] = self._reader.cut_outs()
        return pictures


def read_form_file(arguments: argparse.Namespace) -> Config:
    """The configuration of `--fields`, changed by the other options.

    Raises:
        ConfigError: it cannot be used, or an option contradicts it.
    """
    for option, why in {"single": "which is a page", "columns": "whose fields are rows"}.items():
        if getattr(arguments, option):
            raise ConfigError(f"--{option} is not for a form, {why}; leave it out")
    for option in _NOT_WITH_FIELDS:
        if getattr(arguments, option) is not None:
            raise ConfigError(f"--{option} is not for a form; set it in {printable(str(arguments.fields))}")
    config = _load(arguments.fields)
    strictness = arguments.wrong_per_thousand or config.numbers.wrong_per_thousand
    polarity = config.page.ink if arguments.polarity == "auto" else arguments.polarity
    file = "" if config.model.file == "auto" else config.model.file
    return config._replace(
        numbers=config.numbers._replace(wrong_per_thousand=strictness),
        page=config.page._replace(ink=polarity),
        model=config.model._replace(file=file, backend=arguments.backend),
    )


def print_form_file(file: Path, output: Path) -> dict[str, Any]:
    """Print the form of a file as PDF; returns what `edge-lpdpl form --json` prints.

    Raises:
        ConfigError: the fields cannot be printed, or the output is no PDF.
        EdgeError: it cannot be written.
    """
    config = _load(file)
    if output.suffix.lower() != ".pdf":
        raise ConfigError(f"{printable(str(output))}: name a file that ends in .pdf")
    if config.form.align != "marks":
        raise ConfigError(f'{printable(str(file))}: form.align is "none"; a form is printed with "marks"')
    check_place(output, file)
    fields = [field_of(one) for one in config.field]
    usual = DEFAULT_MODEL if config.model.file == "auto" else config.model.file
    models = {name: read_model(find_model(name)) for name in {field.model or usual for field in fields}}
    for number, field in enumerate(fields, 1):
        model = models[field.model or usual]
        for text in find_unreadable(field.constraints, field.boxes, model.labels, model.name):
            raise ConfigError(f"{printable(str(file))}: field {number}: {text}")
    try:
        data = print_form(fields, config.form.paper, config.form.title)
    except ConfigError as error:
        raise ConfigError(f"{printable(str(file))}: {error}") from error
    write_result(output, data)
    return {"file": str(output), "paper": config.form.paper, "fields": len(config.field)}


def _load(file: Path) -> Config:
    config = load_config([file])
    if not config.field:
        raise ConfigError(f"{printable(str(file))}: holds no [[field]]; see docs/forms.md")
    for number, field in enumerate(config.field, 1):
        try:
            find_model(field.model or DEFAULT_MODEL)
        except ModelError as error:
            raise ConfigError(f"{printable(str(file))}: [[field]] {number}: model {error}") from error
    return config
