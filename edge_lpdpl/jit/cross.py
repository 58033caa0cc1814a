"""Compile the kernels for another processor: on a workstation for a Raspberry Pi, in seconds, without an emulator.

    python -m edge_lpdpl.jit.cross cortex-a72 FOLDER edge_lpdpl.numeral.engine edge_lpdpl.page.searcher

writes one file for the `ENTRIES` of each module. `edge_lpdpl.jit.loader` takes it from the package where the cache has
none. numba compiles for the machine that LLVM reports, so LLVM is made to report another one first. The code never runs
here. `make test-arm` shows that numba on aarch64 makes the same code, and that the file is loaded there.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from edge_lpdpl.files.atomic import write_atomically
from edge_lpdpl.jit.store import Entries, sealed, shipped_path

TRIPLE = "aarch64-unknown-linux-gnu"
FEATURES = {"cortex-a53": "-aes,-sha2", "cortex-a72": "-aes,-sha2", "cortex-a76": ""}
"""Features of the cores of Raspberry Pis, for LLVM. Those before the Raspberry Pi 5 have no cryptography."""


def compile_for(core: str) -> None:
    """Make this process compile for `core`. Call it before numba is imported.

    Raises:
        RuntimeError: numba has been imported.
    """
    if "numba" in sys.modules:
        raise RuntimeError("numba has been imported already and compiles for this machine")
    os.environ.update(NUMBA_CPU_NAME=core, NUMBA_CPU_FEATURES=FEATURES[core])
    binding: Any = llvm
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    of_triple = binding.Target.from_triple
    binding.get_process_triple = binding.get_default_triple = lambda: TRIPLE
    binding.Target.from_default_triple = classmethod(lambda cls: of_triple(TRIPLE))


def write_kernels(path: Path, entries: Entries) -> None:
    """Write the object file of the entries.

    Raises:
        OSError: it cannot be written.
    """
    from edge_lpdpl.jit.compiler import emit

    write_atomically(path, sealed(emit(entries)))


def main() -> None:
    """Compile for one core and write the files."""
    core, folder, modules = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    compile_for(core)
    folder.mkdir(exist_ok=True)
    for module in modules:
        entries: Entries = import_module(module).ENTRIES
        for old in folder.glob(f"{entries.room}-{core}-*.kernels"):
            old.unlink()
        path = shipped_path(entries, core, folder)
        write_kernels(path, entries)
        print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
    os._exit(0)  # without cleaning up, which would call the compiled code


if __name__ == "__main__":
    main()
