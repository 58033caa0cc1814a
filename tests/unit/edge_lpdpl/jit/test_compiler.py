"""Kernels are compiled so that they give the same bits everywhere."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import edge_lpdpl
from edge_lpdpl.jit.compiler import bind, emit, kernel
from edge_lpdpl.jit.store import kernel_digest, kernel_sources
from edge_lpdpl.numeral.kernels.ink import percentile_level

pytestmark = pytest.mark.slow

PACKAGE = Path(edge_lpdpl.__file__).parent


@kernel
def next_address(address):
    return address + 1


def all_kernels() -> dict[str, object]:
    paths = [path.relative_to(PACKAGE.parent).with_suffix("") for path in kernel_sources() if path.stem != "__init__"]
    modules = [importlib.import_module(".".join(path.parts)) for path in paths]
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if hasattr(value, "targetoptions")
    }


class TestKernels:
    def test_are_compiled_where_the_disk_is_full(self, tmp_path):
        """No file larger than 100 bytes can be written: the kernel is not kept, and still works."""
        program = (
            "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); import numpy;"
            "from edge_lpdpl.numeral.kernels.ink import percentile_level as level;"
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
        """No fast-math: a reordered sum gives different bits on another machine."""
        options = all_kernels()[name].targetoptions
        assert options["fastmath"] is False
        assert options["error_model"] == "numpy"
        assert options["nopython"] is True
        assert options["nogil"] is True
        assert not options.get("parallel", False)

    def test_go_to_the_cache_folder(self, tmp_path):
        script = """
import numpy as np
from edge_lpdpl.numeral.kernels.ink import shrink
shrink(np.ones((8, 8), np.uint8), 160, np.zeros(64, np.uint8))
"""
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
        subprocess.run([sys.executable, "-c", script], check=True, env=environment)
        files = list(tmp_path.rglob("*.nb?"))
        assert {path.suffix for path in files} == {".nbc", ".nbi"}
        assert all(path.is_relative_to(tmp_path / f"kernels-{kernel_digest()}") for path in files)

    def test_work_without_a_cache(self, tmp_path):
        script = """
import numpy as np
from edge_lpdpl.jit import store
from edge_lpdpl.numeral.kernels.ink import shrink
print(store.cache_folder(), shrink(np.ones((8, 8), np.uint8), 160, np.zeros(64, np.uint8)))
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


class TestMachineCode:
    def test_is_of_kernels_that_python_still_calls(self):
        """An object file is made of kernels that are not loaded. Those are forgotten, and no bound kernel is."""
        address = np.int64(6)
        bound = bind(next_address, address)
        code = emit(SimpleNamespace(names=("next_address",), function=lambda name: next_address))
        assert b"edge_lpdpl_next_address" in code
        assert not next_address.overloads
        assert bound(address) == next_address(address) == bind(next_address, address)(address) == 7
