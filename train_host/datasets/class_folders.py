"""Pictures in folders that are named by their class: its character (`五`, `٥`) or its value (`5`, `05`)."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from itertools import combinations
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError, EdgeError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL, Label
from train_host.datasets import pictures
from train_host.datasets.dataset import Dataset, index_labels, picture_keys
from train_host.datasets.sources import Source

_VALUE_OF = {
    label.character: label.value for script in (CHINESE, TRADITIONAL, CHEQUE, ARABIC_INDIC, LATIN) for label in script
}
_VALUE_OF["〇"] = 0


def value_of(name: str) -> int:
    """Value of a class name, which is a numeral's character or a decimal number.

    Raises:
        EdgeError: the name is neither.

    >>> value_of("05"), value_of("五"), value_of("٥")
    (5, 5, 5)
    """
    if name in _VALUE_OF:
        return _VALUE_OF[name]
    if name.isascii() and name.isdigit() and len(name) <= 9:
        return int(name)
    raise EdgeError(f"{name!r} is neither a numeral nor a number such as 05")


# Latin digits are left out: a folder named 5 says which value it holds, not in which script.
_SCRIPTS = {script: {character for character, _ in script} for script in (CHINESE, CHEQUE, TRADITIONAL, ARABIC_INDIC)}
_SCRIPTS[CHINESE].add("〇")


def is_class(name: str) -> bool:
    """Whether a folder's name is that of a class.

    >>> is_class("05"), is_class("notes")
    (True, False)
    """
    try:
        value_of(name)
    except EdgeError:
        return False
    return True


def read(source: Source) -> Dataset:
    """All pictures, sorted by value and file name; the class folders may lie in one outer folder.

    Pictures may have any sizes (`pictures.stack_scaled`). Other files in class folders are counted by kind. Of
    pictures with the same pixels the first one is taken.

    Raises:
        DatasetError: a folder is not named by a numeral, a class has no picture of a kind that is read, a picture lies
            outside the class folders, cannot be read, or is in two classes.
    """
    paths = [PurePosixPath(name) for name in source.names if pictures.is_picture(name)]
    value_of_folder = {folder: _folder_value(folder) for folder in sorted({path.parent for path in paths})}
    outer = sorted({str(folder.parent) for folder in value_of_folder})
    if len(outer) > 1:
        raise DatasetError(f"class folders both in {outer[0]!r} and in {outer[1]!r}; point at one of the two")
    others = [PurePosixPath(name) for name in source.names if not pictures.is_picture(name)]
    _check_none_lost(others, value_of_folder, outer[0])
    script = choose_script(folder.name for folder in value_of_folder)
    paths.sort(key=lambda path: (value_of_folder[path.parent], path.name, path.parent))
    labels, targets = index_labels([value_of_folder[path.parent] for path in paths], script)
    images = pictures.stack_scaled(source, [str(path) for path in paths])
    unread = Counter(path.suffix.lower() or path.name for path in others if path.parent in value_of_folder)
    kept = _first_of_twins(images, targets, paths)
    twins = len(paths) - len(kept)
    found = Dataset(source.title, images, labels, targets, unread=tuple(sorted(unread.items())), twins=twins)
    return found.subset(kept) if twins else found


def _check_none_lost(others: Iterable[PurePosixPath], known: Container[PurePosixPath], outer: str) -> None:
    """Check that no folder of a class has other files alone: the class would be missing without a word."""
    for path in others:
        if path.parent not in known and str(path.parent.parent) == outer and is_class(path.parent.name):
            fault = f"the folder {str(path.parent)!r} has no picture of a kind that is read, but {path.name!r}"
            raise DatasetError(f"{fault}; convert its pictures to PNG or JPEG, or take the folder out")


def _first_of_twins(images: NDArray[np.uint8], targets: NDArray[np.intp], paths: Sequence[PurePosixPath]) -> list[int]:
    """The places of the pictures that are not the same as one before."""
    first, kept = dict[bytes, int](), list[int]()
    for place, key in enumerate(picture_keys(images)):
        twin = first.setdefault(key, place) if key else place
        if targets[twin] != targets[place]:
            fault = f"{str(paths[twin])!r} and {str(paths[place])!r} are the same picture in two classes"
            raise DatasetError(f"{fault}; take it out of the wrong one")
        if twin == place:
            kept.append(place)
    return kept


def choose_script(names: Iterable[str]) -> tuple[Label, ...]:
    """The script of the class names, as its labels. If all names are numbers: Chinese if one is above 9, else Latin.

    Raises:
        DatasetError: the names have characters of two scripts, or a number that the script has no single numeral for.

    >>> choose_script(["05", "10"])[5].character, choose_script(["05", "06"])[5].character
    ('五', '5')
    """
    names = sorted(names)
    scripts_of = {name: {script for script in _SCRIPTS if name in _SCRIPTS[script]} for name in names}
    characters = [name for name in names if scripts_of[name]]
    for one, other in combinations(characters, 2):
        if not scripts_of[one] & scripts_of[other]:
            raise DatasetError(f"the folders {one!r} and {other!r} are of two scripts; make a set of each")
    by_number = CHINESE if any(value_of(name) > 9 for name in names) else LATIN
    fitting = (script for script in _SCRIPTS if all(script in scripts_of[name] for name in characters))
    script = next(fitting, by_number) if characters else by_number
    values = {label.value for label in script}
    for name in names:
        if value_of(name) not in values:
            raise DatasetError(
                f"the folder {name!r} is none of the numerals {''.join(label.character for label in script)}"
            )
    return script


def _folder_value(folder: PurePosixPath) -> int:
    try:
        return value_of(folder.name)
    except EdgeError as error:
        where = f"the folder {str(folder)!r}" if folder.name else "the outermost folder, which has pictures in it,"
        raise DatasetError(
            f"{where} is not named by a numeral; name each folder by its class, such as 05 or 五"
        ) from error
