"""Machine code is kept where nobody else can write, is never older than the sources, and loads without the compiler."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from small_models import small_model
from stroke_pictures import stroke_picture

import edge_lpdpl
from edge_lpdpl.jit import compiler, store
from edge_lpdpl.jit.loader import machine_code
from edge_lpdpl.jit.store import (
    object_path,
    processor_name,
    read_sealed,
    sealed,
    shipped_path,
)
from edge_lpdpl.numeral.engine import ENTRIES
from edge_lpdpl.numeral.recogniser import Recogniser

pytestmark = pytest.mark.slow

PACKAGE = Path(edge_lpdpl.__file__).parent


READ = """
import sys
import numpy as np
from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader
picture = np.zeros((64, 64), np.uint8)
picture[30:34, 10:50] = 200
recogniser = Recogniser.load(shipped_model("chinese15"), "numba")
print(recogniser.recognise(picture).scores.tobytes().hex())
page = np.zeros((480, 640), np.uint8)
page[200:208, 100:180] = 200
assert len(PageReader(recogniser, 480, 640).read(page).numerals) == 1
print(sorted({"numba", "scipy", "sklearn", "matplotlib", "train_host"} & sys.modules.keys()))
"""


def read_elsewhere(**variables: str) -> list[str]:
    """What another process prints after reading a picture and a page."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)} | variables
    done = subprocess.run([sys.executable, "-c", READ], check=True, env=environment, capture_output=True, text=True)
    return done.stdout.splitlines()


READ_SMALL = """
from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import FIRST_SEAM, LEFT_END, RIGHT_END
from stroke_pictures import stroke_picture
recogniser = Recogniser.load(shipped_model("chinese15"), "numba")
for picture in (stroke_picture(0), stroke_picture(1, 50, 100, paper=90, noise=4), stroke_picture(2, 64, 128)):
    print(recogniser.recognise(picture).scores.tobytes().hex())
locator = Locator(96, 128, backend="numba")
for seed in (3, 4, 5):
    for row, measures in enumerate(locator.find(255 - stroke_picture(seed, 96, 128))):
        seams = locator.cut(row, FIRST_SEAM)
        print(measures, seams)
        for end in (RIGHT_END, *range(FIRST_SEAM, FIRST_SEAM + len(seams))):
            lifted = locator.lift([(row, LEFT_END, end)])
            print(end, lifted and (lifted.row, lifted.reason, lifted.picture.tobytes().hex()))
"""


def test_without_the_compiler_the_kernels_are_plain_python():
    """And decide the same, to the last bit: a debugger can step through them."""
    outputs = []
    for disabled in ("0", "1"):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_DISABLE_JIT": disabled}
        command = [sys.executable, "-W", "error", "-c", READ_SMALL]
        outputs.append(subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) > 10


class TestFile:
    @pytest.fixture
    def there(self) -> Path:
        """The file of machine code for this machine."""
        machine_code(ENTRIES)
        return object_path(ENTRIES)

    def test_needs_no_compiler(self, there):
        scores, imported = read_elsewhere()
        assert imported == "[]"
        assert scores

    def test_that_is_damaged_is_not_believed(self, there, tmp_path):
        whole = there.read_bytes()
        for damaged in (whole[:-1], whole[:100], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
            (tmp_path / "damaged").write_bytes(damaged)
            assert read_sealed(tmp_path / "damaged") is None

    def test_that_is_damaged_is_made_anew(self, there, monkeypatch):
        whole = there.read_bytes()
        monkeypatch.setattr(
            compiler, "emit", lambda entries, progress: whole[32:]
        )  # compiling takes half a minute, and `there` has done it
        there.write_bytes(whole[:-1])
        assert machine_code(ENTRIES) == whole[32:]
        assert there.read_bytes() == whole

    def test_is_for_one_processor(self, there, monkeypatch):
        monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64")
        assert object_path(ENTRIES).parent == there.parent
        assert object_path(ENTRIES) != there
        monkeypatch.setenv("NUMBA_CPU_FEATURES", "+sse2")
        assert object_path(ENTRIES).name.startswith("numeral-x86-64-")

    def test_is_nowhere_where_no_folder_can_be_written(self, folders):
        folders["NUMBA_CACHE_DIR"].write_text("a file is in the way")
        assert object_path(ENTRIES) is None


LOAD_SMALLEST = """
from edge_lpdpl.jit.loader import load_kernels
from edge_lpdpl.number.finder import ENTRIES
print(len(load_kernels(ENTRIES)))
"""


def test_of_two_processes_one_compiles_and_the_other_waits(tmp_path):
    tmp_path.chmod(0o700)
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "NUMBA_CACHE_DIR": str(tmp_path)}
    command, pipe = [sys.executable, "-c", LOAD_SMALLEST], subprocess.PIPE
    both = [subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) for _ in range(2)]
    said = [one.communicate(timeout=120) for one in both]
    remarks = "".join(remark for _, remark in said)
    assert [one.returncode for one in both] == [0, 0]
    assert said[0][0] == said[1][0] != "0\n"
    assert (remarks.count("compiling the kernels of number"), remarks.count("another program compiles")) == (1, 1)


def test_threads_read_at_once_with_a_recogniser_each():
    """Kernels release the GIL and share nothing."""
    pictures = [stroke_picture(seed) for seed in range(8)]
    expected = [Recogniser(small_model()).recognise(picture).scores for picture in pictures]

    def read(picture: np.ndarray) -> np.ndarray:
        recogniser = Recogniser(small_model())
        return [recogniser.recognise(picture).scores for _ in range(200)][-1]

    with ThreadPoolExecutor(4) as pool:
        for scores, right in zip(pool.map(read, pictures), expected, strict=True):
            np.testing.assert_array_equal(scores, right)


class TestShipped:
    """Machine code inside the package, as for a Raspberry Pi; here it is for this machine."""

    @pytest.fixture
    def shipped(self, tmp_path, monkeypatch) -> Path:
        """The shipped file is used without a cache and without a compiler."""
        code = machine_code(ENTRIES)
        monkeypatch.setattr(store, "SHIPPED", tmp_path / "kernels")
        path = shipped_path(ENTRIES, processor_name())
        path.parent.mkdir()
        path.write_bytes(sealed(code))
        monkeypatch.setenv("NUMBA_CACHE_DIR", os.devnull)
        monkeypatch.setitem(sys.modules, "edge_lpdpl.jit.compiler", None)
        return path

    def test_is_taken_where_nothing_was_compiled(self, shipped):
        assert sealed(machine_code(ENTRIES)) == shipped.read_bytes()

    def test_of_other_sources_is_not_taken(self, shipped):
        shipped.rename(shipped.with_name(f"numeral-{processor_name()}-000000000000.kernels"))
        with pytest.raises(ImportError):
            machine_code(ENTRIES)

    def test_for_another_processor_is_not_taken(self, shipped, monkeypatch):
        monkeypatch.setenv("NUMBA_CPU_NAME", "another")
        with pytest.raises(ImportError):
            machine_code(ENTRIES)

    def test_that_is_damaged_is_not_taken(self, shipped):
        shipped.write_bytes(shipped.read_bytes()[:-1])
        with pytest.raises(ImportError):
            machine_code(ENTRIES)
