"""Handwritten numbers read on a Raspberry Pi.

In: pictures and a model. Out: numbers. Open `number/reader.py` for a page, `numeral/recogniser.py` for one numeral.
Importing the package imports nothing heavy: each name below loads its module when it is first used.

>>> from edge_lpdpl import Recogniser, shipped_model
>>> Recogniser.load(shipped_model("chinese15")).model.name
'chinese15'
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edge_lpdpl.errors import BackendError, ConfigError, EdgeError, HandError, ImageError, ModelError
    from edge_lpdpl.form.fields import Field
    from edge_lpdpl.form.reader import FormReader
    from edge_lpdpl.form.sheet import Area
    from edge_lpdpl.library.hands import load_hand
    from edge_lpdpl.library.shipped import shipped_model
    from edge_lpdpl.model.files import read_model
    from edge_lpdpl.model.labels import Label
    from edge_lpdpl.model.model import Model
    from edge_lpdpl.number.constraints import Constraints
    from edge_lpdpl.number.line_reader import Number, Numeral
    from edge_lpdpl.number.pictures.reader import PictureReader, read
    from edge_lpdpl.number.reader import Reading
    from edge_lpdpl.numeral.recogniser import Recogniser, Recognition

__version__ = "0.1.0"
__all__ = ["Area", "BackendError", "ConfigError", "Constraints", "EdgeError", "Field", "FormReader", "HandError"]
__all__ += ["ImageError", "Label", "Model", "ModelError", "Number", "Numeral", "PictureReader", "Reading", "Recogniser"]
__all__ += ["Recognition", "load_hand", "read", "read_model", "shipped_model"]

_HOMES = {
    "BackendError": "errors",
    "ConfigError": "errors",
    "EdgeError": "errors",
    "HandError": "errors",
    "ImageError": "errors",
    "ModelError": "errors",
    "Field": "form.fields",
    "FormReader": "form.reader",
    "Area": "form.sheet",
    "load_hand": "library.hands",
    "shipped_model": "library.shipped",
    "read_model": "model.files",
    "Label": "model.labels",
    "Model": "model.model",
    "Constraints": "number.constraints",
    "read": "number.pictures.reader",
    "Number": "number.line_reader",
    "Numeral": "number.line_reader",
    "PictureReader": "number.pictures.reader",
    "Reading": "number.reader",
    "Recogniser": "numeral.recogniser",
    "Recognition": "numeral.recogniser",
}
"""Module of each public name."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
