"""Why numerals are rejected and ink is left unread: the fixed reasons, their words, and the table of rules on strokes.

A model cannot reject everything that looks like a numeral: the rim of a finger may have the shape of 七. What the page
shows around the ink can tell: beside a rim, the darkness goes on. A new rule is a new row of `RULES`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from math import inf
from typing import NamedTuple

from edge_lpdpl.model.labels import BARS, BENT, DOTS, FRAMED
from edge_lpdpl.numeral.recogniser import NO_INK, NOT_A_SCORE, UNLIKE, UNSURE, Recognition
from edge_lpdpl.page.strokes import Strokes

LARGE_DOT = "too_large"
REASONS = {
    # What the recogniser rejects:
    NO_INK: "no ink",
    NOT_A_SCORE: "a score is not a number",
    UNLIKE: "unlike {one}: {novelty:.3g} of what is allowed",
    UNSURE: "unsure: {label} or else {other}",
    # What breaks one of `RULES`:
    "rim": "darkness goes on beside the ink",
    LARGE_DOT: "too large for a dot",
    "too_faint": "too faint for such broad strokes",
    "too_slender": "as thin as ruled lines",
    "no_frame": "without the frame of a {label}",
    "a_cross": "as straight as a cross",
    "not_a_dot": "without the shape of a dot",
}
"""All values of `Recognition.reason` but None, with words for people; see `why`."""

UNREAD_WORDS = {
    "touches_border": "touching the border",
    "too_bold": "too bold",
    "too_large": "too large",
    "too_small": "too small",
    "too_faint": "too faint",
    "a_line": "ruled",
    "print": "like print",
    "rules": "in printed rules",
    "no_numeral": "unlike a numeral",
    "too_much_ink": "where there is too much ink",
    "no_marks": "without the marks of its form",
    "another_form": "on a second sheet of the form",
}
"""Words for `edge_lpdpl.page.boxes.UNREAD_REASONS`, after a count."""


class Rule(NamedTuple):
    """A limit on the strokes of a numeral."""

    reason: str
    measured: Callable[[Strokes], float]
    at_most: float | None = None
    at_least: float = 0.0
    """What is allowed; `at_least` counts only without `at_most`."""
    characters: frozenset[str] | None = None
    """What it applies to, a trait in `edge_lpdpl.model.labels`; every character where None."""
    nearer: bool = False
    """Whether the rule, if it is broken, multiplies the novelty by its share, so that only a numeral near to its class
    is accepted. Any other rule rejects each numeral that breaks it."""

    def share(self, strokes: Strokes) -> float:
        """What is measured as a share of what is allowed, or what is required as a share of what is measured: the rule
        is broken above 1."""
        measured = self.measured(strokes)
        return self.at_least / measured if self.at_most is None else measured / self.at_most


RULES = (
    Rule("rim", lambda strokes: strokes.rim, at_most=0.06, nearer=True),
    # Few zeros are nearly as large as the largest dot, but many dark things are: from 0.7 of it on, less is allowed.
    Rule(
        LARGE_DOT,
        lambda strokes: max(1 - strokes.of_largest_dot, 0.01) / (1 - 0.7),
        at_least=1,
        characters=DOTS,
        nearer=True,
    ),
    # The first stroke of a 4 turns; those of a plus do not.
    Rule("a_cross", lambda strokes: max(strokes.turns - 1, 0.01), at_least=0.25, characters=BENT, nearer=True),
    Rule(LARGE_DOT, lambda strokes: strokes.of_largest_dot, at_most=1, characters=DOTS),
    # A camera's blur takes contrast from thin strokes only. Broad ones that are faint, wider than 2.5 pixels of the
    # reduced frame, show through from the back of the paper, or are shadows.
    Rule("too_faint", lambda strokes: strokes.strength if strokes.width > 2.5 else inf, at_least=0.3),
    Rule("too_slender", lambda strokes: strokes.slender, at_most=50, characters=BARS),
    Rule("no_frame", lambda strokes: strokes.longest, at_least=0.74, characters=FRAMED),
    # A quick pen makes a short dash of a dot, and a dash that is oblique fills little of its box.
    Rule("not_a_dot", lambda strokes: strokes.shape, at_most=3, characters=DOTS),
    Rule("not_a_dot", lambda strokes: strokes.filled, at_least=0.3, characters=DOTS),
)
"""Applied in this order, those that ask for `nearer` numerals first."""


def why(reason: str, label: str | None, other: str | None, novelty: float) -> str:
    """Why a numeral is rejected, for people.

    Args:
        reason: one of `REASONS`.
        other: the runner-up.

    >>> why("unlike_any_numeral", "7", "1", 1.3), why("unsure", "4", "9", 0.2)
    ('unlike a 7: 1.3 of what is allowed', 'unsure: 4 or else 9')
    """
    one = f"an {label}" if label == "8" else f"a {label}"
    return REASONS[reason].format(label=label, one=one, other=other, novelty=novelty)


def nothing_here(reasons: Iterable[str]) -> str:
    """Why no numeral was found, for people.

    Args:
        reasons: of the ink that was left unread, each one of `UNREAD_REASONS`.

    >>> nothing_here(["too_small"] * 11 + ["touches_border"])
    'nothing here: 12 strokes seen, 11 too small, 1 touching the border'
    >>> nothing_here([])
    'nothing here: no strokes seen'
    """
    counts = Counter(reasons)
    if counts["no_marks"]:
        return "nothing read: the four marks of the form are not found"
    seen = counts.total()
    told = "".join(f", {count} {UNREAD_WORDS[reason]}" for reason, count in counts.most_common())
    return f"nothing here: {seen or 'no'} {'stroke' if seen == 1 else 'strokes'} seen{told}"


def checked(recognition: Recognition, strokes: Strokes) -> Recognition:
    """The recognition, rejected where the strokes break a rule for its label.

    Each broken rule in turn raises the novelty to the larger of the novelty and the share; a `nearer` rule multiplies
    the novelty by its share. The reason is that of the last rule that raised the novelty to more than 1.

    >>> import numpy as np
    >>> read = Recognition("七", 7, 0.99, False, "十", np.zeros(15, np.float32), 24e-6, 0.5)
    >>> finger = Strokes(0.2, 1.3, 6.0, 9.0, 0.6, 1.0, 0.4, 1.3, rim=0.15)
    >>> checked(read, finger).reason, checked(read, finger._replace(rim=0.02)).reason
    ('rim', None)
    """
    novelty, reason = recognition.novelty, recognition.reason
    for rule in _rules_of(recognition.label):
        share = rule.share(strokes)
        reached = novelty * share if rule.nearer else share
        if share > 1 and reached > novelty:
            novelty = reached
            reason = rule.reason if novelty > 1 else reason
    if novelty == recognition.novelty:
        return recognition
    return recognition._replace(novelty=novelty, rejected=recognition.rejected or novelty > 1, reason=reason)


@cache
def _rules_of(label: str | None) -> tuple[Rule, ...]:
    """The rules that apply to a character."""
    return tuple(rule for rule in RULES if label and (rule.characters is None or label in rule.characters))
