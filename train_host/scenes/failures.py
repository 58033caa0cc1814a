"""A picture of the scenes that were not read correctly."""

from collections.abc import Sequence

from PIL import Image, ImageDraw

from edge_lpdpl.drawing.panels import BEST, FAINT, GROUND, SECOND, TEXT, write
from train_host.scenes.scoring import Outcome

_TILE, _GAP, _CAPTION = 400, 12, 24
_COLUMNS, MOST = 4, 24
_TRUE, _FALSE = "#38b264", "#ff5a52"


def draw_failures(outcomes: Sequence[Outcome]) -> Image.Image:
    """A sheet of at most MOST scenes.

    Boxes are green for the true numerals, orange for correct readings, blue for rejected ones, and red for wrong or
    false ones.
    """
    outcomes = outcomes[:MOST]
    columns = max(1, min(_COLUMNS, len(outcomes)))
    tiles = [_tile(outcome) for outcome in outcomes]
    height = max((tile.height for tile in tiles), default=_TILE) + _CAPTION + _GAP
    rows = max(1, -(-len(tiles) // columns))
    sheet = Image.new("RGB", (_GAP + columns * (_TILE + _GAP), _GAP + rows * height), GROUND)
    if not tiles:
        write(sheet, (2 * _GAP, 2 * _GAP), "every scene was read correctly", 20)
    for place, (tile, outcome) in enumerate(zip(tiles, outcomes, strict=True)):
        left, top = _GAP + place % columns * (_TILE + _GAP), _GAP + place // columns * height
        sheet.paste(tile, (left, top))
        write(sheet, (left, top + tile.height + 2), _caption(outcome), 15, TEXT if outcome.false else FAINT)
    return sheet


def _tile(outcome: Outcome) -> Image.Image:
    picture = Image.fromarray(outcome.scene.picture).convert("RGB")
    scale = _TILE / picture.width
    picture = picture.resize((_TILE, max(1, round(picture.height * scale))), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(picture)

    def frame(box: tuple[int, int, int, int], colour: str, room: int) -> None:
        x, y, width, height = (edge * scale for edge in box)
        draw.rectangle((x - room, y - room, x + width + room, y + height + room), outline=colour)

    for box in outcome.scene.boxes:
        frame(box, _TRUE, 1)
    for place, numeral in enumerate(outcome.numerals):
        read = numeral.recognition
        colour = SECOND if read.rejected else _FALSE if not outcome.is_right(place) else BEST
        frame(numeral.box, colour, 3)
        if read.value is not None:
            corner = round(numeral.box.x * scale), round(numeral.box.bottom * scale) + 5
            write(picture, corner, str(read.value), 13, colour)
    return picture


def _caption(outcome: Outcome) -> str:
    """The file, the true values and the accepted readings."""
    truth = " ".join(map(str, outcome.scene.values)) or "nothing"
    accepted = [numeral.recognition.value for numeral in outcome.numerals if not numeral.recognition.rejected]
    return f"{outcome.scene.file}: {truth}; read {' '.join(map(str, accepted)) or 'nothing'}"[:60]
