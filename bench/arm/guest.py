"""Runs inside the emulator: calls the stages on the shipped pictures, with a signal to the counter around each call.

    python -m arm.guest MODEL SIZE [STAGE]

Prints JSON: which stage and which look of picture each of the counter's lines is about, how many pictures there are of
each look, and where in memory the compiled kernels are.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from arm.stages import stage_calls
from edge_lpdpl.pictures import read_picture
from edge_lpdpl.recognise import Recogniser
from edge_lpdpl.shipped import shipped_model
from edge_lpdpl.specimens import LOOKS, specimens

COLD = "screen, cold"
"""With empty caches, as after a pause in which others had the processor."""


def main() -> None:
    model, size, wanted = sys.argv[1], int(sys.argv[2]), (sys.argv[3:] or [None])[0]
    recogniser = Recogniser.load(shipped_model(model), "numba")
    calls = stage_calls(recogniser.engine, wanted)
    pictures = {look: scaled_pictures(recogniser, look, size) for look in LOOKS}
    lines = []
    for stage, call in calls.items():
        for look in LOOKS:
            count(recogniser, call, pictures[look], empty_caches=False)
            lines.append((stage, look))
        if stage == "whole":
            count(recogniser, call, pictures[LOOKS[0]], empty_caches=True)
            lines.append((stage, COLD))
    counts = {look: len(pictures[look]) for look in LOOKS} | {COLD: len(pictures[LOOKS[0]])}
    print(json.dumps({"lines": lines, "pictures": counts, "compiled": compiled_memory()}))


def count(
    recogniser: Recogniser, call: Callable[[np.ndarray], object], pictures: list[np.ndarray], empty_caches: bool
) -> None:
    """Call a stage on every picture, twice: the caches and the predictor learn in the round that is not counted."""
    start = stop = os.getppid
    for write in (lambda: os.getsid(0), os.getpgrp):
        for picture in pictures:
            recogniser.recognise(picture)
            if empty_caches:
                os.sched_yield()
            start()
            call(picture)
            stop()
        write()


def scaled_pictures(recogniser: Recogniser, look: str, size: int) -> list[np.ndarray]:
    """The pictures of the model's own numerals, as `edge-lpdpl bench` scales them."""
    shown = [read_picture(specimen.path) for specimen in specimens(recogniser.model.labels) if specimen.look == look]
    return [np.array(Image.fromarray(grey).resize((size, size), Image.Resampling.LANCZOS)) for grey in shown]


def compiled_memory() -> list[tuple[int, int]]:
    """Executable memory that belongs to no file, from and to which address."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, mode, _, _, inode, *path = line.split(maxsplit=5)
        if "x" in mode and inode == "0" and not path:
            start, stop = (int(address, 16) for address in addresses.split("-"))
            found.append((start, stop))
    return found


if __name__ == "__main__":
    main()
