"""The steps of one decision as JSON: cut-out, ink, square, histogram, scores; a viewer draws them."""

import contextlib
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import HandError
from edge_lpdpl.live.publish.requests import Reply
from edge_lpdpl.live.view.viewing import CutOut
from edge_lpdpl.numeral.recogniser import Recogniser
from edge_lpdpl.numeral.steps import copy_steps


class Explainer:
    """Reads a cut-out again, with the model and the hand that it was read with and a recogniser of its own, in the
    thread that asks: the loop goes on meanwhile."""

    def __init__(self) -> None:
        self._recogniser: Recogniser | None = None

    def explain(self, cut_out: CutOut, backend: str) -> Reply:
        """The steps of a cut-out, ready for JSON; `docs/live.md` lists the keys."""
        picture, model, hand = cut_out
        if self._recogniser is None or self._recogniser.model is not model:
            self._recogniser = Recogniser(model, backend)
        recogniser = self._recogniser
        if recogniser.hand is not hand:
            with contextlib.suppress(HandError):  # of several models, this one cannot be taught
                recogniser.wear(hand)
        read = recogniser.recognise(picture, "light")
        answer: dict[str, Any] = {"model": model.name, "picture": _grey(picture)}
        answer |= {"label": read.label, "reason": read.reason}
        if read.label is None:
            return answer
        steps = copy_steps(recogniser)
        largest = float(steps.histogram.max()) or 1.0
        return answer | {
            "confidence": round(read.confidence, 6),
            "novelty": round(read.novelty, 4) if np.isfinite(read.novelty) else None,
            "ink": _grey(steps.ink) | {"box": list(steps.box)},
            "square": _grey(np.rint(steps.square * 255).astype(np.uint8)),
            "histogram": {
                "cells": len(steps.histogram),
                "directions": np.round(steps.directions.astype(np.float64), 4).tolist(),
                "signed": recogniser.model.hog.signed,
                "values": np.rint(steps.histogram.ravel() * (255 / largest)).astype(int).tolist(),
            },
            "scores": [
                {"label": label.character, "value": label.value, "score": _rounded(score)}
                for label, score in zip(model.labels, read.scores.tolist(), strict=True)
            ],
        }


def _grey(picture: NDArray[np.uint8]) -> dict[str, Any]:
    height, width = picture.shape
    return {"width": width, "height": height, "grey": b64encode(picture.tobytes()).decode()}


def _rounded(score: float) -> float | None:
    return round(score, 6) if np.isfinite(score) else None
