"""The folder of compiled kernels belongs to one user and is named after the digest of the sources."""

import os
import re
import shutil
from pathlib import Path

import pytest
from other_users import nobody

import edge_lpdpl
from edge_lpdpl.jit import store
from edge_lpdpl.jit.store import (
    cache_folder,
    kernel_digest,
    kernel_sources,
    read_sealed,
    sealed,
)

pytestmark = pytest.mark.slow

PACKAGE = Path(edge_lpdpl.__file__).parent


class TestFolder:
    def test_is_made_for_this_user_alone_and_by_root_for_all_to_read(self, folders):
        folder = cache_folder()
        assert folder.stat().st_mode & 0o777 == (0o700 if os.geteuid() else 0o755)
        assert folder.stat().st_uid == os.geteuid()

    def test_is_named_after_the_sources(self, folders):
        assert cache_folder().name == f"kernels-{kernel_digest()}"

    def test_stays_the_same(self, folders):
        assert cache_folder() == cache_folder()

    def test_of_two_folders_for_caches_is_in_the_first(self, folders, monkeypatch, tmp_path):
        monkeypatch.delenv("NUMBA_CACHE_DIR")
        monkeypatch.setenv("CACHE_DIRECTORY", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
        assert cache_folder().parent == tmp_path / "a"

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

    @pytest.mark.parametrize("mode", [0o770, 0o702, 0o777, 0o1777])
    def test_is_none_where_others_could_write(self, folders, mode):
        cache_folder().chmod(mode)
        assert cache_folder() is None

    @pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
    def test_is_none_where_others_could_exchange_it(self, folders, tmp_path, mode):
        """Any folder above it will do for that, unless it is sticky, as /tmp."""
        tmp_path.chmod(mode)
        assert cache_folder() is None
        assert not list(tmp_path.iterdir())
        tmp_path.chmod(mode | 0o1000)
        assert cache_folder()

    def test_is_none_below_another_users_folder(self, folders, tmp_path, monkeypatch):
        if os.geteuid():
            pytest.skip("needs root, to give a folder away")
        os.chown(tmp_path, 65534, 65534)
        assert cache_folder() is None
        assert not list(tmp_path.iterdir())

    def test_of_root_is_read_by_others_and_not_to_be_written(self, folders, tmp_path):
        if os.geteuid():
            pytest.skip("needs root")
        there = cache_folder()
        for above in (tmp_path, *tmp_path.parents[:-2]):
            above.chmod(above.stat().st_mode & 0o7777 | 0o055)
        with nobody():
            assert cache_folder() == there
            assert cache_folder(to_write=True) is None

    def test_of_a_third_user_is_none(self, folders, monkeypatch):
        folder = cache_folder()
        state = folder.lstat()
        other = os.stat_result([*state[:4], 12345, *state[5:10]])
        lstat = Path.lstat
        monkeypatch.setattr(Path, "lstat", lambda path: other if path == folder else lstat(path))
        assert cache_folder() is None

    def test_a_link_that_its_user_made_is_followed(self, folders, tmp_path):
        (tmp_path / "disk").mkdir()
        folders["NUMBA_CACHE_DIR"].symlink_to(tmp_path / "disk")
        assert cache_folder().parent == tmp_path / "disk"

    def test_a_link_in_its_place_is_not(self, folders, tmp_path):
        folder = cache_folder()
        folder.rename(tmp_path / "moved")
        folder.symlink_to(tmp_path / "moved")
        assert cache_folder() is None


class TestSealed:
    @pytest.fixture
    def file(self, tmp_path) -> Path:
        (tmp_path / "code").write_bytes(sealed(b"code"))
        (tmp_path / "code").chmod(0o644)
        return tmp_path / "code"

    def test_is_read(self, file):
        assert read_sealed(file) == read_sealed(file, cached=True) == b"code"

    @pytest.mark.parametrize("mode", [0o664, 0o646])
    def test_that_others_can_write_is_not_believed(self, file, mode):
        file.chmod(mode)
        assert read_sealed(file, cached=True) is None

    def test_that_is_a_link_or_a_pipe_is_not_believed(self, file, tmp_path):
        (tmp_path / "link").symlink_to(file)
        assert read_sealed(tmp_path / "link", cached=True) is None
        os.mkfifo(tmp_path / "pipe")
        assert read_sealed(tmp_path / "pipe", cached=True) is None


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
