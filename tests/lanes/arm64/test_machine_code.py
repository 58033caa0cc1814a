"""The kernels of the lane equal those that numba compiles on a Raspberry Pi."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from arm.machine import NATIVE, command, environment, run

from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import shipped_model, shipped_pictures
from edge_lpdpl.numeral.recogniser import Recogniser

PICTURE = next(path for path in shipped_pictures() if path.stem == "chinese_4_paper")
SCRIPT = Path(__file__).with_name("compile_some.py")
CALL = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"".join(word.to_bytes(4, "little") for word in ({word:#x}, 0xD65F03C0)))
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
print("done")
"""
FIRST_DECISION = """
import pathlib, sys
sys.modules["numba"] = None
from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.jit import store
from edge_lpdpl.files.pictures import read_picture
store.SHIPPED = pathlib.Path(sys.argv[1])
recogniser = Recogniser.load(shipped_model("chinese15"), "numba")
recogniser.self_test()
print(recogniser.recognise(read_picture(sys.argv[2])).scores.tobytes().hex())
"""
ADD, DOT_PRODUCT = 0x4E228420, 0x4E829420  # add v0.16b, v1.16b, v2.16b; sdot v0.4s, v1.16b, v2.16b


def test_what_is_compiled_on_x86_is_what_is_compiled_on_aarch64(machines, tmp_path):
    compiled = {}
    for kind, machine, target in (("here", "cortex-a72", []), ("cross", NATIVE, ["cortex-a72"])):
        folder = tmp_path / kind
        folder.mkdir()
        variables = environment(machine, "cortex-a72") | {"NUMBA_CACHE_DIR": str(folder)}
        run(command(machine, [str(SCRIPT), str(folder), *target]), variables)
        compiled[kind] = {file.name: file.read_bytes() for file in folder.glob("*.o")}
    assert len(compiled["here"]) == 3
    assert all(code[:4] == b"\x7fELF" for code in compiled["here"].values())
    assert compiled["here"] == compiled["cross"]


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72", "cortex-a76"])
def test_machine_code_that_the_package_brings_is_run_without_a_compiler(kernels, core):
    """As on the first start of a Raspberry Pi: the same bits at once, without importing numba."""
    variables = environment(core) | {"NUMBA_CACHE_DIR": os.devnull}
    there = run(command(core, ["-c", FIRST_DECISION, str(kernels), str(PICTURE)]), variables)
    here = Recogniser.load(shipped_model("chinese15"), "numba").recognise(read_picture(PICTURE))
    assert there.strip() == here.scores.tobytes().hex()


@pytest.mark.parametrize(
    ("machine", "word", "allowed"),
    [
        ("cortex-a53", ADD, True),
        ("cortex-a53", DOT_PRODUCT, False),
        ("cortex-a72", DOT_PRODUCT, False),
        ("cortex-a76", DOT_PRODUCT, True),
    ],
)
def test_an_emulated_core_refuses_what_the_real_one_lacks(machines, machine, word, allowed):
    """Else the lane would miss a kernel that crashes on an older Raspberry Pi."""
    done = subprocess.run(
        command(machine, ["-c", CALL.format(word=word)]), env=environment(machine), capture_output=True, text=True
    )
    if allowed:
        assert done.stdout == "done\n"
    else:
        assert done.returncode in (-signal.SIGILL, 128 + signal.SIGILL), os.fsdecode(done.stderr)
