"""The kernels that the lane runs are those that numba would compile on the Raspberry Pi itself."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from arm.machine import NATIVE, command, environment, run

SCRIPT = Path(__file__).with_name("compile_some.py")
CALL = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"".join(word.to_bytes(4, "little") for word in ({word:#x}, 0xD65F03C0)))
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
print("done")
"""
ADD, DOT_PRODUCT = 0x4E228420, 0x4E829420  # add v0.16b, v1.16b, v2.16b; sdot v0.4s, v1.16b, v2.16b


def test_what_is_compiled_on_x86_is_what_is_compiled_on_aarch64(machines, tmp_path):
    compiled = {}
    for kind, machine in (("here", "cortex-a72"), ("cross", NATIVE)):
        folder = tmp_path / kind
        variables = environment(machine, "cortex-a72") | {"NUMBA_CACHE_DIR": str(folder)}
        run(command(machine, [str(SCRIPT), kind]), variables)
        compiled[kind] = {file.relative_to(folder): file.read_bytes() for file in sorted(folder.rglob("*.nb?"))}
    assert len(compiled["here"]) == 6
    assert compiled["here"] == compiled["cross"]


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
    """Else the lane could not tell that a kernel would die on an older Raspberry Pi."""
    done = subprocess.run(
        command(machine, ["-c", CALL.format(word=word)]), env=environment(machine), capture_output=True, text=True
    )
    if allowed:
        assert done.stdout == "done\n"
    else:
        assert done.returncode in (-signal.SIGILL, 128 + signal.SIGILL), os.fsdecode(done.stderr)
