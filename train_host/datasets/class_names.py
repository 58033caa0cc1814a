"""What the name of a class counts: a numeral of any script, or a decimal number."""

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL

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
