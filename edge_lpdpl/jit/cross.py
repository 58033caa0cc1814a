"""Compile the kernels for another processor: on a workstation for a Raspberry Pi, in seconds, without an emulator.

    python -m edge_lpdpl.jit.cross cortex-a72 FOLDER edge_lpdpl.numeral.engine edge_lpdpl.page.searcher

writes, for the `ENTRIES` of each module, the file that `edge_lpdpl.jit.loader` takes from the package where it has not
compiled one itself. numba
compiles for the machine that LLVM says it runs on, so LLVM is made to say another one first; the code is never run
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
"""What LLVM is told of the cores of the Raspberry Pis: those before the fifth are without cryptography."""


def compile_for(core: str) -> None:
    """From now on, this process compiles for `core`; to be called before numba is imported.

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
    """Write the file. What numba has compiled in this process cannot be called.

    Raises:
        OSError: it cannot be written.
    """
    os.environ["NUMBA_CACHE_DIR"] = os.devnull  # numba would keep each kernel, too, and they are no use
    _compile_without_loading()
    from edge_lpdpl.jit.compiler import emit

    write_atomically(path, sealed(emit(entries)))


def _compile_without_loading() -> None:
    """Leave out what numba does for its caller: to put each kernel into memory, between wrappers for Python and for C.

    It takes two fifths of the time.
    """
    from numba.core.cpu import CPUContext

    context: Any = CPUContext
    context.create_cpython_wrapper = context.create_cfunc_wrapper = lambda *_, **__: None
    context.get_executable = lambda *_: [].append  # numba tells kernels from each other by what it would call


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
    os._exit(0)  # without tidying up, which would call the code that was made


if __name__ == "__main__":
    main()
