"""The options after `synthetic:` in the name of a data source, such as `writers=20,samples=3,seed=7`."""

from dataclasses import dataclass, fields

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL

SCRIPTS = {
    "chinese": CHINESE,
    "traditional": TRADITIONAL,
    "cheque": CHEQUE,
    "arabic-indic": ARABIC_INDIC,
    "latin": LATIN,
}
_BOUNDS = {"writers": (1, 1000), "samples": (1, 100), "seed": (0, 2**63 - 1), "size": (16, 256)}
_MOST_BYTES = 2**30


@dataclass(frozen=True)
class Options:
    """How many numerals to draw, and which; the defaults are as in the Newcastle set of Chinese numbers.

    Attributes:
        writers: 1 to 1000.
        samples: of every numeral by every writer, 1 to 100.
        seed: 0 to 2**63 - 1.
        script: one of `SCRIPTS`.
        size: side of the pictures in pixels, 16 to 256.
    """

    writers: int = 100
    samples: int = 10
    seed: int = 0
    script: str = "chinese"
    size: int = 64


def parse_options(text: str) -> Options:
    """Parse `key=value` pairs separated by commas; keys that are left out keep their defaults.

    Raises:
        DatasetError: a part is not such a pair, a key is unknown or repeated, a value is out of range, or the pictures
            would take more than 1 GiB.

    >>> parse_options("writers=20, script=latin")
    Options(writers=20, samples=10, seed=0, script='latin', size=64)
    """
    given: dict[str, int | str] = {}
    known = [field.name for field in fields(Options)]
    for pair in text.split(",") if text.strip() else []:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or key not in known:
            raise DatasetError(f"synthetic: {pair.strip()[:30]!r} is not one of {'=..., '.join(known)}=...")
        if key in given:
            raise DatasetError(f"synthetic: {key} is given twice")
        given[key] = _script(value) if key == "script" else _number(key, value)
    options = Options(**given)  # type: ignore[arg-type]  # every number is an int, and the script a str
    bytes_needed = options.writers * options.samples * len(SCRIPTS[options.script]) * options.size**2
    if bytes_needed > _MOST_BYTES:
        raise DatasetError(
            f"synthetic: the pictures would take {bytes_needed / 2**30:.1f} GiB, at most 1 is allowed;"
            " ask for fewer writers or samples, or a smaller size"
        )
    return options


def _number(key: str, value: str) -> int:
    low, high = _BOUNDS[key]
    # The length is checked first: int() is slow for a long text and fails for a very long one.
    if not (value.isascii() and value.isdigit() and len(value) <= 20 and low <= int(value) <= high):
        raise DatasetError(f"synthetic: {key}={value[:30]} is not a whole number from {low} to {high}")
    return int(value)


def _script(value: str) -> str:
    if value not in SCRIPTS:
        raise DatasetError(f"synthetic: script={value[:30]} is not one of {', '.join(SCRIPTS)}")
    return value
