"""One line of ink in, its number out: the most probable path through its lattice, and whether it is in doubt."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.model.model import Model
from edge_lpdpl.number.constraints import Constraints, allows
from edge_lpdpl.number.doubts.joined import (
    LOW,
    cuts_a_character,
    is_broken_off,
    may_be_two_above,
    may_have_mark,
    may_share_bars,
)
from edge_lpdpl.number.doubts.marks import ZERO, has_point, is_unclear, may_be_thin_mark
from edge_lpdpl.number.doubts.uneven import are_uneven, has_odd_point, has_wide_space
from edge_lpdpl.number.evidence import characters_in_line
from edge_lpdpl.number.finder import make_finder
from edge_lpdpl.number.grammar import grammar_for
from edge_lpdpl.number.lattice import STRAIGHT, Candidate, Lattice, LatticeBuilder
from edge_lpdpl.number.lines import LEAST_STROKE, THINNEST, Row
from edge_lpdpl.number.record import MOST_PATHS, Path
from edge_lpdpl.number.weights import STRICTNESS, Grounds, LineModel, line_model
from edge_lpdpl.numeral.recogniser import UNSURE, Recogniser, Recognition
from edge_lpdpl.page.boxes import TOO_SMALL, UNREAD_REASONS, Box, Unread, around, longest_side
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


class _Written(NamedTuple):
    """What is written in a line, by the most probable path through its lattice."""

    lattice: Lattice
    path: Path
    characters: list[Candidate]
    """All but points and signs."""
    numerals: list[Numeral]
    """The same, as numerals of the frame."""
    boxes: list[Box]
    """Of all characters, points and signs among them."""
    box: Box
    """Around these."""
    pen: float
    """Mean width of the strokes, in pixels of the reduced frame."""
    strength: float
    """Mean of the numerals'."""


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

    def read(self, table: Sequence[Row], line: Sequence[int], boxed: bool = False) -> Line:
        """The number of a line; its numerals are the first ones.

        Args:
            table: the parts of a frame.
            line: places of its parts in it.
            boxed: whether it is in a row of printed boxes, one for each character.
        """
        lattice = self._builder.build(table, line)
        if lattice is None:
            return Line([], None, [Unread(self._locator.box(table[place]), "too_much_ink") for place in line])
        path, allowed = self._choose(lattice)
        characters = self._numerals_of(lattice, path) if path else []
        # In a line of print, or a crease, few characters are numerals if they stand alone.
        if path is None or 2 * sum(one.reason == 0 for one, _ in characters) < len(characters):
            return Line([], None, list(self._left_out(lattice, range(len(lattice.pieces)))))
        written = self._follow(lattice, path, characters)
        numerals = written.numerals
        unread = list(self._left_out(lattice, self._noise_of(written)))
        dust = [self._locator.ink(table[place], TOO_SMALL) for place in self._builder.dust]
        thinnest = THINNEST * self._locator.factor * written.pen
        if self._has_points:
            is_lost = self._has_unclear_marks(written, table, dust, boxed)
        else:
            is_lost = self._has_unclear_strokes(written, table, boxed)
        is_lost |= _is_ink_lost(written, unread, thinnest)
        grounds = _grounds_of(written)
        sure = self._lines.calibration.confidence(grounds)
        is_sure = sure >= self._least and not self._are_uneven(written, boxed)
        reason = _doubt(is_sure, numerals, is_lost) if allowed else CONSTRAINT
        confidence = sure if len(numerals) > 1 else min(sure, numerals[0].recognition.confidence)
        value, places = self._grammar.value(path.text), tuple(range(len(numerals)))
        number = Number(path.text, value, confidence, reason, written.box, places)
        groups = [(one.members, self._builder.tilt) for one in written.characters]
        cuts, model = self._builder.cuts, self.recogniser.model
        return Line(numerals, number, unread + dust, written.strength, thinnest, groups, cuts, model, grounds)

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

    def _numerals_of(self, lattice: Lattice, path: Path) -> list[tuple[Candidate, int]]:
        """The characters of a path that are no points or signs, and their labels."""
        classes = len(self._characters)
        return [(lattice.candidates[one], label) for one, label in path.characters if label < classes]

    def _follow(self, lattice: Lattice, path: Path, characters: Sequence[tuple[Candidate, int]]) -> _Written:
        strokes = [self._locator.strokes(one.row) for one, _ in characters]
        numerals = [self._numeral(*one, measures) for one, measures in zip(characters, strokes, strict=True)]
        boxes = [self._locator.box(lattice.candidates[one].row) for one, _ in path.characters]
        pen = sum(one.width for one in strokes) / len(strokes)
        strength = sum(one.strength for one in strokes) / len(strokes)
        return _Written(lattice, path, [one for one, _ in characters], numerals, boxes, around(boxes), pen, strength)

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

    def _noise_of(self, written: _Written) -> list[int]:
        """The pieces that the path leaves out; a stroke that is broken off a Chinese character is no noise."""
        lattice, noise = written.lattice, written.path.noise
        if self._has_points:
            return noise
        return [one for one in noise if not is_broken_off(lattice, one, written.characters, written.pen)]

    def _has_unclear_marks(self, written: _Written, table: Sequence[Row], dust: Sequence[Unread], boxed: bool) -> bool:
        """Whether a point, comma or minus of digits may be something else, or something else one of them.

        Args:
            dust: parts that are too thin for the pen.
        """
        digits, zero = [one.box for one in written.numerals], self._has_zero
        for one in dust:
            if may_be_thin_mark(one, digits, written.box, written.strength, has_zero=zero, boxed=boxed):
                return True
        return (
            any(has_point(one, table, written.lattice.size) for one in written.characters)
            or (len(written.boxes) > len(digits) and self._has_odd_mark(written))
            or (zero and len(digits) > 1 and _may_be_mark_or_zero(written))
        )

    def _has_odd_mark(self, written: _Written) -> bool:
        """Whether what is read as a point or sign was cut off a digit, or a minus is no straight stroke: = or an arrow,
        or a small printed word."""
        classes, read = len(self._characters), zip(written.path.text, written.path.characters, strict=True)
        marks = [(text, written.lattice.candidates[one]) for text, (one, label) in read if label >= classes]
        return any(
            any(one.crossed) or (text == "-" and self._locator.strokes(one.row).turns > STRAIGHT) for text, one in marks
        )

    def _has_unclear_strokes(self, written: _Written, table: Sequence[Row], boxed: bool) -> bool:
        """Whether a stroke of a Chinese character may be a mark, or one of another character."""
        lattice, path, characters = written.lattice, written.path, written.characters
        return (
            any(map(self._builder.is_thin, characters))
            or cuts_a_character(lattice, path)
            or (self._turned and not boxed and may_share_bars(path.text))
            or any(may_have_mark(lattice, one, written.pen) for one in characters)
            or (len(characters) == 1 and may_be_two_above(table, characters[0], self._builder.label_of))
        )

    def _are_uneven(self, written: _Written, boxed: bool) -> bool:
        """Whether characters may belong to another number, because of their size and place."""
        boxes = written.boxes
        if len(boxes) == 1:
            return False
        if self._has_points:
            digits = [one.box for one in written.numerals if one.recognition.label != ZERO]  # that one is always small
            if digits and are_uneven(digits, self._builder.tilt):
                return True
        return not boxed and (has_wide_space(boxes) or has_odd_point(written.path.text, boxes))

    def _left_out(self, lattice: Lattice, pieces: Sequence[int]) -> Iterator[Unread]:
        reasons = {one.first: one.reason for one in lattice.candidates if one.last == one.first + 1}
        for place in pieces:
            piece, reason = lattice.pieces[place], reasons.get(place, 0)
            box = self._locator.box((piece.left, piece.top, piece.right, piece.bottom))
            yield Unread(box, UNREAD_REASONS[reason - 1] if reason else "no_numeral")


def _is_ink_lost(written: _Written, unread: Sequence[Unread], thinnest: float) -> bool:
    """Whether ink of a line that is not read may belong to its number."""
    if unread:
        size = longest_side(one.box for one in written.numerals)
        if any(_is_missed(one.box, written.box, size, thinnest) for one in unread):
            return True
    return any(written.lattice.candidates[one].doubtful for one, _ in written.path.characters)


def _is_missed(ink: Box, number: Box, size: int, thinnest: float) -> bool:
    """Whether ink in the line of a number may be a stroke of it, or a point: Chinese numbers have none, and are in
    doubt where there is one."""
    if min(ink.width, ink.height) < thinnest:
        return False
    return max(ink.width, ink.height) >= LEAST_STROKE * size or ink.y + ink.height / 2 >= number.y + LOW * number.height


def _may_be_mark_or_zero(written: _Written) -> bool:
    """Whether a character of Arabic-Indic digits may be the zero as well as a mark, because of its place."""
    places = characters_in_line(written.lattice)
    read = zip(written.path.text, [places[one].tolist() for one, _ in written.path.characters], strict=True)
    return any(is_unclear(text, *place[:3], is_first=number == 0) for number, (text, place) in enumerate(read))


def _grounds_of(written: _Written) -> Grounds:
    """What the confidence of a number comes from."""
    grounds, reads = Grounds(written.path.confidence), [one.recognition for one in written.numerals]
    if len(reads) == 1:
        return grounds
    return grounds._replace(novelty=max(one.novelty for one in reads), numeral=min(one.confidence for one in reads))


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
