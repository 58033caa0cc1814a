"""The stages of a decision and of a frame as calls that can be counted, or compiled for another machine."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from edge_lpdpl.files.grey import INK_AUTO
from edge_lpdpl.jit.compiler import bind, kernel
from edge_lpdpl.number.pictures.confirming import ConfirmingReader
from edge_lpdpl.numeral.engine import CompiledEngine
from edge_lpdpl.numeral.kernels import classify
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.numeral.taught import work_out

PICTURE_STAGES = ("call", "binarise", "normalise", "hog", "project", "score", "decide", "whole", "taught")
PARTS = ("project", "score", "decide")
"""Stages that have no compiled entry of their own; the device does not call them separately."""
FRAME_STAGES = ("locate", "page")
WORST = "worst"
"""The stage of the frames that cost most; it takes minutes, so it is counted only if it is asked for by name."""
FRAME = (480, 640)
SAMPLES = 100
"""Samples of the hand of the stage `taught`."""


@kernel
def project(weights, buffers, features):
    """The first half of `edge_lpdpl.numeral.kernels.classify.classify`."""
    dimensions = len(weights.offset)
    for column in range(dimensions):
        buffers.inputs[column] = weights.offset[column]
    classify.add_weighted_rows(features, weights.projection, buffers.places, buffers.inputs[:dimensions])


def picture_calls(engine: CompiledEngine, wanted: str | None = None) -> dict[str, Callable[[Any], object]]:
    """Stage to a call on one grey picture. Each stage reads what the previous one left in the buffers.

    `call` does nothing and shows the cost of a call. The stages of `PARTS` take their arrays one by one, which costs
    more.

    Args:
        wanted: the only stage to compile or load; None takes all.
    """
    buffers, weights, responses = engine.buffers, engine.weights, engine.responses
    stages: dict[str, Callable[[], Callable[[Any], object]]] = {
        "call": lambda: _nothing(engine),
        "binarise": lambda: lambda picture: engine.find_ink(picture, INK_AUTO),
        "normalise": lambda: _without_picture(engine.kernel("fit_square")),
        "hog": lambda: _without_picture(engine.kernel("describe_square")),
        "project": lambda: _bound(project, weights, responses, buffers.features),
        "score": lambda: _bound(classify.score_classes, weights, responses),
        "decide": lambda: _bound(classify.decide, responses, weights.margins, weights.confidences),
        "whole": lambda: lambda picture: engine.recognise(picture, INK_AUTO),
    }
    return {name: make() for name, make in stages.items() if wanted in (None, name)}


def taught_call(recogniser: Recogniser, wanted: str | None = None) -> dict[str, Callable[[Any], object]]:
    """The stage `taught` to a call on one grey picture: `whole` with a hand, whatever was taught."""
    if wanted not in (None, "taught"):
        return {}
    model, random = recogniser.model, np.random.default_rng(0)
    engine = CompiledEngine(model)
    inputs = random.normal(size=(SAMPLES, model.dimensions)).astype(np.float32) / np.float32(model.dimensions**0.5)
    engine.wear(work_out(list(inputs), [sample % model.class_count for sample in range(SAMPLES)], model.class_count))
    return {"taught": lambda picture: engine.recognise(picture, INK_AUTO)}


def frame_calls(recogniser: Recogniser, wanted: str | None = None) -> dict[str, Callable[[Any], object]]:
    """Stage to a call on one frame (480, 640), uint8: `locate` finds its ink, `page` finds and reads its numbers."""
    if wanted in (*PICTURE_STAGES, WORST):
        return {}
    reader = ConfirmingReader(recogniser, *FRAME)
    stages: dict[str, Callable[[Any], object]] = {"locate": reader.locator.find, "page": reader.read}
    return {name: stage for name, stage in stages.items() if wanted in (None, name)}


def _nothing(engine: CompiledEngine) -> Callable[[Any], object]:
    prototype = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)
    empty = prototype(("labs", ctypes.CDLL(None)))

    def call(picture: Any) -> None:
        engine.ask(picture, INK_AUTO)
        empty(1)

    return call


def _without_picture(stage: Callable[[], object]) -> Callable[[Any], object]:
    return lambda picture: stage()


def _bound(compiled: Any, *arguments: object) -> Callable[[Any], object]:
    entry = bind(compiled, *arguments)
    return lambda picture: entry(*arguments)
