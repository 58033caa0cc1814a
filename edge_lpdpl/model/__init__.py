"""The model file: read, checked before it is believed, written whole or not at all.

A safetensors container of float32 arrays with one JSON text beside them, so that everything a device needs to decide as
the trainer did is in one file. `Model` says what is in it; one module each does the rest:

- `model` what a model is, and its digest
- `metadata` what the JSON text says: labels, settings, figures
- `shapes` the arrays, and how their shapes hang together
- `container` bytes on disk: header, offsets, mapping
- `strict_json` JSON that a stranger wrote
- `files` the way in and the way out
"""

from edge_lpdpl.model.container import MAX_FILE_BYTES
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.metadata import SCHEMA
from edge_lpdpl.model.model import Dictionaries, Model, Novelty, describe

__all__ = ["MAX_FILE_BYTES", "SCHEMA", "Dictionaries", "Model", "Novelty", "describe", "read_model", "write_model"]
