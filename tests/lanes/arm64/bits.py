"""What is compared between machines: every number that the project computes of many pictures.

    python bits.py INPUTS OUTPUT

INPUTS is a folder with `pictures.npz` and model files; OUTPUT becomes an npz file of arrays by `MODEL/BACKEND/NAME`,
and beside it a model is written with each profile.
"""

import sys
from pathlib import Path

import numpy as np
from small_models import small_model

from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import shipped_model, shipped_models, shipped_pictures
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.settings import EDGE, PAPER
from edge_lpdpl.numeral.recogniser import Recogniser


def backends_of(model: str) -> tuple[str, ...]:
    """The backends that read a model. NumPy reads those of the profile edge alone."""
    return ("numba",) if model == "random-paper" else ("numba", "numpy")


def compute(inputs: Path, output: Path) -> None:
    """All numbers, for the shipped models and those in `inputs`."""
    decoded = {path.stem: read_picture(path) for path in shipped_pictures()}
    with np.load(inputs / "pictures.npz") as drawn:
        pictures = decoded | dict(drawn)
    result = {"names": np.array(list(pictures)), "decoded": np.concatenate([grey.ravel() for grey in decoded.values()])}
    for path in [*map(shipped_model, shipped_models()), *sorted(inputs.glob("*.safetensors"))]:
        model = read_model(path)
        for backend in backends_of(model.name):
            recogniser = Recogniser(model, backend)
            recogniser.self_test()
            for name, rows in numbers(recogniser, pictures).items():
                result[f"{model.name}/{backend}/{name}"] = rows
    for profile in (EDGE, PAPER):
        write_model(output.with_name(f"{output.stem}-{profile.name}.safetensors"), small_model(profile))
    np.savez(output, **result)


def numbers(recogniser: Recogniser, pictures: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The buffers after each picture: one row per picture, zeros if there is nothing to read."""
    buffers, responses = recogniser.engine.buffers, recogniser.engine.responses
    sources = {
        "found": buffers.found,
        "square": buffers.square,
        "features": buffers.features,
        "inputs": responses.inputs,
        "scores": responses.scores,
        "decision": responses.decision,
    }
    rows = {name: np.zeros((len(pictures), array.size), array.dtype) for name, array in sources.items()}
    for index, picture in enumerate(pictures.values()):
        if recogniser.recognise(picture).label is not None:
            for name, array in sources.items():
                rows[name][index] = array.ravel()
    return rows


if __name__ == "__main__":
    compute(Path(sys.argv[1]), Path(sys.argv[2]))
