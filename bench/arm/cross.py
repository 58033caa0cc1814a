"""Compile what is run for a core of a Raspberry Pi: its kernels, or the parts of them that are counted alone.

    NUMBA_CACHE_DIR=FOLDER python -m arm.cross CORE           the kernels
    NUMBA_CACHE_DIR=FOLDER python -m arm.cross CORE PART...   parts of them

CORE may be `native`, this processor. What has to agree with the machine that loads it, besides the core: Python's and
numba's version, and the path of the package.
"""

import os
import sys
from collections.abc import Sequence

from arm.cores import CORES
from edge_lpdpl import machine_code
from edge_lpdpl.cross import compile_for, write_kernels


def main() -> None:
    """Compile into the cache what is not there yet."""
    core, *parts = sys.argv[1:]
    if core in CORES:
        compile_for(core)
    if parts:
        compile_parts(parts)
    else:
        path = machine_code.object_path()
        if path is None:
            raise SystemExit("arm.cross: NUMBA_CACHE_DIR is no folder that can be written")
        if not path.exists():
            write_kernels(path)
    sys.stdout.flush()
    os._exit(0)  # without tidying up, which would call the code that was made


def compile_parts(parts: Sequence[str]) -> None:
    """Have numba compile and keep what the guest will call alone, which are stages of `arm.stages`."""
    from arm.stages import picture_calls
    from edge_lpdpl.engine import CompiledEngine
    from edge_lpdpl.model import read_model
    from edge_lpdpl.shipped import shipped_model

    machine_code.load_kernels = lambda: dict.fromkeys(machine_code.ENTRIES, int)  # which cannot be called here
    engine = CompiledEngine(read_model(shipped_model("chinese15")))
    for part in parts:
        picture_calls(engine, part)


if __name__ == "__main__":
    main()
