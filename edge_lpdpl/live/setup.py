"""What reads a frame, made from a configuration and tested before it is used."""

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edge_lpdpl.errors import BackendError, ConfigError, HandError, ModelError
from edge_lpdpl.form.reader import FormReader
from edge_lpdpl.library.hands import load_hand
from edge_lpdpl.library.models import DEFAULT_MODEL, find_model
from edge_lpdpl.library.slots import installed_models, on_trial, state_folder
from edge_lpdpl.library.trials import Trials
from edge_lpdpl.library.trust import Candidate, check_trust, read_candidate
from edge_lpdpl.live.config.form import field_of, paper_of
from edge_lpdpl.live.config.sections import Config
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import check_marks, constraints_of
from edge_lpdpl.number.pictures.columns import ColumnReader
from edge_lpdpl.number.pictures.confirming import ConfirmingReader
from edge_lpdpl.number.reader import PageReader
from edge_lpdpl.numeral.hand import Hand
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.page.boxes import Box
from edge_lpdpl.page.settings import LocateSettings


class Setup(NamedTuple):
    """A configuration and what it makes of frames of one size."""

    config: Config
    reader: PageReader | FormReader
    problem: str | None = None
    """Why another model reads than the one that is installed; None if it is that one."""
    hand_problem: str | None = None
    """Why the hand is not worn; None if it is."""

    @property
    def hand(self) -> Hand:
        """What a person taught."""
        return self.reader.recogniser.hand

    @property
    def model(self) -> Model:
        """The model that reads, unless a field names another or one of `also` fits a line better."""
        return self.reader.recogniser.model

    @property
    def models(self) -> list[Model]:
        """All that read."""
        return [recogniser.model for recogniser in self.reader.recognisers]


def prepare(config: Config, height: int, width: int, *, fall_back: bool = False, trials: Trials | None = None) -> Setup:
    """Load the model that the configuration names, and do the rest as `prepare_with`.

    Args:
        fall_back: where the installed model fails, the last good one reads, or else the shipped one.
        trials: starts that ended the process count as failures, too. The last model that is left is always tried.

    Raises:
        EdgeError: the model cannot be believed, is not trusted or fails its self-test, a backend is missing, the
            region is outside, or its numbers have no point, or no minus, although they need one.
    """
    faults: list[Exception] = []
    paths = model_paths(config.model.file)[: None if fall_back else 1]
    for path in paths:
        try:
            candidate = read_candidate(path)
            if trials is not None and path != paths[-1]:
                trials.begin(path, candidate.data)
            setup = prepare_with(_trusted(candidate, config), config, height, width)
        except (ModelError, BackendError, MemoryError) as error:
            faults.append(error)
            if trials is not None:
                trials.passed()  # what is said in an error is no crash
            continue
        if trials is not None and not on_trial(path, state_folder()):
            trials.passed()  # that it reads is known: what happens from now on is not its fault
        if not faults and not config.field:  # a model that stands in for another may have no point
            others = [read_model(find_model(name)) for name in config.model.also]
            try:
                check_numbers(config, [setup.model, *others])
            except ConfigError as error:
                raise ConfigError(f"numbers.{error}") from None
        problem = f"{setup.model.name} reads instead of the installed model: {faults[0]}" if faults else None
        return setup._replace(problem=problem)
    raise faults[0]


def prepare_with(model: Model, config: Config, height: int, width: int) -> Setup:
    """Run a model's self-test, wear the hand, and read a stroke in a frame, so that every kernel is compiled or loaded.

    A hand that is damaged, or that the model cannot wear, keeps nothing from being read.

    Raises:
        EdgeError: as for `prepare`.
    """
    recogniser, hand_problem = _tested(model, config), None
    try:
        recogniser.wear(load_hand(config.model.hand))
    except HandError as error:
        hand_problem = str(error)
    reader = make_reader(recogniser, config, height, width)
    paper, ink = (40, 200) if config.page.ink == "light" else (200, 40)
    frame = np.full((height, width), paper, np.uint8)
    frame[height // 2 - 2 : height // 2 + 2, width // 2 - 20 : width // 2 + 20] = ink
    reader.read(frame)
    return Setup(config, reader, hand_problem=hand_problem)


def make_reader(recogniser: Recogniser, config: Config, height: int, width: int) -> PageReader | FormReader:
    """What reads frames of a size: the fields of a form if the configuration has some, otherwise the page.

    Raises:
        EdgeError: a region is outside of the frame, or the model of a field cannot be used.
    """
    strictness = config.numbers.wrong_per_thousand
    if not config.field:
        known: dict[str, Any] = {
            "settings": LocateSettings(polarity=config.page.ink),
            "region": Box(*config.page.region) if config.page.region else None,
            "constraints": constraints_of(config.numbers.known),
            "wrong_per_thousand": strictness,
            "also": list(_others(config.model.also, recogniser, config).values()),
        }
        return (ColumnReader if config.page.columns else ConfirmingReader)(recogniser, height, width, **known)
    fields, paper = [field_of(one) for one in config.field], paper_of(config)
    others = _others(sorted({field.model for field in fields} - {""}), recogniser, config)
    return FormReader(fields, recogniser, height, width, paper, others, config.page.ink, strictness)


def _others(names: Iterable[str], recogniser: Recogniser, config: Config) -> dict[str, Recogniser]:
    """The models that read beside the first, with the same hand."""
    others = {}
    for name in names:
        others[name] = _tested(_trusted(read_candidate(find_model(name)), config), config)
        with contextlib.suppress(HandError):  # the model cannot be taught
            others[name].wear(recogniser.hand)
    return others


def _trusted(candidate: Candidate, config: Config) -> Model:
    check_trust(candidate, config.model.trust)
    return candidate.model()


def _tested(model: Model, config: Config) -> Recogniser:
    recogniser = Recogniser(model, config.model.backend)
    recogniser.self_test()
    return recogniser


def check_numbers(config: Config, models: Iterable[Model]) -> None:
    """Check that models have the points and signs that what is known about the numbers needs.

    Raises:
        ConfigError: one has not.
    """
    check_marks(config.numbers.known, {model.name: model.labels for model in models})


def model_paths(setting: str) -> list[Path]:
    """Files of `model.file`; for "auto" the installed ones, the best one first, and the shipped one.

    >>> [path.name for path in model_paths("latin10")]
    ['latin10.safetensors']
    """
    if setting != "auto":
        return [find_model(setting)]
    return [*installed_models(state_folder()), find_model(DEFAULT_MODEL)]
