"""Scenes as a camera sees them, with their truth: a number moves into view, rests for a while, and leaves."""

import time

import numpy as np
from PIL import Image
from project import PROJECT

from edge_lpdpl.live.frames.frame import EndOfFrames, Frame

HEIGHT, WIDTH = 480, 640
PICTURES = PROJECT / "edge_lpdpl" / "library" / "shipped_pictures"
NUMERALS = {54: (5, 10, 4)}
"""Values of the numerals of a number that has several."""
VALUES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 1000, 10000, 100000000, *NUMERALS)
MOVING, RESTING = 6, 18
"""How many frames of a scene show movement, and how many show rest."""
SCENE = MOVING + RESTING
_VARIANTS = 4  # of every frame, with different noise


class MovingScenes:
    """A source of frames, see `FrameSource`, that knows what is in them.

    Args:
        scenes: how many.
        values: of the numbers that are shown; None for an empty page.
        rate: frames a second; as fast as they are taken when left out.
    """

    def __init__(self, scenes, values=(*VALUES, None), rate=None, height=HEIGHT, width=WIDTH, seed=0):
        self.name, self.height, self.width, self.timeouts = "scenes", height, width, 0
        self.fault = None
        """Called with every frame. The source hands over what it returns."""
        self.adjusted = []
        self.missed = 0
        """How many frames were requested after the next one was due."""
        self._period = 1 / rate if rate else 0
        self._due = None
        self._count, self._sequence, self._alive = scenes * SCENE, -1, True
        self._random = np.random.default_rng(seed)
        turns = self._random.integers(1, len(values), scenes).cumsum() % len(values)
        self.truth = [values[index] for index in turns]  # never the same twice in a row: the trigger sees each
        self._still, self._moving = {}, {}
        for value in values:
            self._draw(value)

    def take(self):
        self._sequence += 1
        if self._sequence >= self._count or not self._alive:
            raise EndOfFrames
        if self._period:
            self._wait()
        scene, step = divmod(self._sequence, SCENE)
        shown = self._moving if step < MOVING else self._still
        choices = shown[self.truth[scene]]
        frame = Frame(choices[step % len(choices)], self._sequence, time.monotonic_ns())
        return frame if self.fault is None else self.fault(frame)

    @property
    def scene(self):
        """Number of the scene in view."""
        return self._sequence // SCENE

    def _wait(self):
        now = time.monotonic()
        if self._due is None:
            self._due = now
        self.missed += now - self._due > 2 * self._period
        self._due = max(self._due + self._period, now)
        time.sleep(self._due - now)

    def adjust(self, camera):
        self.adjusted.append(camera)

    def close(self):
        self._alive = False

    def true_value(self, sequence):
        """The value of the number in a frame, if there is one."""
        return self.truth[sequence // SCENE]

    def _draw(self, value):
        clean = page(value, self.height, self.width)
        self._still[value] = [self._noisy(clean) for _ in range(_VARIANTS)]
        self._moving[value] = [self._noisy(np.roll(clean, shift, axis=1)) for shift in (-70, -50, -32, -20, -10, -4)]

    def _noisy(self, clean):
        noise = self._random.normal(0, 2.5, clean.shape)
        return np.clip(clean + noise, 0, 255).astype(np.uint8)


def page(value, height=HEIGHT, width=WIDTH):
    """A sheet of paper (height, width), lit from one side, with a number in the middle of it."""
    light = np.linspace(235, 200, width)[None, :] * np.linspace(1, 0.94, height)[:, None]
    if value is None:
        return light
    numerals = [_ink(one) for one in NUMERALS.get(value, (value,))]
    left = (width - sum(ink.shape[1] for ink in numerals)) // 2
    for ink in numerals:
        top = (height - ink.shape[0]) // 2
        light[top : top + ink.shape[0], left : left + ink.shape[1]] *= ink
        left += ink.shape[1]
    return light


def _ink(value):
    """The share of the light that a shipped numeral and its paper send back."""
    numeral = np.asarray(Image.open(PICTURES / f"chinese_{value}_paper.png").convert("L"), np.float64)
    return np.minimum(1, numeral / np.median(numeral))
