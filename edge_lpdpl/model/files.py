"""Read and write model files. An error is one line that says what is wrong and what to do."""

import contextlib
import os
from collections.abc import Iterator

from edge_lpdpl.errors import EdgeError, ModelError
from edge_lpdpl.files.atomic import write_atomically
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable
from edge_lpdpl.model.container import MAX_FILE_BYTES, join, split
from edge_lpdpl.model.json_text import canonical_json, read_json
from edge_lpdpl.model.metadata import PICTURES_SCHEMA, check_not_newer, fields_from_json
from edge_lpdpl.model.model import Model, grouped
from edge_lpdpl.model.shapes import check_names

_MAX_MESSAGE = 300

PathLike = str | os.PathLike[str]


def read_model(path: PathLike) -> Model:
    """Read and check a model file. Whatever happens to the file later does not change the model.

    Raises:
        ModelError: the file cannot be read or is not valid; one line, `FILE: what is wrong; what to do`.

    >>> read_model("none.safetensors")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.ModelError: none.safetensors: cannot be opened (No such file or directory); check the path
    """
    return parse_model(path, read_model_bytes(path))


def read_model_bytes(path: PathLike) -> bytes:
    """Content of a model file, for `parse_model`: a bounded number of bytes, not checked yet.

    Raises:
        ModelError: the file cannot be read, or is too large.
    """
    return read_regular(path, MAX_FILE_BYTES, ModelError)


def write_model(path: PathLike, model: Model) -> None:
    """Write a model file, whole or not at all; the same model gives the same bytes.

    The bytes are read back and checked before they take the place of what was there.

    Raises:
        ModelError: the file cannot be written, or could not be read again.
    """
    metadata = canonical_json(model.to_json() | {"digest": model.digest}, "metadata")
    data = join(metadata, model.tensors())
    parse_model(path, data)
    with _blaming(path, "check the folder, its permissions and its free space"):
        try:
            write_atomically(path, data)
        except (OSError, ValueError) as error:
            raise ModelError(f"cannot be written ({getattr(error, 'strerror', None) or error})") from error


def parse_model(path: PathLike, data: bytes) -> Model:
    """The model in the bytes of a file.

    Args:
        path: of the file, for errors.

    Raises:
        ModelError: as for `read_model`.
    """
    with _blaming(path, "give a file that lpdpl-train wrote, or copy it again"):
        metadata, tensors = split(data)
        table = read_json(metadata, "metadata")
    with _blaming(path, "upgrade edge-lpdpl"):
        check_not_newer(table)
    with _blaming(path, "export the model again with lpdpl-train"):
        fields = fields_from_json(table)
        digest, schema = fields.pop("digest"), fields.pop("schema")
        check_names(tensors, of_pictures=schema >= PICTURES_SCHEMA)
        model = Model(**fields, **grouped(tensors))
        if model.schema != schema:
            raise ModelError(f"its arrays are those of schema {model.schema}, but it says {schema}")
    with _blaming(path, "copy the file again"):
        if digest != model.digest:
            raise ModelError("its content is not what its digest was made for")
    return model


@contextlib.contextmanager
def _blaming(path: PathLike, remedy: str) -> Iterator[None]:
    """Turn an error into one short line about the file."""
    try:
        yield
    except (EdgeError, RecursionError) as error:
        wrong = str(error) if isinstance(error, EdgeError) else "its JSON is nested too deeply"
        wrong = wrong if len(wrong) <= _MAX_MESSAGE else wrong[:_MAX_MESSAGE] + "..."
        raise ModelError(f"{printable(os.fsdecode(path))}: {wrong}; {remedy}") from error
