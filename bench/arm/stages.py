"""The stages of a decision as compiled calls, to be counted or compiled for another machine."""

from collections.abc import Callable
from typing import Any

from edge_lpdpl import classify, pipeline
from edge_lpdpl.compiled import bind, kernel
from edge_lpdpl.engine import EXAMPLE_PICTURE, CompiledEngine
from edge_lpdpl.workspace import INK_AUTO


@kernel
def nothing(grey, polarity, preprocessing, hog, buffers, weights, responses):
    """What it costs to call a kernel of as many arguments as the whole path has."""
    return 0


@kernel
def project(weights, buffers, features):
    """The first half of `edge_lpdpl.classify.classify`."""
    dimensions = len(weights.offset)
    for column in range(dimensions):
        buffers.inputs[column] = weights.offset[column]
    classify.add_weighted_rows(features, weights.projection, buffers.places, buffers.inputs[:dimensions])


def stage_calls(engine: CompiledEngine, wanted: str | None = None) -> dict[str, Callable[[Any], object]]:
    """Calls of one grey picture each, by stage; each works on what the stage before it left in the buffers.

    A stage is compiled (or loaded) when it is `wanted`, or all are.
    """
    preprocessing, hog, buffers, weights, responses = engine.arguments
    stages: dict[str, tuple[Any, tuple[object, ...]]] = {
        "call": (nothing, (EXAMPLE_PICTURE, INK_AUTO, *engine.arguments)),
        "binarise": (pipeline.binarise, (EXAMPLE_PICTURE, INK_AUTO, preprocessing, buffers)),
        "normalise": (pipeline.normalise, (preprocessing, buffers)),
        "hog": (pipeline.histogram_of_gradients, (hog, buffers)),
        "project": (project, (weights, responses, buffers.features)),
        "score": (classify.score_classes, (weights, responses)),
        "decide": (classify.decide, (responses.scores, weights.margins, weights.confidences, responses.decision)),
        "whole": (pipeline.recognise, (EXAMPLE_PICTURE, INK_AUTO, *engine.arguments)),
    }
    return {name: _call(*stage) for name, stage in stages.items() if wanted in (None, name)}


def _call(compiled: Any, example: tuple[object, ...]) -> Callable[[Any], object]:
    entry = bind(compiled, *example)
    if example[0] is EXAMPLE_PICTURE:
        return lambda picture: entry(picture, *example[1:])
    return lambda picture: entry(*example)
