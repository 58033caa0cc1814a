"""Kernels are compiled for the same bits everywhere, and kept where nobody else can write."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edge_lpdpl import compiled
from edge_lpdpl.binarise import percentile_level
from edge_lpdpl.compiled import KERNEL_SOURCES, bind, cache_folder, kernel_digest

PACKAGE = Path(compiled.__file__).parent
VARIABLES = ["NUMBA_CACHE_DIR", "CACHE_DIRECTORY", "XDG_CACHE_HOME", "HOME"]


@pytest.fixture
def folders(tmp_path, monkeypatch) -> dict[str, Path]:
    """A folder of its own for every variable that may name one; all are set."""
    made = {name: tmp_path / name.lower() for name in VARIABLES}
    for name, path in made.items():
        monkeypatch.setenv(name, str(path))
    return made


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
        """A copy of the package, whose sources the digest is then of."""
        package = shutil.copytree(PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__", "models"))
        monkeypatch.setattr(compiled, "__file__", str(package / "compiled.py"))
        return package

    def test_is_that_of_the_text_wherever_it_lies(self, copy, monkeypatch):
        there = kernel_digest()
        monkeypatch.undo()
        assert kernel_digest() == there

    @pytest.mark.parametrize("name", [*KERNEL_SOURCES, "compiled"])
    def test_changes_with_every_source(self, copy, name):
        before = kernel_digest()
        with (copy / f"{name.replace('.', '/')}.py").open("a") as source:
            source.write("# a change\n")
        assert kernel_digest() != before

    def test_covers_every_file_that_has_a_kernel(self):
        having = {path.stem for path in PACKAGE.glob("*.py") if re.search("^@kernel$", path.read_text(), re.MULTILINE)}
        assert having <= set(KERNEL_SOURCES)


def all_kernels() -> dict[str, object]:
    modules = [importlib.import_module(f"edge_lpdpl.{name}") for name in KERNEL_SOURCES]
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if hasattr(value, "targetoptions")
    }


class TestKernels:
    def test_are_compiled_where_the_disk_is_full(self, tmp_path):
        """Nothing larger than 100 bytes can be written: the kernel is not kept, and computes all the same."""
        program = (
            "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); import numpy;"
            "from edge_lpdpl.binarise import percentile_level as level;"
            "print(level(numpy.ones(256, numpy.int64), 256, 50))"
        )
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.strip().isdecimal()
        assert not [path for path in tmp_path.rglob("*") if path.stat().st_size > 100 and path.is_file()]

    def test_are_all_there(self):
        names = {name.rpartition(".")[2] for name in all_kernels()}
        assert {"shrink", "subtract_paper", "binarise", "normalise", "histogram_of_gradients", "classify"} <= names

    @pytest.mark.parametrize("name", all_kernels())
    def test_add_up_in_the_order_that_is_written(self, name):
        """No fast mathematics: a sum that the compiler reorders has other bits on another machine."""
        options = all_kernels()[name].targetoptions
        assert options["fastmath"] is False
        assert options["error_model"] == "numpy"
        assert options["nopython"] is True
        assert options["nogil"] is True
        assert not options.get("parallel", False)

    def test_go_to_the_cache_folder(self, tmp_path):
        script = ()
        script = """
import numpy as np
from edge_lpdpl.shrink import shrink
shrink(np.ones((8, 8), np.uint8), np.zeros(64, np.uint8))
"""
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
        subprocess.run([sys.executable, "-c", script], check=True, env=environment)
        files = list(tmp_path.rglob("*.nb?"))
        assert {path.suffix for path in files} == {".nbc", ".nbi"}
        assert all(path.is_relative_to(tmp_path / f"kernels-{kernel_digest()}") for path in files)

    def test_work_without_a_cache(self, tmp_path):
        script = """
import numpy as np
from edge_lpdpl import compiled
from edge_lpdpl.shrink import shrink
print(compiled.cache_folder(), shrink(np.ones((8, 8), np.uint8), np.zeros(64, np.uint8)))
"""
        (tmp_path / "file").write_text("")
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "file"), "PYTHONPATH": str(PACKAGE.parent)}
        done = subprocess.run(
            [sys.executable, "-c", script], check=True, env=environment, capture_output=True, text=True
        )
        assert done.stdout == "None (8, 8)\n"


class TestBinding:
    def test_takes_arrays_that_are_read_only_as_others(self):
        counts = np.zeros(256, np.int64)
        counts[77] = 5
        level = bind(percentile_level, counts, 5, 50)
        compiled_before = len(percentile_level.signatures)
        assert level(counts, 5, 50) == 77
        counts.setflags(write=False)
        assert level(counts, 5, 50) == 77
        assert len(percentile_level.signatures) == compiled_before
