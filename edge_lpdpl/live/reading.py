"""What reads a frame, made from a configuration and tested before it is used."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from edge_lpdpl.library.models import DEFAULT_MODEL, INSTALL_FOLDER, INSTALL_NAME, find_model
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import Model
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.page.settings import LocateSettings


class Reading(NamedTuple):
    """A configuration and what it makes of frames of one size."""

    config: Config
    reader: PageReader

    @property
    def model(self) -> Model:
        """What reads."""
        return self.reader.recogniser.model


def prepare(config: Config, height: int, width: int) -> Reading:
    """Load the model that the configuration names, and do the rest as `prepare_with`.

    Raises:
        EdgeError: the model cannot be believed or fails its self-test, a backend is missing, or the region is outside.
    """
    return prepare_with(read_model(model_path(config.model.file)), config, height, width)


def prepare_with(model: Model, config: Config, height: int, width: int) -> Reading:
    """Run a model's self-test, and read a stroke in a frame, so that every kernel is compiled or loaded.

    Raises:
        EdgeError: as for `prepare`.
    """
    recogniser = Recogniser(model, config.model.backend)
    recogniser.self_test()
    region = Box(*config.page.region) if config.page.region else None
    reader = PageReader(recogniser, height, width, LocateSettings(polarity=config.page.ink), region)
    paper, ink = (40, 200) if config.page.ink == "light" else (200, 40)
    frame = np.full((height, width), paper, np.uint8)
    frame[height // 2 - 2 : height // 2 + 2, width // 2 - 20 : width // 2 + 20] = ink
    reader.read(frame)
    return Reading(config, reader)


def model_path(setting: str, environment: Mapping[str, str] = os.environ) -> Path:
    """File of `model.file`; "auto" is the installed model where there is one, else the shipped one.

    >>> model_path("latin10").name
    'latin10.safetensors'
    """
    if setting != "auto":
        return find_model(setting)
    folder = environment.get("STATE_DIRECTORY", "").partition(":")[0] or INSTALL_FOLDER
    installed = Path(folder) / f"{INSTALL_NAME}.safetensors"
    return installed if os.path.lexists(installed) else find_model(DEFAULT_MODEL)
