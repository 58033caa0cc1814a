"""A model file is refused in a line, or is a model that reads any picture without an overflow."""

import json
import random
import struct

import numpy as np
from bounded_errors import in_a_file, refused_in_a_line
from model_bytes import canonical, digest

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.errors import BackendError
from edge_lpdpl.model.files import read_model

LONGEST = 16384
TYPES = {"F32": "<f4", "U8": "u1"}
EXTREME = [0.0, -0.0, 1e-45, 1e30, -1e30, 3.4e38, float("inf"), float("nan"), 1.0, -1.0]
PICTURES = [np.random.default_rng(seed).integers(0, 256, (40, 48), dtype=np.uint8) for seed in (1, 2)]
PICTURES.append(np.pad(np.full((20, 6), 255, np.uint8), 10))

Recogniser.load(shipped_model("latin10"), "numba")  # loads the kernels now: no input waits for that


def check(data: bytes) -> None:
    with in_a_file(data) as path, refused_in_a_line():
        model = read_model(path)
        try:
            recogniser = Recogniser(model, "numba")
        except BackendError:
            return
        for picture in PICTURES:
            assert np.isfinite(recogniser.recognise(picture).scores).all()


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Change any bytes, or one part of the file; then sign it again, so that the digest hides nothing."""
    import atheris

    dice = random.Random(seed)
    changed = atheris.Mutate(data, most) if dice.random() < 0.2 else _with_a_part_changed(data, dice, atheris.Mutate)
    return (signed(changed) if dice.random() < 0.9 else changed)[:most]


def _with_a_part_changed(data: bytes, dice: random.Random, change) -> bytes:
    try:
        header, text, body = parts(data)
    except ValueError:
        return change(data, LONGEST)
    match dice.randrange(4):
        case 0:
            text = change(text.encode(), len(text) + 200).decode(errors="replace")
        case 1:
            text = _with_another_value(text, dice)
        case 2:
            place = 4 * dice.randrange(max(len(body) // 4, 1))
            body = body[:place] + struct.pack("<f", dice.choice(EXTREME)) + body[place + 4 :]
        case 3:
            told = change(json.dumps(header).encode(), 8192)
            return joined(told, body)
    header["__metadata__"] = {"edge_lpdpl": text}
    return joined(json.dumps(header, ensure_ascii=False).encode(errors="replace"), body)


def _with_another_value(text: str, dice: random.Random) -> str:
    """Metadata with another number somewhere."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return text
    place, values = (
        table,
        [-1, 0, 1, 2, 3, 7, 8, 32, 33, 64, 255, 4096, 2**31, 2**63, 1e-300, 1e300, 0.5, True, None, ""],
    )
    while isinstance(place, dict | list) and place:
        key = dice.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or dice.random() < 0.1:
            place[key] = dice.choice(values)
            break
        place = place[key]
    return json.dumps(table, ensure_ascii=False)


def parts(data: bytes) -> tuple[dict, str, bytes]:
    """Header, text of the metadata, and bytes of the arrays.

    Raises:
        ValueError: it has none.
    """
    start = 8 + int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8:start])
        return header, header.pop("__metadata__")["edge_lpdpl"] + "", data[start:]
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError from error


def joined(header: bytes, body: bytes) -> bytes:
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + body


def signed(data: bytes) -> bytes:
    """The same file with the digest that belongs to it, as far as it can be understood."""
    try:
        header, text, body = parts(data)
        metadata = json.loads(text)
        arrays = {
            name: np.frombuffer(body[slice(*entry["data_offsets"])], TYPES[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()
        }
        metadata["digest"] = digest(metadata, arrays)
        header["__metadata__"] = {"edge_lpdpl": canonical(metadata)}
        return joined(json.dumps(header, ensure_ascii=False).encode(), body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MemoryError, OverflowError):
        return data
