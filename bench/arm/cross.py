"""Compile what is counted for a core of a Raspberry Pi: its kernels, and the parts of them that are counted alone.

    NUMBA_CACHE_DIR=FOLDER python -m arm.cross CORE [STAGE]

What has to agree with the machine that loads it, besides the core: Python's and numba's version, and the path of the
package.
"""

import os
import sys

from edge_lpdpl.cross import compile_for


def main() -> None:
    """Compile one stage, or all, into the cache."""
    core, wanted = sys.argv[1], (sys.argv[2:] or [None])[0]
    compile_for(core)
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
