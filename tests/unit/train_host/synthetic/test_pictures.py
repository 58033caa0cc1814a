"""Drawn numerals: the same for a seed, in the form of a real data set, and with the options asked for."""

import hashlib

import numpy as np
import pytest

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN
from train_host.datasets import Dataset, open_dataset
from train_host.datasets.bundled import synthesise_dataset
from train_host.synthetic.dice import Dice
from train_host.synthetic.options import Options
from train_host.synthetic.pictures import draw_numeral, draw_sample
from train_host.synthetic.strokes import characters, other_shapes

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def small() -> Dataset:
    return synthesise_dataset("writers=12,samples=4")


class TestDataset:
    def test_has_the_form_of_the_real_set(self, small):
        assert small.images.shape == (12 * 4 * 15, 64, 64)
        assert small.labels == CHINESE
        assert sorted(set(small.writers)) == list(range(1, 13))
        assert sorted(set(small.samples)) == [1, 2, 3, 4]
        triples = set(zip(small.writers, small.samples, small.targets, strict=True))
        assert len(triples) == len(small)

    def test_defaults_are_those_of_the_real_set(self):
        assert Options() == Options(writers=100, samples=10, seed=0, script="chinese", size=64)

    @pytest.mark.parametrize(
        ("script", "labels"),
        [("chinese", CHINESE), ("cheque", CHEQUE), ("arabic-indic", ARABIC_INDIC), ("latin", LATIN)],
    )
    def test_every_script_can_be_asked_for(self, script, labels):
        data = synthesise_dataset(f"writers=1,samples=1,size=32,script={script}")
        assert data.labels == labels
        assert data.targets.tolist() == list(range(len(labels)))

    @pytest.mark.parametrize(("script", "labels", "first"), [("cheque", CHEQUE, "零"), ("chinese", CHINESE, "〇")])
    def test_every_second_writer_writes_the_other_shapes(self, script, labels, first):
        numerals = synthesise_dataset(f"writers=2,samples=1,script={script}")
        others = other_shapes(labels)
        assert others[0] == first
        for target, (label, other) in enumerate(zip(labels, others, strict=True)):
            for writer, character in ((1, label.character), (2, other)):
                drawn = numerals.images[(numerals.targets == target) & (numerals.writers == writer)]
                assert np.array_equal(drawn[0], draw_sample(character, seed=0, writer=writer, sample=1, size=64))

    def test_drawn_cheques_say_that_nobody_wrote_them(self):
        assert synthesise_dataset("writers=1,samples=1,script=cheque").name == "synthetic cheque (no real writing)"

    def test_everyday_numbers_have_no_traditional_characters(self, small):
        drawn = small.images[(small.writers == 2) & (small.samples == 1)]
        assert np.array_equal(drawn[13], draw_sample("万", seed=0, writer=2, sample=1, size=64))

    def test_is_opened_by_its_name(self, small):
        assert open_dataset("synthetic:writers=12,samples=4").digest == small.digest

    def test_is_light_ink_on_black(self, small):
        assert np.median(small.images) == 0
        assert (small.images == 0).mean() > 0.8
        assert small.images.max(axis=(1, 2)).min() > 60

    def test_is_as_sparse_as_strokes_one_pixel_wide(self, small):
        ink = (small.images > 40).mean(axis=(1, 2))
        assert 0.01 < ink.mean() < 0.08

    def test_pictures_all_differ(self, small):
        assert len({image.tobytes() for image in small.images}) == len(small)

    def test_a_writer_is_more_like_himself_than_like_others(self, small):
        """The same numeral, blurred so that a stroke moved by a pixel still counts as the same."""
        blocks = small.images.reshape(-1, 16, 4, 16, 4).mean(axis=(2, 4))
        within, between = [], []
        for target in range(len(CHINESE)):
            chosen = small.targets == target
            apart = np.linalg.norm(blocks[chosen][:, None] - blocks[chosen], axis=(2, 3))
            same = small.writers[chosen][:, None] == small.writers[chosen]
            within.append(apart[same & (apart > 0)].mean())
            between.append(apart[~same].mean())
        assert np.all(np.array(within) < 0.92 * np.array(between))


class TestDeterminism:
    def test_bytes_are_pinned(self):
        """The same on every machine and with every NumPy. A change of strokes or writers changes this digest."""
        pictures = [draw_numeral(character, seed=5) for character in characters()]
        pictures += [draw_numeral(character, seed=6, size=96, dark_on_light=True) for character in "零八٤8"]
        digest = hashlib.sha256(b"".join(picture.tobytes() for picture in pictures)).hexdigest()
        assert digest[:16] == "834e5c574af8508d"

    def test_another_seed_is_another_set(self):
        assert synthesise_dataset("writers=1").digest != synthesise_dataset("writers=1,seed=1").digest

    def test_a_smaller_set_is_part_of_a_larger_one(self, small):
        few = synthesise_dataset("writers=3,samples=2")
        part = small.subset((small.writers <= 3) & (small.samples <= 2))
        assert np.array_equal(few.images, part.images)

    def test_streams_of_different_keys_are_unrelated(self):
        keys = [(1,), (1, 0), (1, 0, 0), (0, 1), (2**32,), (0, 2**31)]
        assert len({Dice(*key).unit(4).tobytes() for key in keys}) == len(keys)

    def test_dice_are_fair_enough(self):
        dice = Dice(1)
        assert dice.unit(20_000).mean() == pytest.approx(0.5, abs=0.01)
        bell = dice.bell(20_000)
        assert (bell.mean(), bell.std()) == pytest.approx((0, 1), abs=0.03)
        assert np.abs(bell).max() <= 3


class TestDrawNumeral:
    @pytest.mark.parametrize("size", [16, 33, 64, 256])
    def test_every_character_at_every_size(self, size):
        for character in characters():
            picture = draw_numeral(character, seed=size, size=size)
            assert picture.shape == (size, size)
            assert picture.dtype == np.uint8
            assert picture.max() > 40, character

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_ink_keeps_off_the_border(self, seed):
        for character in characters():
            picture = draw_numeral(character, seed=seed, size=96, dark_on_light=True)
            paper = np.median(picture)
            border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
            assert picture.min() < paper - 60, character
            assert border.min() > paper - 60, character

    def test_paper_is_shaded_and_noisy(self):
        picture = draw_numeral("十", seed=4, size=128, dark_on_light=True)
        assert 100 < np.median(picture) < 230
        assert picture[:16, :16].std() > 1

    @pytest.mark.parametrize("wrong", [{"seed": -1}, {"size": 15}, {"size": 1025}])
    def test_out_of_range(self, wrong):
        with pytest.raises(DatasetError):
            draw_numeral("五", **{"seed": 0, **wrong})

    @pytest.mark.parametrize("character", ["", "五五", "ß", "兆"])
    def test_unknown_character(self, character):
        with pytest.raises(DatasetError, match=r"numeral|strokes"):
            draw_numeral(character, seed=0)
