"""Compile the kernels for another processor: on a workstation for a Raspberry Pi, in seconds, without an emulator.

    python -m edge_lpdpl.cross cortex-a72 FOLDER

writes the file that `edge_lpdpl.machine_code` takes from the package where it has not compiled one itself. numba
compiles for the machine that LLVM says it runs on, so LLVM is made to say another one first; the code is never run
here. `make test-arm` shows that numba on aarch64 makes the same code, and that the file is loaded there.
"""

import os
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from edge_lpdpl.atomic import write_atomically
from edge_lpdpl.machine_code import sealed, shipped_path

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


def main() -> None:
    """Compile for one core and write the file."""
    core, folder = sys.argv[1], Path(sys.argv[2])
    compile_for(core)
    os.environ["NUMBA_CACHE_DIR"] = os.devnull  # a kernel of this machine is no use
    from edge_lpdpl.compiled import emit

    code = emit()
    folder.mkdir(exist_ok=True)
    for old in folder.glob(f"{core}-*.kernels"):
        old.unlink()
    path = shipped_path(core, folder)
    write_atomically(path, sealed(code))
    print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
    os._exit(0)  # without tidying up, which would call the code that was made


if __name__ == "__main__":
    main()
