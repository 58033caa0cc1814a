"""NumPy computes only where numba is not installed; whatever else breaks an import is said."""

import os
import subprocess
import sys

import pytest
from project import PROJECT

from edge_lpdpl.errors import BackendError
from edge_lpdpl.jit.backend import choose

pytestmark = pytest.mark.slow

SCRIPT = """
from edge_lpdpl.jit.backend import choose

def compiled():
    import llvmlite, numba
    return "numba"

print(choose("auto", compiled, lambda: "numpy"))
"""


def run_beside(folder, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script that chooses a backend in a folder with other files, or another script."""
    for name, text in ({"script.py": SCRIPT} | files).items():
        (folder / name).write_text(text)
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    return subprocess.run([sys.executable, folder / "script.py"], capture_output=True, text=True, env=environment)


def test_numba_is_taken_where_it_is_installed(tmp_path):
    assert run_beside(tmp_path, {}).stdout == "numba\n"


@pytest.mark.parametrize(
    "text",
    ["lap = 12.5\n", "raise RuntimeError('no start line')\n", "import time\nprint(time.laps)\n", "def lap(:\n"],
    ids=["lacks a name", "raises", "is faulty", "is no Python"],
)
def test_a_file_that_hides_a_module_of_the_standard_library_is_named(tmp_path, text):
    done = run_beside(tmp_path, {"timeit.py": text})
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.startswith("edge_lpdpl.errors.BackendError: numba cannot be imported: module ")
    assert f" in {tmp_path / 'timeit.py'} fails with " in last


def test_a_file_that_hides_numba_itself_is_named(tmp_path):
    done = run_beside(tmp_path, {"numba.py": "import numba.core\n"})
    *_, last = done.stderr.splitlines()
    assert last.startswith("edge_lpdpl.errors.BackendError: numba cannot be imported: module numba in ")
    assert str(tmp_path / "numba.py") in last


@pytest.mark.parametrize("name", ["numba", "llvmlite"])
def test_numpy_is_taken_where_a_compiler_is_not_installed(name):
    def compiled():
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    assert choose("auto", compiled, lambda: "numpy") == "numpy"
    with pytest.raises(BackendError, match=f"numba cannot be imported .No module named '{name}'.: install it or use"):
        choose("numba", compiled, lambda: "numpy")


@pytest.mark.parametrize("text", ["import numba.core", "import llvmlite.binding"])
def test_numpy_is_taken_where_a_module_of_a_compiler_is_asked_for_first(tmp_path, text):
    script = SCRIPT.replace("import llvmlite, numba", text)
    hidden = "import sys\nsys.modules['numba'] = sys.modules['llvmlite'] = None\n"
    assert run_beside(tmp_path, {"script.py": hidden + script}).stdout == "numpy\n"


def test_another_missing_module_is_named():
    def compiled():
        import no_such_module  # noqa: F401

    for backend in ("auto", "numba"):
        with pytest.raises(BackendError, match=r"test_backend in .*test_backend\.py fails with No module named"):
            choose(backend, compiled, lambda: "numpy")


def test_an_error_that_is_no_import_is_not_touched():
    def compiled():
        raise MemoryError

    with pytest.raises(MemoryError):
        choose("auto", compiled, lambda: "numpy")
