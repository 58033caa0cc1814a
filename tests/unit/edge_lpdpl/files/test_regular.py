"""A file of somebody else is read whole, or one line says what is wrong with it; nothing is waited for."""

import os

import pytest
from deadline import within

from edge_lpdpl.errors import ConfigError, ImageError, may_pass
from edge_lpdpl.files.regular import read_regular


def test_a_file_and_a_link_to_one_are_read(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    assert read_regular(tmp_path / "a", 5, ImageError) == read_regular(tmp_path / "link", 5, ImageError) == b"12345"
    (tmp_path / "a").write_bytes(b"")
    assert read_regular(tmp_path / "a", 5, ImageError) == b""


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("none", r"none: cannot be opened \(No such file or directory\); check the path"),
        ("a\0b", r"'.*a\\x00b': cannot be opened \(embedded null byte\); check the path"),
        ("folder", "folder: is a folder; name a file"),
        ("pipe", "pipe: is no ordinary file; name a file"),
        ("large", "large: is larger than 2 KiB; give a smaller one"),
    ],
)
def test_what_cannot_be_read_is_one_line_about_the_file(name, wrong, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(bytes(2049))
    with within(20), pytest.raises(ConfigError, match=f"{wrong}$") as caught:
        read_regular(f"{tmp_path}/{name}", 2048, ConfigError)
    assert str(caught.value).isprintable()


def test_a_pipe_with_a_writer_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        with within(20), pytest.raises(ImageError, match="is no ordinary file"):
            read_regular(tmp_path / "pipe", 5, ImageError)
    finally:
        os.close(writer)


def test_what_the_system_is_short_of_may_pass(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "open", fail)
    with pytest.raises(ImageError, match="Too many open files") as caught:
        read_regular(tmp_path / "a", 5, ImageError)
    assert may_pass(caught.value)
