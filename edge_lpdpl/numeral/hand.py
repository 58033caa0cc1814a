"""A hand: what a person taught, as pictures of numerals with their labels, in a file beside the model.

A file of a hand has the container of a model file: JSON and one array, checked before they are believed, under one
digest. It holds pictures, not numbers that depend on a model, so every model can work it out anew
(`edge_lpdpl.numeral.taught`).
"""

import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import HandError, ModelError
from edge_lpdpl.files.atomic import blaming, write_atomically
from edge_lpdpl.files.regular import read_regular
from edge_lpdpl.files.text import printable
from edge_lpdpl.model.container import join, split
from edge_lpdpl.model.json_text import canonical_json, read_json

SIDE = 32
"""Pixels a side of the picture of a sample."""
MOST_SAMPLES = 500
LONGEST_LABEL = 8
"""Characters of a label."""
SCHEMA = 1
MOST_BYTES = MOST_SAMPLES * SIDE * SIDE + (64 << 10)
"""Of a file: the pictures, and more than their labels can need."""

_KEYS = ["digest", "kind", "labels", "schema"]
_ID_DIGITS = 12


@dataclass(frozen=True, eq=False)
class Sample:
    """One numeral that was taught.

    Args:
        label: the character that it is.
        picture: (32, 32) uint8, light ink on black, centred and of one size: `Recogniser.square` of a picture.

    Raises:
        HandError: the label is no short printable text, or the picture is another array or has no ink.
    """

    label: str
    picture: NDArray[np.uint8]

    def __post_init__(self) -> None:
        label, picture = self.label, self.picture
        if not isinstance(label, str) or not 1 <= len(label) <= LONGEST_LABEL or not label.isprintable():
            raise HandError(f"a label is {str(label)[:20]!r}, not 1 to {LONGEST_LABEL} printable characters")
        if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8 or picture.shape != (SIDE, SIDE):
            raise HandError(f"the picture of a sample is not {SIDE}x{SIDE} uint8")
        if not picture.any():
            raise HandError("the picture of a sample has no ink")
        own = np.array(picture, order="C")
        own.setflags(write=False)
        object.__setattr__(self, "picture", own)

    @cached_property
    def id(self) -> str:
        """Twelve hex digits: the same picture with the same label has the same ones in every hand."""
        return hashlib.sha256(self.label.encode() + b"\0" + self.picture.tobytes()).hexdigest()[:_ID_DIGITS]


@dataclass(frozen=True, eq=False)
class Hand:
    """Samples in the order in which they were taught; each one once.

    Raises:
        HandError: a sample occurs twice, or there are more than 500.

    >>> picture = np.full((32, 32), 200, np.uint8)
    >>> hand = Hand().with_sample(Sample("七", picture))
    >>> len(hand), hand.without([hand.samples[0].id]) == Hand()
    (1, True)
    """

    samples: tuple[Sample, ...] = ()

    def __post_init__(self) -> None:
        if len(self.samples) > MOST_SAMPLES:
            raise HandError(f"the hand has {len(self.samples)} samples, at most {MOST_SAMPLES} fit; forget some")
        if len({sample.id for sample in self.samples}) < len(self.samples):
            raise HandError("holds the same sample twice")

    def __len__(self) -> int:
        return len(self.samples)

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Hand) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def with_sample(self, sample: Sample) -> "Hand":
        """This hand and one sample more; the same hand if it holds that sample.

        Raises:
            HandError: the hand is full.
        """
        known = any(sample.id == one.id for one in self.samples)
        return self if known else Hand((*self.samples, sample))

    def without(self, ids: Collection[str]) -> "Hand":
        """This hand without some samples, as if they had never been taught.

        Raises:
            HandError: it does not hold one of them.
        """
        if not ids:
            return self
        if unknown := set(ids) - {sample.id for sample in self.samples}:
            remedy = "`edge-lpdpl ask hand` lists the service's, `hand show` your own"
            raise HandError(f"holds no sample {printable(min(unknown))[:20]}; {remedy}")
        return Hand(tuple(sample for sample in self.samples if sample.id not in ids))

    @cached_property
    def digest(self) -> str:
        """`sha256:` and 64 hex digits over labels and pictures."""
        state = hashlib.sha256(canonical_json([sample.label for sample in self.samples], "labels").encode() + b"\0")
        for sample in self.samples:
            state.update(sample.picture.data)
        return f"sha256:{state.hexdigest()}"


def read_hand(path: str | os.PathLike[str]) -> Hand:
    """Read and check the file of a hand.

    Raises:
        HandError: the file cannot be read or is not valid; one line, `FILE: what is wrong; what to do`.

    >>> read_hand("none.hand")
    Traceback (most recent call last):
    ...
    edge_lpdpl.errors.HandError: none.hand: cannot be opened (No such file or directory); check the path
    """
    return parse_hand(read_regular(path, MOST_BYTES, HandError), printable(os.fsdecode(path)))


def parse_hand(data: bytes, name: str) -> Hand:
    """A hand from the bytes of a file.

    Raises:
        HandError: they are not valid; the line begins with `name`.
    """
    try:
        metadata, tensors = split(data)
        table: Any = read_json(metadata, "metadata")
        if not isinstance(table, dict) or table.get("kind") != "hand":
            raise HandError("is no hand")
        if table.get("schema") != SCHEMA or sorted(table) != _KEYS:
            raise HandError(f"has another format than {SCHEMA}")
        hand = Hand(_samples(table["labels"], tensors))
        if table["digest"] != hand.digest:
            raise HandError("its content is not what its digest was made for")
    except (HandError, ModelError, RecursionError) as error:
        wrong = "its JSON is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        remedy = "give a hand that `edge-lpdpl hand export` wrote, or begin anew: edge-lpdpl hand clear"
        raise HandError(f"{name}: {wrong}; {remedy}") from error
    return hand


def hand_bytes(hand: Hand) -> bytes:
    """The bytes of its file; always the same bytes for the same hand."""
    table = {"kind": "hand", "schema": SCHEMA, "labels": [one.label for one in hand.samples], "digest": hand.digest}
    tensors = {"pictures": np.stack([one.picture for one in hand.samples])} if hand.samples else {}
    return join(canonical_json(table, "metadata"), tensors)


def write_hand(path: str | os.PathLike[str], hand: Hand) -> None:
    """Write the file of a hand, whole or not at all.

    Raises:
        HandError: it cannot be written.
    """
    with blaming(path, HandError):
        write_atomically(path, hand_bytes(hand))


def _samples(labels: object, tensors: dict[str, NDArray[Any]]) -> tuple[Sample, ...]:
    if not isinstance(labels, list) or len(labels) > MOST_SAMPLES:
        raise HandError(f"has no list of at most {MOST_SAMPLES} labels")
    if list(tensors) != ["pictures"] * bool(labels):
        raise HandError("its arrays are not the pictures alone")
    pictures: Any = tensors.get("pictures", ())
    if len(pictures) != len(labels):
        raise HandError(f"has {len(labels)} labels and {len(pictures)} pictures")
    return tuple(Sample(label, picture) for label, picture in zip(labels, pictures, strict=True))
