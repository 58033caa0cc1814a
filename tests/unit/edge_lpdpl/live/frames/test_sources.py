"""Sources of frames: a folder of pictures, a glob or a single picture is found, or refused in one line."""

import os
import tempfile

import pytest
from frame_sources import all_frames, source
from other_users import nobody

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.frames.sources import find_pictures


def test_a_glob_and_a_single_picture(pictures):
    assert len(all_frames(source(pictures / "*.jpg"))) == 2
    assert len(all_frames(source(pictures / "a.png"))) == 2


def test_a_name_that_is_no_utf8_can_be_said(pictures):
    (pictures / "a.png").rename(os.fsdecode(os.fsencode(pictures) + b"/\xff.gif"))
    assert source(pictures / "*.gif").name.encode() == b"picture '\\udcff.gif'"


def test_no_pictures(tmp_path):
    with pytest.raises(ConfigError, match=r"holds no pictures \(.png, .jpg"):
        source(tmp_path)
    with pytest.raises(ConfigError, match="is no file, no folder and no glob"):
        source(tmp_path / "none")
    with pytest.raises(ConfigError, match="holds no pictures"):
        source(tmp_path / "*.png")
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(ConfigError, match="none of the pictures can be used"):
        source(tmp_path).take()


def test_a_folder_that_may_not_be_read_is_named_with_what_to_do():
    with tempfile.TemporaryDirectory() as folder:  # the folders of pytest are closed to other users
        os.chmod(folder, 0o300)
        told = rf"{folder}: may not be read by user \d+; give everybody the right: chmod"
        with nobody(), pytest.raises(ConfigError, match=told):
            source(folder)
        os.chmod(folder, 0o700)


def test_an_empty_name_is_not_the_current_folder():
    with pytest.raises(ConfigError, match=r"frames\.source is empty"):
        find_pictures("")
