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
from edge_lpdpl.jit.cross import compile_for, write_kernels
from edge_lpdpl.jit.store import object_path
from edge_lpdpl.numeral import engine
from edge_lpdpl.page import searcher


def main() -> None:
    """Compile into the cache what is not there yet."""
    core, *parts = sys.argv[1:]
    if core in CORES:
        compile_for(core)
    if parts:
        compile_parts(parts)
    else:
        paths = {entries: object_path(entries) for entries in (engine.ENTRIES, searcher.ENTRIES)}
        if None in paths.values():
            raise SystemExit("arm.cross: NUMBA_CACHE_DIR is no folder that can be written")
        for entries, path in paths.items():  # `write_kernels` turns the cache off, so the paths are asked for first
            if not path.exists():
                write_kernels(path, entries)
    sys.stdout.flush()
    os._exit(0)  # without tidying up, which would call the code that was made


def compile_parts(parts: Sequence[str]) -> None:
    """Have numba compile and keep what the guest will call alone, which are stages of `arm.stages`."""
    from arm.stages import picture_calls
    from edge_lpdpl.library.shipped import shipped_model
    from edge_lpdpl.model.files import read_model

    engine.load_kernels = lambda entries: dict.fromkeys(entries.names, int)  # they cannot be called here
    compiled = engine.CompiledEngine(read_model(shipped_model("chinese15")))
    for part in parts:
        picture_calls(compiled, part)


if __name__ == "__main__":
    main()
