"""Compile a few kernels into numba's cache.

python compile_some.py here     for the machine that this runs on
python compile_some.py cross    on x86-64, for aarch64
"""

import os
import sys

from edge_lpdpl.cross import compile_for

if sys.argv[1:]:
    compile_for(sys.argv[1])

import numpy as np

from edge_lpdpl import binarise, classify
from edge_lpdpl.compiled import bind

reals, counts = np.zeros(4, np.float32), np.zeros(256, np.int64)
bind(binarise.otsu_threshold, counts, 5)
bind(binarise.percentile_level, counts, 5, 50)
bind(classify.decide, reals, reals, reals, np.zeros(4, np.float64))
os._exit(0)  # without tidying up, which would call the code that was made
