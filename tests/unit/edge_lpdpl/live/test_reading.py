"""Which model the service uses if its configuration does not name one."""

import shutil

from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.live.reading import model_path


def test_an_installed_model_comes_before_the_shipped_one(tmp_path):
    state = {"STATE_DIRECTORY": f"{tmp_path}:/nowhere"}
    assert model_path("auto", state) == shipped_model("chinese15")
    installed = tmp_path / "model.safetensors"
    shutil.copy(shipped_model("latin10"), installed)
    assert model_path("auto", state) == installed


def test_a_dangling_link_to_an_installed_model_is_not_passed_over(tmp_path):
    installed = tmp_path / "model.safetensors"
    installed.symlink_to(tmp_path / "gone")
    assert model_path("auto", {"STATE_DIRECTORY": str(tmp_path)}) == installed


def test_a_named_model_is_that_one(tmp_path):
    shutil.copy(shipped_model("latin10"), tmp_path / "model.safetensors")
    assert model_path("arabic10", {"STATE_DIRECTORY": str(tmp_path)}) == shipped_model("arabic10")


def test_no_test_depends_on_an_installed_model():
    assert model_path("auto") == shipped_model("chinese15")
