"""The Chinese numbers: `input_{suite}_{sample}_{code}.jpg` and the csv that describes them."""

import numpy as np
import pytest
from dataset_files import Files, encoded, pixels, result_or_error, write
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import DatasetError
from edge_lpdpl.model.labels import CHINESE
from train_host.datasets import chinese, open_dataset

KEYS = [chinese.Key(suite, sample, code) for suite in (2, 10) for sample in (1, 2) for code in (1, 11, 15)]
HEADER = "suite_id,sample_id,code,value,character"
ROWS = [
    f"{key.suite},{key.sample},{key.code},{CHINESE[key.code - 1].value},{CHINESE[key.code - 1].character}"
    for key in KEYS
]


def table(rows: list[str]) -> bytes:
    return "\n".join([HEADER, *rows, ""]).encode()


def archive(*, folder: str = "data/data/", rows: list[str] | None = None) -> Files:
    pictures = {f"{folder}{key}": encoded(pixels(seed), "JPEG") for seed, key in enumerate(KEYS)}
    return pictures if rows is None else {"chinese_mnist.csv": table(rows)} | pictures


def complaint_about(path, files: Files) -> str:
    with pytest.raises(DatasetError) as caught:
        open_dataset(write(path, files))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", ["set.zip", "set"])
@pytest.mark.parametrize("folder", ["", "data/data/", "archive/v1/data/data/"])
@pytest.mark.parametrize("rows", [None, ROWS, ROWS[::-1]], ids=["no csv", "csv", "csv in another order"])
def test_the_same_data_are_the_same_set_however_they_are_packed(tmp_path, name, folder, rows):
    dataset = open_dataset(write(tmp_path / name, archive(folder=folder, rows=rows)))
    assert dataset.name == "chinese"
    assert [label.character for label in dataset.labels] == ["零", "十", "亿"]
    assert dataset.targets.tolist() == [0, 1, 2] * 4
    assert dataset.writers.tolist() == [2] * 6 + [10] * 6
    assert dataset.samples.tolist() == ([1] * 3 + [2] * 3) * 2
    assert dataset.is_test is None
    assert dataset.digest == open_dataset(write(tmp_path / "reference", archive())).digest


def test_the_pictures_stay_with_their_writers(tmp_path):
    dataset = open_dataset(write(tmp_path / "set.zip", archive()))
    decoded = chinese.pictures.decode(archive(folder="")["input_10_2_11.jpg"], "")
    (index,) = np.flatnonzero((dataset.writers == 10) & (dataset.samples == 2) & (dataset.targets == 1))
    np.testing.assert_array_equal(dataset.images[index], decoded)


def test_a_csv_with_a_byte_order_mark_as_spreadsheets_write_it(tmp_path):
    files = archive() | {"chinese_mnist.csv": b"\xef\xbb\xbf" + table(ROWS).replace(b"\n", b"\r\n")}
    assert len(open_dataset(write(tmp_path / "set", files))) == len(KEYS)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([*ROWS, "3,1,1,0,零"], "line 14: there is no picture of '3,1,1,0,零'"),
        (ROWS[1:], "no row for input_2_1_1.jpg;"),
        ([*ROWS, ROWS[0]], "line 14: there is no picture of '2,1,1,0,零', or a row of it before"),
        (["2,1,1,0,一", *ROWS[1:]], "line 2: there is no picture of '2,1,1,0,一'"),
        (["2,1,1,1,零", *ROWS[1:]], "line 2: there is no picture of '2,1,1,1,零'"),
        (["2,1", *ROWS[1:]], "line 2: there is no picture of '2,1,None,None,None'"),
        ([], "no row for input_2_1_1.jpg and 11 more"),
    ],
)
def test_a_csv_that_disagrees_with_its_files_is_one_error(tmp_path, rows, complaint):
    message = complaint_about(tmp_path / "set.zip", archive(rows=rows))
    assert complaint in message
    assert "chinese_mnist.csv" in message


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "no column suite_id"),
        (b"suite_id,sample_id,value,character\n", "no column code"),
        (table(ROWS).decode().encode("gbk"), "not a csv in UTF-8"),
        (table(ROWS) + b'"', "not a csv in UTF-8"),
    ],
)
def test_a_csv_that_is_none_is_an_error(tmp_path, content, complaint):
    assert complaint in complaint_about(tmp_path / "set", archive() | {"chinese_mnist.csv": content})


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"input_2_1.jpg": b""}, "'input_2_1.jpg' is not named"),
        ({"input_2_1_16.jpg": b""}, "code 16"),
        ({"input_2_1_0.jpg": b""}, "code 0"),
        ({"again/input_02_1_1.jpg": b""}, "the same sample"),
        ({"input_9_9_9.jpg": b"not a picture"}, "'input_9_9_9.jpg': is no picture"),
        ({"input_9_9_9.jpg": encoded(pixels(0, 16), "JPEG")}, "mixed sizes: 'input_9_9_9.jpg' is 16x16"),
        ({"a/chinese_mnist.csv": b"", "b/chinese_mnist.csv": b""}, "two tables"),
    ],
)
def test_files_that_contradict_each_other_are_an_error(tmp_path, files, complaint):
    assert complaint in complaint_about(tmp_path / "set", archive() | files)


def test_one_character_only(tmp_path):
    files = {"input_1_1_6.jpg": encoded(pixels(0), "JPEG"), "input_1_2_6.jpg": encoded(pixels(1), "JPEG")}
    assert open_dataset(write(tmp_path / "set", files)).labels == CHINESE[5:6]


def test_a_csv_without_any_picture(tmp_path):
    assert "line 2: there is no picture of" in complaint_about(tmp_path / "set", {"chinese_mnist.csv": table(ROWS)})


def test_a_csv_that_lists_nothing_without_any_picture(tmp_path):
    for name in ("set", "set.zip"):
        assert "there is no picture in it" in complaint_about(tmp_path / name, {"chinese_mnist.csv": table([])})


csv_cells = st.sampled_from(
    ["1", "2", "0", "零", "一", "十", "", '"', "\x00", "99999999999", "-1", "²", "\r", "\ud800"]
)
csv_lines = st.lists(st.lists(csv_cells, max_size=6).map(",".join), max_size=4)


@given(lines=csv_lines, header=st.sampled_from([HEADER, HEADER + ",code", "code"]))
def test_any_text_agrees_or_is_an_error(lines, header):
    data = "\n".join([header, *lines]).encode("utf-8", "surrogatepass")
    result_or_error(chinese.compare_table, data, KEYS, "table.csv")


@given(before=st.binary(max_size=20), after=st.binary(max_size=20))
def test_any_bytes_agree_or_are_an_error(before, after):
    result_or_error(chinese.compare_table, before, KEYS, "table.csv")
    result_or_error(chinese.compare_table, before + table(ROWS) + after, KEYS, "table.csv")
