"""Runs in the emulator: calls the stages on the shipped pictures, and starts and stops the counter around each call.

    python -m arm.guest MODEL SIZE [STAGE]

Prints JSON: for each line of the counter the stage, the look and the count of the pictures, and the addresses of the
compiled kernels in memory.
"""

import ctypes
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from worst_frames import WORST as WORST_FRAMES
from worst_frames import full_form

from arm.stages import FRAME, WORST, frame_calls, picture_calls, taught_call
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.form.fields import Field
from edge_lpdpl.form.reader import FormReader
from edge_lpdpl.form.sheet import Area
from edge_lpdpl.library.shipped import LOOKS, shipped_model, specimens
from edge_lpdpl.number.pictures.confirming import ConfirmingReader
from edge_lpdpl.numeral.recogniser import Recogniser

Call = Callable[[np.ndarray], object]
NUMERALS = {"1 numeral": (1, 120, 125), "5 numerals": (5, 120, 125), "6 small ones": (6, 48, 40)}
"""How many numerals a frame shows, the side of the picture of each in pixels, and from one to the next. Numbers of the
last are small enough to be looked at once more from near."""
COSTLY = ("zigzags", "squares", "strokes", "a narrow table")
"""Of the frames in tests/help/worst_frames.py, those that take longest."""
DARKEST_PAPER = 0.8
"""Light of the paper of a shipped picture at its darkest, over that in the middle."""
WARM = 12
"""Frames after which a service runs as it goes on: Python makes code that ran a few times faster."""
MADV_COLD = 20
COLD = "screen, cold"
"""The look for a run with empty caches, as after a pause in which other programs used the processor."""


def main() -> None:
    """Count the stages of pictures, then the stages of frames."""
    model, size, wanted = sys.argv[1], int(sys.argv[2]), (sys.argv[3:] or [None])[0]
    recogniser = Recogniser.load(shipped_model(model), "numba")
    if wanted == WORST:
        print(json.dumps({"lines": list(count_worst(recogniser)), "compiled": compiled_memory()}))
        return
    pictures = {look: scaled_pictures(recogniser, look, size) for look in LOOKS}
    frames = {look: [frame_of(recogniser, *how)] for look, how in NUMERALS.items()}
    lines = []

    def measure(
        stage: str, call: Call, look: str, pictures: list[np.ndarray], empty_caches: bool = False, before: int = 1
    ) -> None:
        count(recogniser, call, pictures, empty_caches, before)
        lines.append((stage, COLD if empty_caches else look, len(pictures)))

    calls = picture_calls(recogniser.engine, wanted) | taught_call(recogniser, wanted)
    for stage, call in calls.items():
        for look in LOOKS:
            measure(stage, call, look, pictures[look])
        if stage == "whole":
            measure(stage, call, LOOKS[0], pictures[LOOKS[0]], empty_caches=True)
    for stage, call in frame_calls(recogniser, wanted).items():
        for look in frames:
            measure(stage, call, look, frames[look], before=WARM)
    print(json.dumps({"lines": lines, "compiled": compiled_memory()}))


def count_worst(recogniser: Recogniser) -> Iterator[tuple[str, str, int]]:
    """Count the frames that cost most, on pages and on a form: the stage, the look and the count of each."""
    frames = {name: WORST_FRAMES[name]() for name in COSTLY}
    calls = {name: ConfirmingReader(recogniser, *frame.shape).read for name, frame in frames.items()}
    fields, frames["a full form"] = full_form()
    shape = frames["a full form"].shape
    calls["a full form"] = FormReader(fields, recogniser, *shape).read
    frames["no form"] = frames["strokes"]
    calls["no form"] = FormReader([Field("one", Area(30, 40, 60, 12))], recogniser, *FRAME).read
    for name, call in calls.items():
        count(recogniser, call, [frames[name]], empty_caches=False)
        yield WORST, name, 1


def count(recogniser: Recogniser, call: Call, pictures: list[np.ndarray], empty_caches: bool, before: int = 1) -> None:
    """Call a stage on every picture, in rounds. Those `before` the last fill the caches and the predictor, and are not
    counted."""
    start = stop = os.getppid
    for write in (*[lambda: os.getsid(0)] * before, os.getpgrp):
        for picture in pictures:
            is_frame = picture.size >= FRAME[0] * FRAME[1]
            if not is_frame:
                recogniser.recognise(picture)
            if empty_caches:
                os.sched_yield()
            if is_frame:
                come_from_the_camera(picture)
            start()
            call(picture)
            stop()
        write()


def come_from_the_camera(frame: np.ndarray) -> None:
    """Mark the frame as written by the camera and not by the processor: none of it is in a cache."""
    ctypes.CDLL(None).madvise(ctypes.c_void_p(frame.ctypes.data), ctypes.c_size_t(frame.nbytes), MADV_COLD)


def scaled_pictures(recogniser: Recogniser, look: str, size: int) -> list[np.ndarray]:
    """Pictures (size, size), uint8, of the model's own numerals, scaled as in `edge-lpdpl bench`."""
    shown = [read_picture(specimen.path) for specimen in specimens(recogniser.model.labels) if specimen.look == look]
    return [scaled(grey, size) for grey in shown]


def scaled(grey: np.ndarray, size: int) -> np.ndarray:
    """A picture scaled to (size, size), uint8."""
    return np.array(Image.fromarray(grey).resize((size, size), Image.Resampling.LANCZOS))


def frame_of(recogniser: Recogniser, count: int, side: int, advance: int) -> np.ndarray:
    """A frame (480, 640), uint8, of `count` of the model's numerals side by side on one sheet of paper; for `side` and
    `advance` see `NUMERALS`."""
    height, width = FRAME
    fall = np.linspace(1, 0.8, width)[None] * np.linspace(1, 0.9, height)[:, None]
    frame = np.round(220 * fall)
    numerals = [specimen for specimen in specimens(recogniser.model.labels) if specimen.look == "paper"]
    for place, specimen in enumerate(numerals[4 : 4 + count]):
        grey = scaled(read_picture(specimen.path), side)
        light = grey / np.median(grey)
        top, left = (height - side) // 2, 10 + place * advance
        frame[top : top + side, left : left + side] *= np.where(light < DARKEST_PAPER, light, 1)
    return frame.astype(np.uint8)


def compiled_memory() -> list[tuple[int, int]]:
    """Start and end addresses of executable memory that belongs to no file."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, mode, _, _, inode, *path = line.split(maxsplit=5)
        if "x" in mode and inode == "0" and not path:
            start, stop = (int(address, 16) for address in addresses.split("-"))
            found.append((start, stop))
    return found


if __name__ == "__main__":
    main()
