"""Compile a few kernels with numba, and write the object file of each.

python compile_some.py FOLDER           for the machine that this runs on
python compile_some.py FOLDER CORE      on x86-64, for a core of aarch64

What numba keeps of a kernel in its cache would do as well, but names files and addresses of the process.
"""

import os
import sys
from collections import namedtuple
from pathlib import Path

from edge_lpdpl.jit.cross import compile_for

if sys.argv[2:]:
    compile_for(sys.argv[2])

import numpy as np

from edge_lpdpl.jit.compiler import bind
from edge_lpdpl.numeral.kernels import classify
from edge_lpdpl.numeral.kernels import ink as binarise

reals, counts, decision = np.zeros(4, np.float32), np.zeros(256, np.int64), np.zeros(8, np.float64)
buffers = namedtuple("Buffers", "scores others decision")(reals, reals[:0], decision)
for kernel, arguments in (
    (binarise.otsu_threshold, (counts, 5)),
    (binarise.percentile_level, (counts, 5, 50)),
    (classify.decide, (buffers, reals, reals)),
):
    bind(kernel, *arguments)
    (compiled,) = kernel.overloads.values()
    Path(sys.argv[1], f"{kernel.__name__}.o").write_bytes(compiled.library._get_compiled_object())
os._exit(0)  # no cleanup, which would call the compiled code
