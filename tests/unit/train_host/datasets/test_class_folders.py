"""Folders named after classes."""

import numpy as np
import pytest
from dataset_files import Files, complaint_about, pixels, png, write
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import DatasetError, EdgeError
from edge_lpdpl.model.labels import ARABIC_INDIC, CHEQUE, CHINESE, LATIN, TRADITIONAL
from train_host.datasets import open_dataset
from train_host.datasets.class_folders import value_of


class TestClassFolders:
    def folders(self, *names: str) -> Files:
        return {f"{name}/{n}.png": png(pixels(2 * place + n)) for place, name in enumerate(names) for n in range(2)}

    @pytest.mark.parametrize("name", ["set.zip", "set"])
    @pytest.mark.parametrize("outer", ["", "crops/", "a/b/"])
    def test_folders_are_classes_at_any_depth(self, tmp_path, name, outer):
        files = self.folders(f"{outer}01", f"{outer}10") | {f"{outer}readme.txt": b"", "__MACOSX/x/a.png": b""}
        dataset = open_dataset(write(tmp_path / name, files))
        assert dataset.name == "set"
        assert dataset.labels == (CHINESE[1], CHINESE[10])
        assert dataset.targets.tolist() == [0, 0, 1, 1]
        assert (dataset.writers, dataset.samples, dataset.is_test) == (None, None, None)

    @pytest.mark.parametrize(
        ("names", "labels"),
        [
            (["05", "06"], LATIN[5:7]),
            (["5", "10"], (CHINESE[5], CHINESE[10])),
            (["五", "六"], CHINESE[5:7]),
            (["05", "五", "6"], CHINESE[5:7]),
            (["〇", "1"], CHINESE[:2]),
            (["٠", "1"], ARABIC_INDIC[:2]),
            (["0", "亿"], (CHINESE[0], CHINESE[14])),
            (["0100", "00010000"], (CHINESE[11], CHINESE[13])),
        ],
    )
    def test_a_character_settles_the_script_and_numbers_alone_are_latin_up_to_nine(self, tmp_path, names, labels):
        assert open_dataset(write(tmp_path / "set", self.folders(*names))).labels == labels

    def test_a_value_and_its_character_are_one_class(self, tmp_path):
        apart = {"05/a.png": png(pixels(0)), "五/b.png": png(pixels(1)), "六/a.png": png(pixels(2))}
        together = {"五/a.png": png(pixels(0)), "五/b.png": png(pixels(1)), "6/a.png": png(pixels(2))}
        dataset = open_dataset(write(tmp_path / "apart.zip", apart))
        assert dataset.targets.tolist() == [0, 0, 1]
        assert dataset.digest == open_dataset(write(tmp_path / "together", together)).digest

    @pytest.mark.parametrize(
        ("files", "complaint"),
        [
            ({"five/a.png": b""}, "the folder 'five' is not named by a numeral"),
            ({"a.png": b""}, "the outermost folder, which has pictures in it, is not named by a numeral"),
            ({"01/more/a.png": b""}, "the folder '01/more' is not named by a numeral"),
            ({"other/01/a.png": b""}, "class folders both in '.' and in 'other'"),
            ({"五/a.png": b"", "٦/a.png": b""}, "are of two scripts"),
            ({"11/a.png": b""}, "the folder '11' is none of the numerals 零一"),
            ({"٦/a.png": b"", "10/a.png": b""}, "the folder '10' is none of the numerals ٠١"),
            ({"01/damaged.png": png(pixels(0))[:-30]}, "'01/damaged.png': is damaged"),
            ({"03/a.tif": b""}, "the folder '03' has no picture of a kind that is read, but 'a.tif'"),
            ({"02/again.png": png(pixels(1))}, "'01/1.png' and '02/again.png' are the same picture in two classes"),
        ],
    )
    def test_what_does_not_fit_is_named(self, tmp_path, files, complaint):
        assert complaint in complaint_about(write(tmp_path / "set.zip", self.folders("01", "02") | files))

    def test_pictures_of_any_size_are_scaled_and_keep_their_shape(self, tmp_path):
        dark = np.full((400, 200), 230, np.uint8)
        dark[100:300, 50:150] = 20
        small = np.zeros((20, 20), np.uint8)
        small[8:12, 8:12] = 255
        dataset = open_dataset(write(tmp_path / "set", {"1/a.png": png(dark), "2/b.png": png(small)}))
        assert dataset.images.shape == (2, 160, 80)
        large, little = dataset.images
        assert (large[60, 40], large[5, 5]) == (20, 230)
        assert np.count_nonzero(large < 125) == pytest.approx(80 * 40, rel=0.03)
        np.testing.assert_array_equal(little[70:90, 30:50], small)
        assert np.count_nonzero(little) == 16, "a margin of its own paper"

    def test_pictures_of_one_size_stay_as_they_are(self, tmp_path):
        files = {f"{n}/a.png": png(np.arange(200 * 200, dtype=np.uint8).reshape(200, 200) // (n + 1)) for n in (1, 2)}
        assert open_dataset(write(tmp_path / "set", files)).images.shape == (2, 200, 200)

    def test_kinds_that_cannot_be_read_are_counted(self, tmp_path):
        others = {"1/a.heic": b"x", "1/b.HEIC": b"x", "2/notes": b"x", "readme.txt": b"x"}
        dataset = open_dataset(write(tmp_path / "set", self.folders("1", "2") | others))
        assert dict(dataset.unread) == {".heic": 2, "notes": 1}

    def test_a_picture_of_which_there_are_two_is_taken_once(self, tmp_path):
        twice = {"1/again.png": png(pixels(0)), "2/again.bmp": png(pixels(2))}
        dataset = open_dataset(write(tmp_path / "set", self.folders("1", "2") | twice))
        assert (len(dataset), dataset.twins, dataset.targets.tolist()) == (4, 2, [0, 0, 1, 1])

    def test_blank_pictures_are_no_twins(self, tmp_path):
        blank = {f"{name}/blank.png": png(np.full((16, 16), 255, np.uint8)) for name in ("1", "2")}
        assert open_dataset(write(tmp_path / "set", self.folders("1", "2") | blank)).twins == 0

    def test_one_class_only(self, tmp_path):
        assert open_dataset(write(tmp_path / "set", self.folders("05"))).labels == LATIN[5:6]

    def test_pictures_too_small_to_read(self, tmp_path):
        files = {f"{n}/a.png": png(pixels(n, 7)) for n in range(2)}
        assert "7x7" in complaint_about(write(tmp_path / "set", files))


def test_folders_of_cheque_numerals_are_one_script_with_the_zero_of_both():
    from train_host.datasets.class_folders import choose_script

    assert choose_script(["零", "壹", "億"]) == TRADITIONAL
    assert choose_script(["零", "壹", "亿"]) == choose_script(["叁", "1", "万"]) == CHEQUE
    assert choose_script(["零", "万", "一"]) == choose_script(["亿", "万"]) == CHINESE
    assert choose_script(["零", "一"]) == choose_script(["零"]) == CHINESE
    with pytest.raises(DatasetError, match="of two scripts"):
        choose_script(["壹", "一"])


def test_a_numeral_of_any_script_has_its_value():
    for labels in (CHINESE, TRADITIONAL, CHEQUE, ARABIC_INDIC, LATIN):
        for character, value in labels:
            assert value_of(character) == value


def test_both_ways_to_write_zero_are_zero():
    assert value_of("零") == value_of("〇") == 0


@given(st.integers(0, 999_999), st.integers(0, 3))
def test_a_decimal_number_is_its_own_value(value, zeros):
    assert value_of("0" * zeros + str(value)) == value


@pytest.mark.parametrize("name", ["", "five", "-1", "1.5", "五五", "圓", "²", "1_000", " 5", "9" * 10])
def test_anything_else_has_none(name):
    with pytest.raises(EdgeError, match="is neither a numeral nor a number such as 05"):
        value_of(name)
