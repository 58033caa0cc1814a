"""The Newcastle "Handwritten Chinese Numbers" (K. Nazarpour, M. Chen, 2017), as in the archive "Chinese MNIST".

100 writers (suites) wrote 15 characters 10 times (samples). A picture is `input_{suite}_{sample}_{code}.jpg`, where
code 1 is 零, 2-11 are 一 to 十, and 12-15 are 百 千 万 亿. `chinese_mnist.csv` repeats this in one row per picture. It
is optional, but if it is there it must agree with the pictures.
"""

import csv
import io
import re
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import CHINESE
from train_host.datasets import pictures
from train_host.datasets.dataset import Dataset, index_labels
from train_host.datasets.sources import Source

_CSV = "chinese_mnist.csv"
_COLUMNS = ("suite_id", "sample_id", "code", "value", "character")
_PICTURE = re.compile(r"input_(\d{1,6})_(\d{1,6})_(\d{1,6})\.\w+", re.ASCII)


class Key(NamedTuple):
    """What a file name says about its picture: writer, repetition and character."""

    suite: int
    sample: int
    code: int

    def __str__(self) -> str:
        return f"input_{self.suite}_{self.sample}_{self.code}.jpg"


def claims(name: str) -> bool:
    """Whether a file with this name belongs to such an archive.

    >>> claims("data/data/input_1_10_3.jpg"), claims("05/input.jpg")
    (True, False)
    """
    base = PurePosixPath(name).name
    return base == _CSV or (base.startswith("input_") and pictures.is_picture(base))


def read(source: Source) -> Dataset:
    """All pictures, sorted by writer, sample and character.

    Raises:
        DatasetError: a picture is misnamed, occurs twice or is damaged, or the csv disagrees with the pictures.
    """
    name_of = _index_pictures(source)
    tables = [name for name in source.names if PurePosixPath(name).name == _CSV]
    if len(tables) > 1:
        raise DatasetError(f"two tables, {tables[0]!r} and {tables[1]!r}; point at one archive")
    for table in tables:
        compare_table(source.read(table), name_of.keys(), table)
    keys = sorted(name_of)
    labels, targets = index_labels([CHINESE[key.code - 1].value for key in keys], CHINESE)
    images = pictures.stack(source, [name_of[key] for key in keys])
    suites, samples, _ = np.array(keys).T
    return Dataset("chinese", images, labels, targets, writers=suites, samples=samples)


def compare_table(data: bytes, keys: Collection[Key], table: str) -> None:
    """Check that the csv describes exactly the pictures `keys`.

    Args:
        data: content of the csv.
        table: its name, for error messages.

    Raises:
        DatasetError: it cannot be read, has no row for a picture, or a row that is of no picture.
    """
    key_of = {tuple(map(str, (*key, *CHINESE[key.code - 1][::-1]))): key for key in keys}
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        if missing := [column for column in _COLUMNS if column not in (reader.fieldnames or ())]:
            raise DatasetError(f"{table!r} has no column {missing[0]}; its first line must name {', '.join(_COLUMNS)}")
        for row in reader:
            cells = tuple(str(row[column]) for column in _COLUMNS)
            if key_of.pop(cells, None) is None:
                raise DatasetError(
                    f"{table!r}, line {reader.line_num}: there is no picture of {','.join(cells)!r}, or a row of it "
                    "before; fetch the set again, or remove the csv to go without"
                )
    except (UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{table!r} is not a csv in UTF-8 ({error}); save it again as one") from error
    if key_of:
        more = f" and {len(key_of) - 1} more" if len(key_of) > 1 else ""
        raise DatasetError(
            f"{table!r} has no row for {min(key_of.values())}{more}; add it, or remove the csv to go without"
        )


def _index_pictures(source: Source) -> dict[Key, str]:
    name_of: dict[Key, str] = {}
    for name in source.names:
        base = PurePosixPath(name).name
        if not claims(base) or base == _CSV:
            continue
        match = _PICTURE.fullmatch(base)
        if not match:
            raise DatasetError(
                f"{name!r} is not named input_{{suite}}_{{sample}}_{{code}}.jpg; rename it or take it out"
            )
        key = Key(*map(int, match.groups()))
        if not 1 <= key.code <= len(CHINESE):
            raise DatasetError(f"{name!r} has the code {key.code}; codes are 1 to {len(CHINESE)}")
        if key in name_of:
            raise DatasetError(f"{name!r} and {name_of[key]!r} are the same sample; take one out")
        name_of[key] = name
    return name_of
