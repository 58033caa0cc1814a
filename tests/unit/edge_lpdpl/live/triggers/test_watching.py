"""Which frames are read: scenes with noise, hands, clouds and a flickering lamp."""

import numpy as np
import pytest

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.scene import Sight
from edge_lpdpl.live.triggers.make import make_trigger
from edge_lpdpl.live.triggers.watching import ChangeTrigger, IntervalTrigger

PERIOD_MS = 33
STILL_MS = 200


class Scene:
    """A sheet of paper before a camera with noise, and the count of frames that a trigger wants."""

    def __init__(self, trigger, noise=4.0):
        self.trigger = trigger
        self.paper = np.full((240, 320), 180.0)
        self.light = 1.0
        self.wanted = []
        self._frames = 0
        self._noise = np.random.default_rng(0).normal(0, noise, (16, *self.paper.shape))

    def pass_by(self, frames, before=lambda number: None):
        """Show frames to the trigger. Returns how many it wanted."""
        wanted = 0
        for number in range(frames):
            before(number)
            grey = self.paper * self.light + self._noise[self._frames % 16]
            grey = np.clip(grey, 0, 255).astype(np.uint8)
            wanted += self.trigger.wants(Frame(grey, self._frames, self._frames * PERIOD_MS * 1_000_000))
            self._frames += 1
        return wanted

    def write(self, column, level=60.0):
        """A vertical stroke, three pixels wide."""
        self.paper[80:140, column : column + 3] = level


@pytest.fixture
def scene():
    return Scene(ChangeTrigger(sensitivity=8, still_ms=STILL_MS))


def test_what_comes_to_rest_is_read_once(scene):
    assert scene.pass_by(60) == 1  # the empty paper
    scene.write(100)
    assert scene.pass_by(60) == 1
    assert scene.pass_by(600) == 0


def test_nothing_is_read_before_it_has_been_at_rest_for_long_enough(scene):
    assert scene.pass_by(STILL_MS // PERIOD_MS) == 0
    assert scene.pass_by(3) == 1


def test_nothing_is_read_while_a_hand_moves(scene):
    scene.pass_by(60)

    def move(number):
        scene.paper[:] = 180
        scene.paper[:, 5 * number : 5 * number + 60] = 90

    assert scene.pass_by(50, move) == 0
    scene.paper[:] = 180
    assert scene.pass_by(60) == 1  # the hand is gone, and may have left a point
    assert scene.pass_by(60) == 0
    scene.pass_by(20, move)
    scene.paper[:] = 180
    scene.write(120)
    assert scene.pass_by(60) == 1


def test_another_numeral_in_the_same_place_is_read_and_so_is_its_absence(scene):
    scene.write(100)
    scene.pass_by(60)
    scene.paper[:] = 180
    assert scene.pass_by(60) == 1
    scene.write(104)
    assert scene.pass_by(60) == 1


def test_changing_light_is_no_change(scene):
    scene.write(100)
    scene.pass_by(60)

    def dim(number):
        scene.light = 1 - 0.4 * number / 300

    assert scene.pass_by(300, dim) == 0  # a cloud
    scene.light = 0.9
    assert scene.pass_by(60) == 0  # a lamp

    def flicker(number):
        scene.light = 0.9 + 0.05 * (-1) ** number

    assert scene.pass_by(100, flicker) == 0


def test_a_slow_shadow_is_no_change(scene):
    scene.pass_by(60)
    shadow = np.zeros_like(scene.paper)
    shadow[:, :160] = 40

    def wander(number):
        scene.paper = 180 - shadow * number / 3000

    assert scene.pass_by(3000, wander) == 0


def test_what_may_be_a_point_or_a_fly_is_read_once(scene):
    scene.pass_by(60)
    scene.paper[100:104, 100:104] = 0
    assert scene.pass_by(60) == 1
    scene.paper[50, 50] = 255  # a dead pixel
    assert scene.pass_by(60) == 0


def test_another_picture_is_read_however_alike_it_is():
    trigger, paper = ChangeTrigger(sensitivity=8, still_ms=STILL_MS), np.full((240, 320), 180, np.uint8)
    files = ["a.png"] * 20 + ["b.png"] * 20
    frames = [Frame(paper, number, number * PERIOD_MS * 1_000_000, file) for number, file in enumerate(files)]
    assert [frame.file for frame in frames if trigger.wants(frame)] == ["a.png", "b.png"]
    assert trigger.sight == Sight(has_moved=True)


def test_where_nothing_comes_to_rest_a_frame_is_read_now_and_then(scene):
    scene.pass_by(60)

    def turn(number):
        scene.paper[:] = 180
        scene.paper[20 + 20 * (number % 3) :][:16, 20:36] = 60

    seconds = 35
    assert scene.pass_by(seconds * 1000 // PERIOD_MS, turn) == 3
    assert scene.trigger.sight == Sight(has_moved=True, is_moving=True)
    assert scene.pass_by(60) == 1
    assert scene.trigger.sight == Sight(has_moved=True)


def test_time_that_passes():
    scene = Scene(IntervalTrigger(interval_ms=330))
    assert scene.pass_by(300) == 30
    scene._frames += 3000  # the camera was away
    assert scene.pass_by(10) == 1


@pytest.mark.parametrize("kind", ["change", "interval", "request"])
def test_a_frame_that_could_not_be_read_is_replaced_by_the_next(kind):
    trigger = make_trigger(load_config((), {"trigger": {"kind": kind, "still_ms": 0}}).trigger)
    if kind == "request":
        trigger.ask(0)
    scene = Scene(trigger)
    assert scene.pass_by(5) == 1
    trigger.missed()
    assert scene.pass_by(5) == 1
