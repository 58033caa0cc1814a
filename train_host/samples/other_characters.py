"""Characters that are no numerals of a model's script: letters, signs, and the numerals of other scripts, written by
synthetic writers. Where somebody writes numbers, there are words too.

Some of them are written as a numeral is, by some or by all people: an O is a 0. Those are left out.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.model.labels import Label
from train_host.synthetic.pictures import draw_sample
from train_host.synthetic.strokes import characters, other_shapes, others

SIZE = 64
_RINGS, _BARS = "OoDQ〇口の", "Il/\\()[]!i"
LOOK_ALIKES = {
    "0": _RINGS + "٥",
    "1": _BARS + "١",
    "2": "Zz乙",
    "4": "Yy",
    "5": "Ss$",
    "6": "bG",
    "7": "T>フワク٦",
    "8": "B&",
    "9": "gq٩",
    "一": "~",
    "二": "=コ",
    "三": "ミ",
    "七": "ヒセ",
    "十": "+ナメtf",
    "千": "干于午",
    "万": "萬",
    "亿": "億",
    "〇": _RINGS + "0٥",
    "١": _BARS + "1",
    "٢": "r",
    "٤": "E",
    "٥": _RINGS + "0",
    "٦": "7フ",
    "٧": "Vv✓レ",
    "٨": "^人入",
    "٩": "9gqP",
}
"""The characters that may be a numeral, as somebody writes them."""


def other_characters(count: int, seed: int, labels: Sequence[Label]) -> NDArray[np.uint8]:
    """Pictures of characters that are no numerals of these labels, uint8 (count, 64, 64), read-only, light on black.

    Every picture is by another writer.

    >>> from edge_lpdpl.model.labels import CHINESE
    >>> other_characters(3, 0, CHINESE).shape
    (3, 64, 64)
    """
    return _drawn(count, seed, strange_to(labels))


def strange_to(labels: Sequence[Label]) -> str:
    """The characters that can be drawn and that nobody takes for a numeral of these labels.

    >>> from edge_lpdpl.model.labels import LATIN
    >>> "A" in strange_to(LATIN), "五" in strange_to(LATIN), "5" in strange_to(LATIN), "O" in strange_to(LATIN)
    (True, True, False, False)
    """
    own = {label.character for label in labels} | set(other_shapes(labels))
    own |= {other for one in own for other in LOOK_ALIKES.get(one, "")}
    return "".join(one for one in (*others(), *characters()) if one not in own)


@lru_cache(maxsize=2)
def _drawn(count: int, seed: int, known: str) -> NDArray[np.uint8]:
    order = np.random.default_rng([seed, count]).permutation(count)
    pictures = np.stack(
        [draw_sample(known[place % len(known)], seed=seed, writer=int(place), sample=0, size=SIZE) for place in order]
    )
    pictures.setflags(write=False)
    return pictures
