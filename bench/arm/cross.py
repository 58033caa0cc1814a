"""Compile the kernels for a core of a Raspberry Pi, or the parts of kernels that are counted separately.

    NUMBA_CACHE_DIR=FOLDER python -m arm.cross CORE           the kernels
    NUMBA_CACHE_DIR=FOLDER python -m arm.cross CORE PART...   parts of kernels

CORE may be `native`, the processor of this machine. Besides the core, the versions of Python and numba and the path of
the package must be those of the machine that loads the result.
"""

import os
import sys
from collections.abc import Sequence

from arm.cores import CORES
from edge_lpdpl.jit.cross import compile_for, write_kernels
from edge_lpdpl.jit.store import object_path
from edge_lpdpl.number import finder
from edge_lpdpl.numeral import engine
from edge_lpdpl.page import searcher


def main() -> None:
    """Compile what is missing in the cache."""
    core, *parts = sys.argv[1:]
    if core in CORES:
        compile_for(core)
    if parts:
        compile_parts(parts)
    else:
        paths = {entries: object_path(entries) for entries in (engine.ENTRIES, searcher.ENTRIES, finder.ENTRIES)}
        if None in paths.values():
            raise SystemExit("arm.cross: NUMBA_CACHE_DIR is not a writable folder")
        for entries, path in paths.items():
            if not path.exists():
                write_kernels(path, entries)
    sys.stdout.flush()
    os._exit(0)  # skips cleaning up, which would call the compiled code


def compile_parts(parts: Sequence[str]) -> None:
    """Let numba compile and cache the parts, stages of `arm.stages` that the guest calls separately."""
    from arm.stages import picture_calls
    from edge_lpdpl.library.shipped import shipped_model
    from edge_lpdpl.model.files import read_model

    engine.load_kernels = lambda entries: dict.fromkeys(entries.names, int)  # they cannot be called here
    compiled = engine.CompiledEngine(read_model(shipped_model("chinese15")))
    for part in parts:
        picture_calls(compiled, part)


if __name__ == "__main__":
    main()
