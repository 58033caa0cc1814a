"""Compile the kernels for another machine: on x86-64 for a Raspberry Pi, in seconds, without an emulator.

    NUMBA_CPU_NAME=cortex-a72 NUMBA_CACHE_DIR=FOLDER python -m arm.cross [STAGE]

numba compiles for the machine that LLVM says it runs on, so LLVM is made to say aarch64 first. The code is written into
numba's cache and never run here; tests/lanes/arm64 shows that it is what numba would have made over there. What has to
agree with the machine that loads it: Python's and numba's version, the path of the package, and the names of its core.
"""

import os
import sys
from typing import Any

import llvmlite.binding as llvm

TRIPLE = "aarch64-unknown-linux-gnu"


def compile_for_aarch64() -> None:
    """From now on, LLVM believes to be on aarch64; to be called before numba is imported."""
    if "numba" in sys.modules:
        raise RuntimeError("numba has been imported already and compiles for this machine")
    binding: Any = llvm
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    of_triple = binding.Target.from_triple
    binding.get_process_triple = binding.get_default_triple = lambda: TRIPLE
    binding.Target.from_default_triple = classmethod(lambda cls: of_triple(TRIPLE))


def main() -> None:
    """Compile what is counted: one stage, or all."""
    wanted = (sys.argv[1:] or [None])[0]
    compile_for_aarch64()
    from arm.stages import compile_frame_stages, picture_calls
    from edge_lpdpl import machine_code
    from edge_lpdpl.engine import CompiledEngine
    from edge_lpdpl.model import read_model
    from edge_lpdpl.shipped import shipped_model

    machine_code.machine_code()
    machine_code.load_kernels = lambda: dict.fromkeys(machine_code.ENTRIES, int)  # which cannot be called here
    picture_calls(CompiledEngine(read_model(shipped_model("chinese15"))), wanted)
    compile_frame_stages(wanted)
    sys.stdout.flush()
    os._exit(0)  # without tidying up, which would call the code that was made


if __name__ == "__main__":
    main()
