"""Compile a few kernels into numba's cache.

python compile_some.py here     for the machine that this runs on
python compile_some.py cross    on x86-64, for aarch64
"""

import os
import sys

from arm.cross import compile_for_aarch64

if sys.argv[1] == "cross":
    compile_for_aarch64()

import numpy as np

from edge_lpdpl import binarise, classify
from edge_lpdpl.compiled import bind

reals, places, counts = np.zeros(4, np.float32), np.zeros(5, np.int64), np.zeros(256, np.int64)
bind(binarise.otsu_threshold, counts, 5)
bind(binarise.percentile_level, counts, 5, 50)
bind(classify.add_weighted_rows, reals, reals.reshape(2, 2), places, reals)
os._exit(0)  # without tidying up, which would call the code that was made
