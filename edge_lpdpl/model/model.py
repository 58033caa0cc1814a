"""A model: arrays and metadata that agree with each other, under one digest."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import ModelError
from edge_lpdpl.jit.memory import fit_float16
from edge_lpdpl.model.container import Array, type_name
from edge_lpdpl.model.json_text import canonical_json
from edge_lpdpl.model.metadata import (
    FIRST_SCHEMA,
    NOVELTY_SCHEMA,
    PICTURES_SCHEMA,
    SCHEMA,
    SHARE_SCHEMA,
    Metadata,
    adopt,
)
from edge_lpdpl.model.settings import NEW_IN_SCHEMA_4
from edge_lpdpl.model.shapes import DICTIONARIES, NOVELTY, PICTURES, SHAPES, check_arrays


class Dictionaries(NamedTuple):
    """The trained model before folding; the device does not need it. All float32, for Q forms, n inputs, m atoms."""

    synthesis: Array
    """(Q, n, m): D of every class."""
    analysis: Array
    """(Q, m, n): P of every class."""
    classifier: Array
    """(Q, Q, m): W of every class."""


class Novelty(NamedTuple):
    """Distances from classes that detect non-numerals. All float32, for Q classes, n dimensions, K factors.

    With a = z - means[q], the distance of z from class q is sum over i of weights[q, i] * a[i]**2 + sum over k of
    (sum over i of a[i] * factors[q, i, k])**2. The surest reading may be as far away as 1.
    """

    means: Array
    """(Q, n)."""
    weights: Array
    """(Q, n): 0 or more."""
    factors: Array
    """(Q, n, K)."""


@dataclass(frozen=True, kw_only=True)
class Model(Metadata):
    """A folded LpDPL model. Making one checks it, as reading one does; equal models have equal digests.

    Arrays are C-contiguous and read-only (a writeable one is copied), all float32 but the pictures. Where float16 holds
    the projection and the vectors (`edge_lpdpl.jit.memory`), as the trainer rounds them, the kernels read half the
    bytes.

    With f the histogram, z = projection_offset + f @ projection (z = f without a projection) and x = [z, constant]
    (x = z where the constant is 0), the scores are 1 + sum over j of squares[j] * y[j]**2 + linears[j] * y[j], with
    y[j] = sum over i of x[i] * vectors[i, j]. The smallest score wins, and its margin to the next gives its confidence.
    The novelty is the distance of z from the numerals of the winning class (`Novelty`), divided by the distance that
    such a margin allows: a line from `unsure_share` without a margin to 1 at the last of `confidence_margins`. Where
    non-numerals have a score, the last one, the lead over it also counts: the novelty is at least the square of what a
    line gives that is 0 at `usual_lead` and 1 at `least_lead`; beyond `usual_lead` the lead says nothing. Above 1 the
    reading is rejected. Nothing of this overflows, whatever the picture (`shapes.BOUNDS`).

    Raises:
        ModelError: a field is out of its range, or contradicts another.

    >>> from edge_lpdpl.model.labels import LATIN
    >>> from edge_lpdpl.model.settings import EDGE
    >>> def ones(*shape):
    ...     return np.ones(shape, np.float32)
    >>> model = Model(
    ...     name="all-ones", profile="edge", labels=LATIN, preprocessing=EDGE.preprocessing, hog=EDGE.hog,
    ...     projection=ones(512, 80), projection_offset=ones(80),
    ...     dimensions=80, rank=32, atoms=16, constant=1.0, vectors=ones(81, 32, 10), squares=ones(32, 10),
    ...     linears=ones(32, 10), confidence_margins=np.float32([0, 1]), confidence_values=np.float32([0.1, 1]),
    ...     threshold=0.5, false_rejects=0.01, calibration={"expected_calibration_error": 0.002},
    ...     training={"data": "none", "digest": "", "images": 0, "seed": 0, "settings": {}},
    ...     selftest_pictures=np.zeros((1, 32, 32), np.uint8), selftest_distances=ones(1), selftest_scores=ones(1, 10),
    ... )
    >>> model
    <Model all-ones: 10 classes, 512 features, 80 dimensions, rank 32>
    >>> model.weight_bytes  # float16 holds ones
    136640
    """

    projection: Array | None = None
    """(features, dimensions)."""
    projection_offset: Array | None = None
    """(dimensions,)."""
    vectors: Array
    """(inputs, rank, forms): the inputs are the dimensions and, where it is not 0, the constant."""
    squares: Array
    """(rank, forms)."""
    linears: Array
    """(rank, forms)."""
    confidence_margins: Array
    """(points,): increasing, from 0 or above."""
    confidence_values: Array
    """(points,): the confidence at each margin, straight lines between, flat outside."""
    selftest_scores: Array
    """(samples, forms): the scores that the device has to get, to the last bit."""
    selftest_pictures: NDArray[np.uint8] | None = None
    """(samples, height, width): grey pictures, of either polarity. None in files before schema 4."""
    selftest_distances: Array | None = None
    """(samples,): the distance of each picture from its class, before it is divided; 0 in models without novelty."""
    selftest_features: Array | None = None
    """(samples, features): histograms, in files before schema 4. None since."""
    dictionaries: Dictionaries | None = None
    novelty: Novelty | None = None
    """None where the model does not detect non-numerals, as in files of schema 1."""
    digest: str = field(init=False)
    """`sha256:` and 64 hex digits over metadata and arrays."""

    def __post_init__(self) -> None:
        super().__post_init__()
        adopt(self, **grouped({name: _own(name, array) for name, array in self.tensors().items()}))
        if self.unsure_share == 0 or (self.novelty is None and self.unsure_share < 1):
            raise ModelError(f"unsure_share = {self.unsure_share:g} is 0, or a share of distances that there are not")
        if self.projection is None and (self.dimensions != self.feature_count or self.constant > 0):
            raise ModelError(f"without a projection there are {self.feature_count} dimensions and no constant")
        settings = self.preprocessing._asdict() | self.hog._asdict()
        if self.usual_lead < self.least_lead:
            raise ModelError(f"usual_lead = {self.usual_lead:g} is below least_lead = {self.least_lead:g}")
        if self.schema < PICTURES_SCHEMA and any(settings[name] != value for name, value in NEW_IN_SCHEMA_4.items()):
            raise ModelError(f"its settings are of schema {PICTURES_SCHEMA}, but it has no self-test of pictures")
        sizes = {
            "classes": self.class_count,
            "forms": self.class_count + self.scores_non_numerals,
            "features": self.feature_count,
            "dimensions": self.dimensions,
            "inputs": self.dimensions + (self.constant > 0),
            "rank": self.rank,
            "atoms": self.atoms,
        }
        check_arrays(self.tensors(), sizes)
        adopt(self, digest=self._digest())

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        sizes = f"{self.class_count} classes, {self.feature_count} features, {self.dimensions} dimensions"
        return f"<Model {self.name}: {sizes}, rank {self.rank}>"

    @property
    def class_count(self) -> int:
        """Labels, and scores."""
        return len(self.labels)

    @property
    def scores_non_numerals(self) -> bool:
        """Whether the last form scores what is no numeral."""
        return self.usual_lead > self.least_lead

    @property
    def feature_count(self) -> int:
        """Numbers in the histogram."""
        return self.hog.feature_count(self.preprocessing.side)

    @property
    def schema(self) -> int:
        """Version of the format that its file has: the newest, or that of the older file it was read from."""
        if self.scores_non_numerals:
            return SCHEMA
        if self.selftest_pictures is not None:
            return PICTURES_SCHEMA
        if self.novelty is None:
            return FIRST_SCHEMA
        return NOVELTY_SCHEMA if self.unsure_share == 1 else SHARE_SCHEMA

    @property
    def weight_bytes(self) -> int:
        """Bytes that one decision reads at most, as the kernels hold them; of the novelty, those of one class."""
        rows = [array for array in (self.projection, self.vectors) if array is not None]
        others = [array for array in (self.projection_offset, self.squares, self.linears) if array is not None]
        of_a_class = 0 if self.novelty is None else sum(array.nbytes for array in self.novelty) // self.class_count
        share = 2 if fit_float16(*rows) else 1
        return sum(array.nbytes for array in rows) // share + sum(array.nbytes for array in others) + of_a_class

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All arrays that there are, under the names that they have in a file (`shapes.SHAPES`)."""
        groups = dict(zip(DICTIONARIES, self.dictionaries or (), strict=False))
        groups |= dict(zip(NOVELTY, self.novelty or (), strict=False))
        arrays = ((name, groups.get(name, getattr(self, name, None))) for name in sorted(SHAPES))
        return {name: array for name, array in arrays if array is not None}

    def _digest(self) -> str:
        tensors = self.tensors()
        layout = [[name, type_name(array), list(array.shape)] for name, array in tensors.items()]
        text = canonical_json({"metadata": self.to_json(), "tensors": layout}, "metadata")
        state = hashlib.sha256(text.encode() + b"\0")  # no JSON holds this byte, so the arrays begin here
        for array in tensors.values():
            state.update(array.data)
        return f"sha256:{state.hexdigest()}"


def grouped(tensors: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Arrays by the fields of a `Model`: the inverse of `Model.tensors`."""
    fields: dict[str, Any] = dict(tensors)
    for field_name, group, names in (("dictionaries", Dictionaries, DICTIONARIES), ("novelty", Novelty, NOVELTY)):
        if names[0] in fields:
            fields[field_name] = group(*(fields.pop(name) for name in names))
    return fields


def describe(model: Model) -> dict[str, Any]:
    """A model's metadata, sizes and digest, without its arrays, ready for JSON."""
    return {
        **model.to_json(),
        "classes": model.class_count,
        "features": model.feature_count,
        "weight_bytes": model.weight_bytes,
        "selftest_samples": len(model.selftest_scores),
        "has_dictionaries": model.dictionaries is not None,
        "checks_novelty": model.novelty is not None,
        "scores_non_numerals": model.scores_non_numerals,
        "digest": model.digest,
    }


def _own(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array itself if nobody can write to it through this object, else a copy."""
    kind = np.dtype(np.uint8 if name == PICTURES else np.float32)
    if not isinstance(array, np.ndarray) or array.dtype != kind:
        raise ModelError(f"{name} is not a {kind} array")  # rounding it here could change a decision unnoticed
    if array.flags.writeable or not array.flags.c_contiguous:
        array = array.copy(order="C")
        array.setflags(write=False)
    return array
