"""A contact sheet of a hand: all samples, a row or more for each label."""

from collections.abc import Iterator, Sequence

from PIL import Image

from edge_lpdpl.drawing.panels import FAINT, GROUND, grey_image, write
from edge_lpdpl.model import labels
from edge_lpdpl.numeral.hand import SIDE, Hand, Sample

_SCALE, _GAP, _COLUMNS, _HEAD = 2, 6, 12, 118
_CELL = SIDE * _SCALE + _GAP
_SCRIPTS = labels.CHINESE, labels.CHEQUE, labels.TRADITIONAL, labels.ARABIC_INDIC, labels.LATIN
_VALUES = {label.character: label.value for script in _SCRIPTS for label in script}


def draw_hand(hand: Hand) -> Image.Image:
    """Draw every sample, light ink on black, behind the value of its label (Pillow's own font has no Chinese).

    >>> draw_hand(Hand()).size
    (964, 76)
    """
    known = sorted({sample.label for sample in hand.samples}, key=lambda label: (_VALUES.get(label, -1), label))
    rows = [row for label in known for row in _rows(hand, label)]
    sheet = Image.new("RGB", (_HEAD + _COLUMNS * _CELL + _GAP, max(1, len(rows)) * _CELL + _GAP), GROUND)
    if not rows:
        write(sheet, (2 * _GAP, sheet.height // 2), "nothing was taught", 16, FAINT, anchor="lm")
    for number, (name, samples) in enumerate(rows):
        top = _GAP + number * _CELL
        write(sheet, (_HEAD - 2 * _GAP, top + _CELL // 2), name, 16, FAINT, anchor="rm")
        for column, sample in enumerate(samples):
            tile = grey_image(sample.picture.repeat(_SCALE, axis=0).repeat(_SCALE, axis=1))
            sheet.paste(tile.convert("RGB"), (_HEAD + column * _CELL, top))
    return sheet


def _rows(hand: Hand, label: str) -> Iterator[tuple[str, Sequence[Sample]]]:
    """The samples of a label, as many as fit into each row; the first row has a name."""
    samples = [sample for sample in hand.samples if sample.label == label]
    name = f"{_VALUES[label]:,}" if label in _VALUES else ascii(label)
    for first in range(0, len(samples), _COLUMNS):
        yield ("" if first else name), samples[first : first + _COLUMNS]
