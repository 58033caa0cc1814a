"""Data sets that have a name of their own: `digits` and `synthetic`."""

import sys
import types
from pathlib import Path

import pytest
from dataset_files import pixels, png, write

from edge_lpdpl.model.labels import LATIN
from train_host.datasets import open_dataset


class TestWords:
    def test_digits_are_the_real_handwriting_that_comes_with_scikit_learn(self):
        digits = open_dataset("digits")
        assert digits.images.shape == (1797, 8, 8)
        assert (digits.images.min(), digits.images.max()) == (0, 255)
        assert digits.labels == LATIN

    @pytest.mark.parametrize(("word", "options"), [("synthetic", ""), ("synthetic:writers=3", "writers=3")])
    def test_synthetic_hands_its_options_on(self, word, options, monkeypatch):
        stand_in = types.ModuleType("train_host.synthetic")
        stand_in.synthesise_dataset = lambda options="": options
        monkeypatch.setitem(sys.modules, "train_host.synthetic", stand_in)
        assert open_dataset(word) == options

    def test_a_folder_that_is_called_like_a_word_is_reached_through_its_path(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "digits", {"1/a.png": png(pixels(0)), "2/a.png": png(pixels(1))})
        assert len(open_dataset("./digits")) == len(open_dataset(Path("digits"))) == 2
