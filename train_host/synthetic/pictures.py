"""Draw one picture of one numeral by one writer."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from edge_lpdpl.errors import DatasetError
from train_host.synthetic.dice import Array, Dice
from train_host.synthetic.drawing import dark_on_paper, draw_line, fit_in_frame, light_on_black
from train_host.synthetic.trace import trace_strokes
from train_host.synthetic.writers import Habit, Writer, form_habit, place_points, random_writer

_SMALLEST, _LARGEST = 16, 1024
_PEN_FRAME = 64  # side of the frame for which a writer's pen is given in pixels
_PAPER_PEN = 2.0  # in a camera's close-up the pen looks thicker ...
_PAPER_EM = 0.8  # ... and the numeral larger

# Keys of random streams, so that no two uses share a stream.
_STYLE, _HABIT, _SAMPLE = range(3)


def draw_numeral(character: str, *, seed: int, size: int = 64, dark_on_light: bool = False) -> NDArray[np.uint8]:
    """Draw a numeral as a person might write it; every seed is another writer.

    Args:
        character: a Chinese, Arabic-Indic or Latin numeral.
        seed: 0 or more. The same arguments give the same bytes on every machine.
        size: side of the picture in pixels, 16 to 1024.
        dark_on_light: draw dark ink on shaded grey paper as a camera sees it, larger and with a thicker pen, instead
            of thin light ink on black as in the Newcastle set.

    Returns:
        uint8 (size, size).

    Raises:
        DatasetError: there are no strokes for the character, or an argument is out of range.

    >>> picture = draw_numeral("五", seed=3, size=128, dark_on_light=True)
    >>> picture.shape, bool(picture.min() < 80 < 100 < picture[:8, :8].mean())
    ((128, 128), True)
    """
    if seed < 0:
        raise DatasetError(f"the seed is {seed}, but must not be negative")
    if not _SMALLEST <= size <= _LARGEST:
        raise DatasetError(f"a picture of {size} pixels cannot be drawn, only of {_SMALLEST} to {_LARGEST}")
    if not dark_on_light:
        return draw_sample(character, seed=seed, writer=0, sample=0, size=size)
    dice = _sample_dice(seed, 0, character, 0)
    pen = max(1.0, _PAPER_PEN * _writer(seed, 0).pen * size / _PEN_FRAME)
    return dark_on_paper(_cover(seed, 0, character, dice, size, pen, _PAPER_EM), dice)


def draw_sample(character: str, *, seed: int, writer: int, sample: int, size: int) -> NDArray[np.uint8]:
    """One picture of a synthetic data set, light ink on black.

    Args:
        character: one of `strokes.characters`, or of `strokes.others`.
        seed: of the data set.
        writer: number of the writer; the same seed and number are the same writer.
        sample: number of the repetition.
        size: side of the picture in pixels.

    Returns:
        uint8 (size, size).

    Raises:
        DatasetError: there are no strokes for the character.

    >>> draw_sample("五", seed=0, writer=1, sample=1, size=64).shape
    (64, 64)
    """
    dice = _sample_dice(seed, writer, character, sample)
    cover = _cover(seed, writer, character, dice, size, pen=None, em=None)
    return light_on_black(cover, _writer(seed, writer), dice)


@lru_cache(maxsize=4)
def _writer(seed: int, number: int) -> Writer:
    return random_writer(Dice(seed, number, _STYLE))


@lru_cache(maxsize=128)
def _habit(seed: int, number: int, character: str, which: int) -> Habit:
    return form_habit(character, Dice(seed, number, _HABIT, ord(character), which))


def _sample_dice(seed: int, number: int, character: str, sample: int) -> Dice:
    if len(character) != 1:
        raise DatasetError(f"{character!r} is not one numeral")
    return Dice(seed, number, _SAMPLE, ord(character), sample)


def _cover(seed: int, number: int, character: str, dice: Dice, size: int, pen: float | None, em: float | None) -> Array:
    """The written line, float64 (size, size) in 0 to 1; `pen` in pixels, `em` as a share of the size."""
    writer = _writer(seed, number)
    habit = _habit(seed, number, character, 0 if dice.chance(writer.constancy) else 1)
    trace = trace_strokes(habit.glyph, place_points(writer, habit, dice), writer, dice)
    em = size * (em or writer.em * dice.around(1.0, 0.08))
    pen = pen or writer.pen * size / _PEN_FRAME
    centre = size * dice.around(writer.centre_x, 0.035), size * dice.around(writer.centre_y, 0.035)
    return draw_line(fit_in_frame(trace, em, centre, size, margin=pen / 2 + 1), size, pen)
