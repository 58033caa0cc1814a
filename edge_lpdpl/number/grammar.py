"""Which texts of a model's characters are numbers, character by character, and the value of a number.

A number of Latin or Arabic-Indic digits is any text of 1 to 16 digits, which may have a minus, a decimal point and
commas (-1,234.5, -١٬٢٣٤٫٥): a comma divides thousands where groups of three digits follow. A single comma before more
or fewer digits (12,5), or in a number that begins with a zero (0,125), is a decimal comma. A Chinese number is one
character, a text of 2 to 16 digits (二零二六) or spoken (一百零五). Spoken numbers are those below 10 ** 16 that cn2an
0.5 reads in its strict mode, with these differences:

- accepted: 百, 千, 万 and 亿 alone, as on a card that shows one character;
- accepted: 〇 and 两 (两百, not 十两), and 零 between 万 and thousands (十万零七千), which the rules of cheques allow;
- rejected: 零百 (一万零百), and 十 directly after 亿 (一亿十万), which cn2an misreads;
- rejected as in strict mode: a 零 or a 一 that is missing inside (一千五十, 一万五百, 一百十五);
- accepted with short forms only: a last digit without its unit (一百五 for 150, 一万五 for 15,000, 一亿三).

The tests compare both with cn2an: https://github.com/Ailln/cn2an.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edge_lpdpl.model.labels import Label

MOST_DIGITS = 16
MARKS = ".,-"
"""Points and signs of a number of Latin digits, which are told by their size and place. No class of a model is one."""
ARABIC_MARKS = "٫٬-"
"""Those of Arabic-Indic digits, in the same roles."""
ALL_MARKS = frozenset(MARKS + ARABIC_MARKS)
POINTS = ALL_MARKS - {"-"}
"""Points and commas."""

_SHAPES = {
    "零": "零〇",
    "一": "一二三四五六七八九壹贰貳叁參肆伍陆陸柒捌玖",
    "两": "两兩",
    "十": "十拾",
    "百": "百佰",
    "千": "千仟",
    "万": "万萬",
    "亿": "亿億",
    "0": "",  # every decimal digit
}
"""Characters with the same role in a number. The first one names the role."""
_ROLES = {shape: role for role, shapes in _SHAPES.items() for shape in shapes}

_PLACES = {
    "start": {"一": "digit", "两": "pair", "十": "after 十"},
    "digit": {"千": "after 千", "百": "after 百", "十": "after 十"},
    "pair": {"千": "after 千", "百": "after 百"},
    "after 千": {"一": "before 百", "两": "pair before 百", "零": "after 千零"},
    "before 百": {"百": "after 百"},
    "pair before 百": {"百": "after 百"},
    "after 千零": {"一": "digit below 百", "十": "after 十"},
    "digit below 百": {"十": "after 十"},
    "after 百": {"一": "before 十", "零": "after 百零"},
    "before 十": {"十": "after 十"},
    "after 百零": {"一": "ones"},
    "after 十": {"一": "ones"},
    "ones": {},
    "alone": {},
    "after 万": {"一": "before 千", "两": "pair before 千", "零": "start"},
    "before 千": {"千": "after 千"},
    "pair before 千": {"千": "after 千"},
    "after 亿": {"一": "digit", "两": "pair"},
}
"""Four places of a spoken number, 千 to ones: the roles that may follow, and where each leads."""
_WHOLE = {"digit", "after 千", "digit below 百", "after 百", "after 十", "ones", "after 万"}
"""Where four places may end."""
_SHORT = {"before 千", "before 百", "before 十"}
"""Where a short form may end too."""

_LARGE = {
    "": {"万": ("万", "after 万"), "亿": ("亿", "after 亿")},
    "万": {"亿": ("万亿", "after 亿")},
    "亿": {"万": ("亿万", "after 万")},
    "万亿": {"万": ("亿万", "after 万")},
    "亿零": {"万": ("亿万", "after 万")},
    "亿万": {},
}
"""For the large units so far, those that may follow four places. Without 零 after 亿, 万 has to follow."""

_DECIMAL = {
    "-": {"0": "0"},
    "0": {"0": "0", ".": ".", ",": ",0"},
    ",0": {"0": ",1"},  # the first comma, and the digits behind it
    ",1": {"0": ",2"},
    ",2": {"0": ",3"},
    ",3": {"0": ".0", ".": ".", ",": ",,0"},
    ",,0": {"0": ",,1"},
    ",,1": {"0": ",,2"},
    ",,2": {"0": ",,3"},
    ",,3": {".": ".", ",": ",,0"},
    ".": {"0": ".0"},
    ".0": {"0": ".0"},
}
"""A number of digits: the roles that may follow, and where each leads. The second part of these states is the
count of digits so far."""
_DECIMAL_ENDS = {"0", ",1", ",2", ",3", ",,3", ".0"}

_State = tuple[str, str]
_START = "", "start"
_ALONE = "", "alone"


@dataclass(frozen=True, eq=False)
class Grammar:
    """A finite automaton that accepts the texts that are numbers. `grammar_for` makes it.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> grammar = grammar_for(CHINESE)
    >>> [grammar.value(text) for text in ("一百零五", "一零五", "百五")]
    [105, 105, None]
    >>> hundred = grammar.step(grammar.step(grammar.start, "一"), "百")
    >>> grammar.is_end(hundred), grammar.step(hundred, "百")
    (True, None)
    """

    _steps: tuple[Mapping[str, int], ...]
    """For each state the characters that may follow, with the state each leads to."""
    _ends: frozenset[int]
    _values: Mapping[str, int]
    marks: str
    """Points and signs that its numbers may have."""
    start: int = 0

    @property
    def states(self) -> int:
        """Number of states; they are numbered from 0."""
        return len(self._steps)

    def step(self, state: int, character: str) -> int | None:
        """The state after `character`, or None where it cannot follow."""
        return self._steps[state].get(character)

    def is_end(self, state: int) -> bool:
        """Whether the text may end here."""
        return state in self._ends

    def value(self, text: str) -> int | float | None:
        """The number that a text says, below 10 ** 16; None where the text is no number.

        >>> from edge_lpdpl.model.labels import CHINESE, LATIN
        >>> [grammar_for(LATIN).value(text) for text in ("007", "1,234", "-12,5", "0,125", "4.")]
        [7, 1234, -12.5, 0.125, None]
        >>> grammar_for(CHINESE).value("一万亿")
        1000000000000
        """
        if self.marks:
            plain = self.digits(text)
            return None if plain is None else float(plain) if "." in plain else int(plain)
        state = self.start
        total = section = digits = last = before = 0
        for character in text:
            after = self.step(state, character)
            if after is None:
                return None
            state = after
            before, last = last, self._values[character]
            if last < 10:
                digits = 10 * digits + last
                continue
            if last < 10_000:
                section += (digits or 1) * last
            elif last == 10_000:
                total, section = total + (section + digits or 1) * last, 0
            else:
                total, section = (total + section + digits or 1) * last, 0
            digits = 0
        if not self.is_end(state):
            return None
        return total + section + digits * max(1, before // 10)  # 一百五: a digit directly after 百 counts tens

    def has_mark(self, text: str) -> bool:
        """Whether a text has a point or a sign."""
        return any(mark in text for mark in self.marks)

    def _accepts(self, text: str) -> bool:
        state: int | None = self.start
        for character in text:
            state = None if state is None else self.step(state, character)
        return state is not None and self.is_end(state)

    def _as_latin(self, text: str) -> str:
        roles = dict(zip(self.marks, MARKS, strict=True))
        return "".join(roles[one] if one in roles else str(self._values[one]) for one in text)

    def digits(self, text: str) -> str | None:
        """A number as ASCII digits: those that are written, with a minus and a decimal point, or those of the value of
        a spoken number.

        >>> from edge_lpdpl.model.labels import ARABIC_INDIC, CHINESE, LATIN
        >>> [grammar_for(CHINESE).digits(text) for text in ("零零七", "十", "百五")]
        ['007', '10', None]
        >>> grammar_for(LATIN).digits("-1,234.50"), grammar_for(ARABIC_INDIC).digits("-١٬٢٣٤٫٥٠")
        ('-1234.50', '-1234.50')
        """
        if self.marks:
            return _plain(self._as_latin(text)) if self._accepts(text) else None
        value = self.value(text)
        if value is None:
            return None
        each = [self._values[character] for character in text]
        return "".join(map(str, each)) if max(each) < 10 else str(value)


def grammar_for(labels: Sequence[Label], *, short_forms: bool = False) -> Grammar:
    """The grammar of numbers that a model with these labels can read. Labels that no number has are left out.

    Args:
        short_forms: whether a spoken number may leave out its last unit, as in 一百五 for 150.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> [grammar_for(CHINESE, short_forms=short).value("三千二") for short in (False, True)]
    [None, 3200]
    """
    roles = {label.character: role for label in labels if (role := _role(label.character))}
    marks = marks_for(labels)
    roles |= dict(zip(marks, MARKS if marks else "", strict=True))
    states, steps = [_START], list[dict[str, int]]()
    for state in states:  # the list grows while it is read
        follow = _follow(state)
        after = {character: follow[role] for character, role in roles.items() if role in follow}
        states.extend(new for new in dict.fromkeys(after.values()) if new not in states)
        steps.append({character: states.index(new) for character, new in after.items()})
    ends = frozenset(number for number, state in enumerate(states) if _is_end(state, short_forms))
    return Grammar(tuple(steps), ends, {label.character: label.value for label in labels}, marks)


def marks_for(labels: Sequence[Label]) -> str:
    """The points and signs that numbers of these labels may have: none but those of Latin or Arabic-Indic digits, in
    the order of MARKS."""
    characters = {label.character for label in labels}
    return MARKS if characters == set("0123456789") else ARABIC_MARKS if characters == set("٠١٢٣٤٥٦٧٨٩") else ""


def _role(character: str) -> str | None:
    return "0" if len(character) == 1 and character.isdecimal() else _ROLES.get(character)


def _follow(state: _State) -> dict[str, _State]:
    """The roles that may follow, each with its state."""
    span, place = state
    if span in _DECIMAL:
        return _follow_decimal(span, int(place))
    if place.isdecimal():  # the count of digits so far
        return {role: (span, str(int(place) + 1)) for role in span} if int(place) < MOST_DIGITS else {}
    follow = {role: (span, after) for role, after in _PLACES[place].items()}
    if state == _START:
        alone = dict.fromkeys("百千万亿", _ALONE)
        return follow | alone | {"零": ("零一", "1"), "0": ("0", "1"), "-": ("-", "0")}
    if state == ("", "digit"):
        follow |= dict.fromkeys("零一", ("零一", "2"))
    if place in _WHOLE or place == "pair":
        follow |= _LARGE[span]
    return follow | {"零": ("亿零", "start")} if place == "after 亿" else follow


def _follow_decimal(span: str, count: int) -> dict[str, _State]:
    follow = dict(_DECIMAL[span])
    if count == MOST_DIGITS:
        follow.pop("0", None)
    if span == "0" and count > 3 and "," in follow:
        follow[","] = "."  # a decimal comma
    return {role: (after, str(count + (role == "0"))) for role, after in follow.items()}


def _plain(text: str) -> str:
    """A number of digits without the commas of its thousands, and with a point for a decimal comma."""
    whole, _, fraction = text.partition(".")
    head, *groups = whole.split(",")
    before = head.lstrip("-")
    if not fraction and len(groups) == 1 and (len(groups[0]) != 3 or len(before) > 3 or before.startswith("0")):
        return f"{head}.{groups[0]}"
    return whole.replace(",", "") + ("." + fraction if fraction else "")


def _is_end(state: _State, short_forms: bool) -> bool:
    span, place = state
    if span in _DECIMAL:
        return span in _DECIMAL_ENDS
    if place.isdecimal() or place in ("alone", "after 亿"):
        return True
    if span in ("亿", "万亿"):  # 万 has to follow; 一亿三 may stand for 一亿三千万, but 一万亿三 is not clear
        return short_forms and state == ("亿", "digit")
    return place in _WHOLE or (short_forms and place in _SHORT)
