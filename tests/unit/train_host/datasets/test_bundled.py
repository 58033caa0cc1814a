"""Data sets that have a name of their own: `digits` and `synthetic`."""

from pathlib import Path

from dataset_files import pixels, png, write

from edge_lpdpl.model.labels import LATIN
from train_host.datasets import open_dataset
from train_host.datasets.bundled import synthesise_dataset


class TestWords:
    def test_digits_are_the_real_handwriting_that_comes_with_scikit_learn(self):
        digits = open_dataset("digits")
        assert digits.images.shape == (1797, 8, 8)
        assert (digits.images.min(), digits.images.max()) == (0, 255)
        assert digits.labels == LATIN

    def test_synthetic_hands_its_options_on(self):
        options = "writers=2,samples=1,script=latin,size=16"
        assert open_dataset(f"synthetic:{options}").digest == synthesise_dataset(options).digest

    def test_a_folder_that_is_called_like_a_word_is_reached_through_its_path(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "digits", {"1/a.png": png(pixels(0)), "2/a.png": png(pixels(1))})
        assert len(open_dataset("./digits")) == len(open_dataset(Path("digits"))) == 2
