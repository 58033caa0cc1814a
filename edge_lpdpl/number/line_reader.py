"""One line of ink in, its number out: the most probable path through its lattice, and whether it is in doubt."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import Constraints, allows
from edge_lpdpl.number.doubts.joined import (
    LOW,
    POINT,
    cuts_a_character,
    is_broken_off,
    may_be_two_above,
    may_have_mark,
    may_share_bars,
)
from edge_lpdpl.number.doubts.uneven import are_uneven, has_odd_point, has_wide_space
from edge_lpdpl.number.evidence import characters_in_line
from edge_lpdpl.number.finder import make_finder
from edge_lpdpl.number.grammar import POINTS, grammar_for
from edge_lpdpl.number.lattice import FOOT, STRAIGHT, Candidate, Lattice, LatticeBuilder
from edge_lpdpl.number.lines import LEAST_MARK, LEAST_STROKE, THINNEST, Row, box_of, longer_side
from edge_lpdpl.number.record import MOST_PATHS, Path
from edge_lpdpl.number.weights import STRICTNESS, Grounds, LineModel, line_model
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser, Recognition
from edge_lpdpl.page import parts_table as part
from edge_lpdpl.page.boxes import UNREAD_REASONS, Box, Unread, around
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.record import Member
from edge_lpdpl.page.rejection import checked
from edge_lpdpl.page.strokes import Strokes

INK_UNREAD, CONSTRAINT, SCRIPT, OUT_OF_PLACE = "ink_unread", "constraint", "script", "out_of_place"
NUMBER_REASONS = {
    UNSURE: "unsure of its numerals",
    INK_UNREAD: "ink in its line is not read",
    CONSTRAINT: "no likely reading satisfies the constraints",
    SCRIPT: "a number of another script looks as much like it",
    OUT_OF_PLACE: "the printed box of its field is not where the marks say",
}
"""Why a number is rejected though none of its numerals is, in words."""
AS_STRONG = 0.5
"""Contrast of other ink over that of the numerals, from which on it may be writing. Fainter ink is no numeral of a
frame (`LocateSettings.faintest`)."""
BESIDE, ABOVE, APART = 1.0, 0.3, 0.5
"""How far from a number ink may be and still belong to it, in sizes of the numerals: to its left or right; there, its
middle above or below the number; and free rows to ink straight above or below it (two lines are farther apart)."""
HIGH = 0.25
"""How far down the highest mark is, as a share of the number's height."""
ZERO = "٠"
ZERO_DOWN, MARK_DOWN = 0.22, 0.28
"""How far off the middle of the line the Arabic-Indic zero is at most, and a point or comma at least, in sizes."""
DASH, SHORT_MINUS, DOT_HEIGHT = 0.5, -1.1, -1.6
"""Logarithms: width over height of a zero that may be a minus; width of a minus that may be a zero, and height of a
point that may be one, in sizes."""
AS_LIKE, USUAL_NOVELTY = 2.0, 0.15
"""Novelty of another model's numerals over that of the best one's, up to which their number is as good a reading; a
smaller novelty than the usual one says no more."""


class Numeral(NamedTuple):
    """One numeral of a page."""

    box: Box
    """Where it is, in pixels of the frame."""
    recognition: Recognition
    """What it is."""


class Number(NamedTuple):
    """A line of numerals."""

    text: str
    """As it is written."""
    value: int | float | None
    confidence: float
    """How often such a number is right, on drawn numbers; that of one numeral is at most the numeral's own."""
    reason: str | None
    """Why it is rejected, None where it is accepted: the reason of a doubtful numeral, or one of
    `NUMBER_REASONS`."""
    box: Box
    numerals: tuple[int, ...]
    """Places of its numerals on the page."""

    @property
    def rejected(self) -> bool:
        """Whether it is in doubt."""
        return self.reason is not None


class Line(NamedTuple):
    """What a model read in a line."""

    numerals: list[Numeral]
    number: Number | None
    unread: list[Unread]
    strength: float = 0.0
    """Mean of its numerals'."""
    thinnest: float = 0.0
    """Shorter side of the thinnest ink that its pen may have left, in pixels of the frame."""
    groups: Sequence[tuple[Sequence[Member], float]] = ()
    """For each numeral the parts that it was cut out of, and the tilt that it was turned level by."""
    cuts: Sequence[tuple[int, int]] = ()
    """As of `LatticeBuilder`."""
    model: Model | None = None
    grounds: Grounds | None = None
    """What its number's confidence comes from."""

    @property
    def novelty(self) -> float:
        """Mean of its numerals', where ink that was left out counts as one that is unlike any: how unlike its model's
        characters the line is."""
        novelties = [one.recognition.novelty for one in self.numerals] + [1.0] * len(self.unread)
        return sum(novelties) / len(novelties)


def best_of(lines: Sequence[Line], doubt: str = SCRIPT) -> Line:
    """Of several readings of the same ink, by several models or divided in several ways, the one of the smallest
    novelty. It is rejected if a reading with another value is accepted and has at most AS_LIKE times its novelty: a
    ring is the 0 of Latin digits and the 5 of Arabic-Indic ones.
    """
    read = [(line, line.number) for line in lines if line.number]
    if len(lines) == 1 or not read:
        return lines[0]
    best, number = min(read, key=lambda one: one[0].novelty)
    rivals = [line for line, other in read if other.reason is None and other.value != number.value]
    if number.reason is None and any(line.novelty <= AS_LIKE * max(best.novelty, USUAL_NOVELTY) for line in rivals):
        return best._replace(number=number._replace(reason=doubt))
    return best


def least_confidence(lines: LineModel, wrong_per_thousand: int) -> float:
    """How sure an accepted number is at least.

    Raises:
        ConfigError: it is not 1 to 1000.

    >>> from edge_lpdpl.model.labels import LATIN
    >>> least_confidence(line_model(LATIN), 2) > least_confidence(line_model(LATIN), 6)
    True
    """
    if not 1 <= wrong_per_thousand <= 1000:
        raise ConfigError(f"wrong_per_thousand is {wrong_per_thousand}, not 1 to 1000")
    return lines.sure[bisect_right(STRICTNESS, wrong_per_thousand) - 1]


class LineReader:
    """Reads the lines of the frame that a locator has just searched, with one model.

    Args:
        constraints, wrong_per_thousand, lines, turned: as of `PageReader`.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        locator: Locator,
        constraints: Constraints | None,
        wrong_per_thousand: int,
        lines: LineModel | None,
        turned: bool = False,
    ) -> None:
        self.recogniser, self._locator, self._constraints, self._turned = recogniser, locator, constraints, turned
        labels = recogniser.model.labels
        self._characters = [label.character for label in labels]
        self._grammar = grammar_for(labels)
        self._lines = lines or line_model(labels, turned)
        self._has_zero = ZERO in self._characters
        self._has_points = all(character.isdecimal() for character in self._characters)
        self._least = least_confidence(self._lines, wrong_per_thousand)
        widest, joined = self._lines.widest, self._lines.joined
        self._builder = LatticeBuilder(locator, recogniser, widest, joined, bool(self._grammar.marks), turned)
        self.is_character = self._builder.is_character
        """As of `LatticeBuilder`."""
        self._finder = make_finder(self._lines, self._characters, self._grammar, recogniser.backend)

    def start(self, share: float) -> None:
        """Begin with another frame, or a part of one that may have a share of a frame's readings."""
        self._builder.start(share)

    @property
    def taken(self) -> float:
        """Share of a frame's readings that was taken since the start."""
        return self._builder.taken

    def read(self, table: Sequence[Row], line: Sequence[int], first: int, boxed: bool = False) -> Line:
        """The number of a line.

        Args:
            table: the parts of a frame.
            line: places of its parts in it.
            first: how many numerals the frame has before it.
            boxed: whether it is in a row of printed boxes, one for each character.
        """
        lattice = self._builder.build(table, line)
        if lattice is None:
            return Line([], None, [Unread(self._locator.box(table[place]), "too_much_ink") for place in line])
        path, allowed = self._choose(lattice)
        classes = len(self._characters)
        chosen = [lattice.candidates[one] for one, label in path.characters if label < classes] if path else []
        # In a line of print, or a crease, few characters are numerals if they stand alone.
        if path is None or 2 * sum(one.reason == 0 for one in chosen) < len(chosen):
            return Line([], None, list(self._left_out(lattice, range(len(lattice.pieces)))))
        strokes = [self._locator.strokes(one.row) for one in chosen]
        labels = [label for _, label in path.characters if label < classes]
        numerals = [
            self._numeral(one, label, measures) for one, label, measures in zip(chosen, labels, strokes, strict=True)
        ]
        pen = sum(measures.width for measures in strokes) / len(strokes)
        noise = [one for one in path.noise if self._has_points or not is_broken_off(lattice, one, chosen, pen)]
        unread = list(self._left_out(lattice, noise))
        boxes = [self._locator.box(lattice.candidates[one].row) for one, _ in path.characters]
        box = around(boxes)
        dust = [self._locator.ink(table[place], "too_small") for place in self._builder.dust]
        strength = sum(measures.strength for measures in strokes) / len(strokes)
        thinnest = THINNEST * self._locator.factor * pen
        lost = any(_is_missed(one.box, box, size_of(numerals), thinnest) for one in unread)
        lost |= any(lattice.candidates[one].doubtful for one, _ in path.characters)
        if self._has_points:
            lost |= any(_may_be_thin_mark(one, numerals, box, strength, self._has_zero, boxed) for one in dust)
            lost |= self._has_doubtful_marks(table, lattice, path, chosen)
        else:
            lost |= any(map(self._builder.is_thin, chosen)) or cuts_a_character(lattice, path)
            lost |= self._turned and not boxed and may_share_bars(path.text)
            lost |= any(may_have_mark(lattice, one, pen) for one in chosen)
            lost |= len(chosen) == 1 and may_be_two_above(table, chosen[0], self._builder.label_of)
        grounds = Grounds(path.confidence)
        if len(numerals) > 1:
            reads = [one.recognition for one in numerals]
            grounds = grounds._replace(
                novelty=max(read.novelty for read in reads), numeral=min(read.confidence for read in reads)
            )
        sure = self._lines.calibration.confidence(grounds)
        digits = [one.box for one in numerals if one.recognition.label != ZERO]  # that one is always small
        uneven = self._has_points and bool(digits) and are_uneven(digits, self._builder.tilt)
        uneven |= not boxed and len(boxes) > 1 and (has_wide_space(boxes) or has_odd_point(path.text, boxes))
        is_sure = sure >= self._least and not uneven
        reason = _doubt(is_sure, numerals, lost) if allowed else CONSTRAINT
        confidence = sure if len(numerals) > 1 else min(sure, numerals[0].recognition.confidence)
        value, places = self._grammar.value(path.text), tuple(range(first, first + len(numerals)))
        number = Number(path.text, value, confidence, reason, box, places)
        groups = [(one.members, self._builder.tilt) for one in chosen]
        cuts, model = self._builder.cuts, self.recogniser.model
        return Line(numerals, number, unread + dust, strength, thinnest, groups, cuts, model, grounds)

    def _has_doubtful_marks(
        self, table: Sequence[Row], lattice: Lattice, path: Path, chosen: Sequence[Candidate]
    ) -> bool:
        """Whether a point, comma or minus may be something else, or a part of a digit one of them."""
        return (
            any(_has_point(one, table, lattice.size) for one in chosen)
            or self._has_crooked_minus(lattice, path)
            or (self._has_zero and len(chosen) > 1 and self._may_be_mark_or_zero(lattice, path))
        )

    def _may_be_mark_or_zero(self, lattice: Lattice, path: Path) -> bool:
        """Whether a character of Arabic-Indic digits may be the zero as well as a mark, because of its place."""
        places = characters_in_line(lattice)
        found = zip(path.text, [places[one].tolist() for one, _ in path.characters], strict=True)
        return any(is_unclear(text, *place[:3], is_first=number == 0) for number, (text, place) in enumerate(found))

    def _has_crooked_minus(self, lattice: Lattice, path: Path) -> bool:
        """Whether what is read as a minus is no straight stroke: = or an arrow, or a small printed word."""
        found = zip(path.text, path.characters, strict=True)
        rows = [lattice.candidates[one].row for text, (one, _) in found if text == "-"]
        return any(self._locator.strokes(row).turns > STRAIGHT for row in rows)

    def _choose(self, lattice: Lattice) -> tuple[Path | None, bool]:
        """The path to take, and whether it satisfies the constraints."""
        if not lattice.candidates:
            return None, True
        paths = self._finder.read(lattice, 1 if self._constraints is None else MOST_PATHS)
        if not paths:
            return None, True
        chosen = next((path for path in paths if allows(self._constraints, self._grammar, path.text)), None)
        best = chosen or paths[0]
        if not self._grammar.has_mark(best.text):
            return best, chosen is not None
        # 12,5 and 12.5 are one number: whether its mark is a comma or a point is no doubt about it.
        digits = self._grammar.digits(best.text)
        if self._constraints is None:
            paths = self._finder.read(lattice, MOST_PATHS)
        same = [path for path in paths if self._grammar.digits(path.text) == digits]
        return best._replace(confidence=min(sum(path.confidence for path in same), 1.0)), chosen is not None

    def _numeral(self, one: Candidate, label: int, strokes: Strokes) -> Numeral:
        """A character of the path; its strokes are held against the rules for its class."""
        read, character = one.read, self._characters[label]
        if read.label != character:
            read = read._replace(
                label=character,
                value=self.recogniser.model.labels[label].value,
                confidence=1 - read.confidence,
                runner_up=read.label,
                rejected=True,
                reason=read.reason or UNSURE,
                taught=False,
            )
        return Numeral(self._locator.box(one.row), checked(read, strokes))

    def _left_out(self, lattice: Lattice, pieces: Sequence[int]) -> Iterator[Unread]:
        reasons = {one.first: one.reason for one in lattice.candidates if one.last == one.first + 1}
        for place in pieces:
            piece, reason = lattice.pieces[place], reasons.get(place, 0)
            box = self._locator.box((piece.left, piece.top, piece.right, piece.bottom))
            yield Unread(box, UNREAD_REASONS[reason - 1] if reason else "no_numeral")


def is_unclear(character: str, width: float, height: float, down: float, *, is_first: bool) -> bool:
    """Whether a character of Arabic-Indic digits may be a zero, a dot or a short dash at middle height, as well as a
    point or comma, short strokes at the foot or the top, or a minus, a dash before the first digit.

    Args:
        width, height, down: as of `edge_lpdpl.number.evidence.characters_in_line`.

    >>> [is_unclear(*one, is_first=False) for one in (("٠", -2, -2, 0.1), ("٠", -2, -2, 0.4), ("٫", -2, -1.2, 0.4))]
    [False, True, False]
    """
    if character == ZERO:
        return abs(down) > ZERO_DOWN or (is_first and width - height > DASH)
    if character == "-":
        return width < SHORT_MINUS
    return character in POINTS and (abs(down) < MARK_DOWN or (height < DOT_HEIGHT and width - height > -DASH))


def _is_missed(ink: Box, number: Box, size: int, thinnest: float) -> bool:
    """Whether ink in the line of a number may be a stroke of it, or a point: Chinese numbers have none, and are in
    doubt where there is one."""
    if min(ink.width, ink.height) < thinnest:
        return False
    return max(ink.width, ink.height) >= LEAST_STROKE * size or ink.y + ink.height / 2 >= number.y + LOW * number.height


def _has_point(one: Candidate, table: Sequence[Row], size: int) -> bool:
    """Whether a digit was put together with a part that may be a decimal point: small, compact, and at its foot, or
    beside all its other parts and not at its head."""
    for place, _, _ in one.members if len(one.members) > 1 else ():
        left, top, right, bottom, area, *_ = table[place]
        if longer_side(table[place]) > POINT * size or 2 * area < (right - left) * (bottom - top):
            continue
        rest = box_of([table[other] for other, _, _ in one.members if other != place])
        is_beside = right <= rest[part.LEFT] or left >= rest[part.RIGHT]
        upper, lower = one.row[part.TOP], one.row[part.BOTTOM]
        if (top + bottom) / 2 - upper >= (LOW if is_beside else FOOT) * (lower - upper):
            return True
    return False


def _may_be_thin_mark(
    ink: Unread, numerals: Sequence[Numeral], number: Box, strength: float, zero: bool, boxed: bool
) -> bool:
    """Whether ink too thin for the pen of a number may be a minus, a point or a comma of it: at least half as dark as
    its numerals, before or between them, not at their heads, and not like a rest of a printed box.

    Args:
        zero: whether a speck may be a zero, too: behind the other digits, and upright.
        boxed: whether the number is in printed boxes, which leave flat rests at its foot, too.
    """
    (left, top, width, height), size = ink.box, size_of(numerals)
    if ink.strength < AS_STRONG * strength or max(width, height) < LEAST_MARK * size:
        return False
    lowest = 1 - HIGH if boxed and width > 2 * height else 1 + HIGH
    if (height > 2 * width and not zero) or not HIGH <= (top + height / 2 - number.y) / number.height <= lowest:
        return False
    behind = BESIDE * size if zero else 0
    if not number.x - BESIDE * size <= left + width / 2 <= number.right + behind:
        return False
    over = max(min(left + width, one.box.right) - max(left, one.box.x) for one in numerals)
    return 2 * over <= width


def size_of(numerals: Sequence[Numeral]) -> int:
    """Longest side of numerals, in pixels of the frame."""
    return max(max(one.box.width, one.box.height) for one in numerals)


def _doubt(is_sure: bool, numerals: Sequence[Numeral], unread: bool) -> str | None:
    """Why a number is rejected, None where nothing is wrong.

    A numeral is rejected where the recogniser says so, too. In a number of several, the confidence of the number says
    how sure its class is.
    """
    for one in numerals:
        if one.recognition.rejected and (len(numerals) == 1 or one.recognition.reason != UNSURE):
            return one.recognition.reason
    if unread:
        return INK_UNREAD
    return None if is_sure else UNSURE
