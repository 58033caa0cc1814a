"""Handwritten numerals read on a Raspberry Pi.

>>> from edge_lpdpl import Recogniser, shipped_model
>>> Recogniser.load(shipped_model("chinese15")).model.name
'chinese15'
"""

from edge_lpdpl.errors import EdgeError, ImageError, ModelError
from edge_lpdpl.labels import Label
from edge_lpdpl.model import Model, read_model
from edge_lpdpl.recognise import Recogniser, Recognition
from edge_lpdpl.shipped import shipped_model

__all__ = [
    "EdgeError",
    "ImageError",
    "Label",
    "Model",
    "ModelError",
    "Recogniser",
    "Recognition",
    "read_model",
    "shipped_model",
]
__version__ = "0.1.0"
