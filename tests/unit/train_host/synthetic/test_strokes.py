"""The strokes of every character are described."""

import numpy as np
import pytest

from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL
from train_host.datasets.class_folders import value_of
from train_host.synthetic.dice import Dice
from train_host.synthetic.strokes import characters, glyphs_of, others
from train_host.synthetic.trace import trace_strokes
from train_host.synthetic.writers import random_writer


class TestStrokes:
    def test_all_numerals_are_described_and_nothing_else(self):
        scripts = (CHINESE, TRADITIONAL, CHEQUE, ARABIC_INDIC, LATIN)
        assert {label.character for script in scripts for label in script} <= set(characters())
        assert all(value_of(character) >= 0 for character in characters())

    def test_no_character_is_a_numeral_and_none(self):
        assert not set(others()) & set(characters())

    @pytest.mark.parametrize("character", [*characters(), *others()])
    def test_a_description_is_sound(self, character):
        for glyph in glyphs_of(character):
            assert 0 <= glyph.points.min() <= glyph.points.max() <= 1
            ends = np.flatnonzero(np.diff(glyph.stroke, prepend=-1, append=glyph.stroke[-1] + 1))
            assert np.all(np.diff(ends) >= 2), "a stroke of one point"
            assert not glyph.smooth[ends[:-1]].any(), "a stroke begins with ~"
            assert not glyph.smooth[ends[1:] - 1].any(), "a stroke ends with ~"
            same_stroke = np.diff(glyph.stroke) == 0
            assert np.any(np.diff(glyph.points, axis=0)[same_stroke] != 0, axis=1).all(), "a point twice"

    def test_stroke_counts_are_those_of_the_dictionary(self):
        """A glyph may have fewer strokes than the dictionary says, as often for 零, and never more."""
        counts = {
            label.character: max(int(glyph.stroke[-1]) + 1 for glyph in glyphs_of(label.character)) for label in CHINESE
        }
        assert counts == dict(
            zip("零一二三四五六七八九十百千万亿", [13, 1, 2, 3, 5, 4, 4, 2, 2, 2, 2, 6, 3, 3, 3], strict=True)
        )

    def test_a_steady_pen_passes_the_points_of_the_description(self):
        writer = random_writer(Dice(0))
        for name in ("roundness", "tremor", "ticks", "joining"):
            object.__setattr__(writer, name, 0.0)
        for character in characters():
            glyph = glyphs_of(character)[0]
            trace = trace_strokes(glyph, glyph.points, writer, Dice(1))
            apart = np.linalg.norm(glyph.points[:, None] - trace.points, axis=2)
            assert apart.min(axis=1).max() < 1e-9, character
