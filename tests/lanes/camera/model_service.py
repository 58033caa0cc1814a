"""`edge-lpdpl` on the model of a camera, which shows numerals in turn and fails as it is told to.

    python model_service.py unplugged run --config config.toml

Faults at the start: busy, missing, memory. Faults that begin with SIGUSR1: unplugged, dead_loop, late (frames are half
a second old), stall (one frame takes 0.7 s longer), error (every other frame is damaged).
"""

import signal
import sys
from pathlib import Path

import numpy as np
from libcamera_model import Camera, Heap, connect, install, unplug_all
from libcamera_model.buffers import FrameMetadata
from PIL import Image

SHOWN = 24
"""Frames per numeral."""
VALUES = (5, 9, 3)
PICTURES = Path(__file__).parents[3] / "edge_lpdpl" / "library" / "shipped_pictures"


def page(value, size):
    """A sheet of paper (height, width) with a numeral in the middle of it."""
    paper = np.full(size[::-1], 225, np.uint8)
    numeral = np.asarray(Image.open(PICTURES / f"chinese_{value}_paper.png").convert("L"))
    top, left = (size[1] - numeral.shape[0]) // 2, (size[0] - numeral.shape[1]) // 2
    paper[top : top + numeral.shape[0], left : left + numeral.shape[1]] = numeral
    return paper


class FailingCamera(Camera):
    """Shows `VALUES` in turn until it fails."""

    def __init__(self, fault):
        super().__init__(self.show)
        self.fault, self.failing = fault, False
        self._pages = {}
        signal.signal(signal.SIGUSR1, self.begin_to_fail)

    def begin_to_fail(self, *_):
        self.failing = True
        if self.fault == "stall":
            self.stall_seconds = 0.7

    def show(self, sequence, size):
        if self.failing:
            self._fail(sequence)
        value = VALUES[sequence // SHOWN % len(VALUES)]
        if (value, size) not in self._pages:
            self._pages[value, size] = page(value, size)
        return self._pages[value, size]

    def _fail(self, sequence):
        if self.fault == "unplugged":
            self.unplugged = True
        elif self.fault == "late":
            self.late_seconds = 0.5
        elif self.fault == "error" and sequence % 2:
            self.next_status = FrameMetadata.Status.Error


def main(fault, arguments):
    install()
    camera = connect(FailingCamera(fault))
    camera.busy = fault == "busy"
    if fault == "missing":
        unplug_all()
    if fault == "memory":
        Heap.limit = 100_000
    if fault == "dead_loop":
        _let_loop_die(camera)
    from edge_lpdpl.commands.main import main as command

    return command(arguments)


def _let_loop_die(camera):
    """An error in a callback ends picamera2's event loop, and with it all frames."""
    import picamera2

    class Dying(picamera2.Picamera2):
        def start(self, *arguments, **settings):
            super().start(*arguments, **settings)
            self.post_callback = lambda request: 1 / (not camera.failing)

    picamera2.Picamera2 = Dying


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
