"""The folder of compiled kernels belongs to one user and is named after the digest of the sources."""

import os
import re
import shutil
from pathlib import Path

import pytest

import edge_lpdpl
from edge_lpdpl.jit import store
from edge_lpdpl.jit.store import (
    cache_folder,
    kernel_digest,
    kernel_sources,
)

PACKAGE = Path(edge_lpdpl.__file__).parent


class TestFolder:
    def test_is_for_this_user_alone(self, folders):
        folder = cache_folder()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.stat().st_uid == os.geteuid()

    def test_is_named_after_the_sources(self, folders):
        assert cache_folder().name == f"kernels-{kernel_digest()}"

    def test_stays_the_same(self, folders):
        assert cache_folder() == cache_folder()

    def test_is_in_the_first_place_that_is_named(self, folders, monkeypatch):
        assert cache_folder().parent == folders["NUMBA_CACHE_DIR"]
        monkeypatch.delenv("NUMBA_CACHE_DIR")
        assert cache_folder().parent == folders["CACHE_DIRECTORY"]
        monkeypatch.delenv("CACHE_DIRECTORY")
        assert cache_folder().parent == folders["XDG_CACHE_HOME"] / "edge-lpdpl"
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert cache_folder().parent == folders["HOME"] / ".cache" / "edge-lpdpl"

    def test_an_empty_name_is_no_place(self, folders, monkeypatch):
        monkeypatch.setenv("NUMBA_CACHE_DIR", "")
        assert cache_folder().parent == folders["CACHE_DIRECTORY"]

    def test_of_a_user_without_a_home_is_where_it_is_named_or_nowhere(self, folders, monkeypatch):
        def unknown(_):
            raise KeyError("no such user")

        monkeypatch.delenv("HOME")
        monkeypatch.setattr("pwd.getpwuid", unknown)
        assert cache_folder().parent == folders["NUMBA_CACHE_DIR"]
        monkeypatch.delenv("NUMBA_CACHE_DIR")
        monkeypatch.delenv("CACHE_DIRECTORY")
        assert cache_folder().parent == folders["XDG_CACHE_HOME"] / "edge-lpdpl"
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert cache_folder() is None

    def test_is_none_where_it_cannot_be_made(self, folders):
        folders["NUMBA_CACHE_DIR"].write_text("a file is in the way")
        assert cache_folder() is None

    @pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
    def test_is_none_where_others_could_write(self, folders, mode):
        cache_folder().chmod(mode)
        assert cache_folder() is None

    def test_is_none_where_it_is_another_users(self, folders, monkeypatch):
        cache_folder()
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        assert cache_folder() is None


class TestDigest:
    @pytest.fixture
    def copy(self, tmp_path, monkeypatch) -> Path:
        """A copy of the package, whose sources are then digested."""
        package = shutil.copytree(
            PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__", "shipped_*")
        )
        monkeypatch.setattr(store, "_PACKAGE", package)
        return package

    def test_is_that_of_the_text_wherever_it_lies(self, copy, monkeypatch):
        there = kernel_digest()
        monkeypatch.undo()
        assert kernel_digest() == there

    @pytest.mark.parametrize("name", [str(path.relative_to(PACKAGE)) for path in kernel_sources()])
    def test_changes_with_every_source(self, copy, name):
        before = kernel_digest()
        with (copy / name).open("a") as source:
            source.write("# a change\n")
        assert kernel_digest() != before

    def test_covers_every_file_that_has_a_kernel(self):
        having = {path for path in PACKAGE.rglob("*.py") if re.search("^@kernel$", path.read_text(), re.MULTILINE)}
        assert having
        assert having <= set(kernel_sources())
