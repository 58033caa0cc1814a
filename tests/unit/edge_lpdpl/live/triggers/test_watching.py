"""When a frame is read: a scene as a camera would see it, with noise, hands, clouds and a flickering lamp."""

import numpy as np
import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import ConfigError, may_pass
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.scene import View, changed_blocks, view_of
from edge_lpdpl.live.triggers.asked import AskedTrigger
from edge_lpdpl.live.triggers.make import make_trigger
from edge_lpdpl.live.triggers.watching import ChangeTrigger, IntervalTrigger

PERIOD_MS = 33
STILL_MS = 200


class Scene:
    """A sheet of paper before a camera that gives frames with noise; calls tell of which frames a trigger wants."""

    def __init__(self, trigger, noise=4.0):
        self.trigger = trigger
        self.paper = np.full((240, 320), 180.0)
        self.light = 1.0
        self.wanted = []
        self._frames = 0
        self._noise = np.random.default_rng(0).normal(0, noise, (16, *self.paper.shape))

    def pass_by(self, frames, before=lambda number: None):
        """Let frames go by; returns how many were wanted."""
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
    assert scene.pass_by(60) == 0  # the hand is away again, and nothing is new
    scene.pass_by(20, move)
    scene.paper[:] = 180
    scene.write(120)
    assert scene.pass_by(60) == 1


def test_another_numeral_in_the_same_place_is_new_and_so_is_its_absence(scene):
    scene.write(100)
    scene.pass_by(60)
    scene.paper[:] = 180
    assert scene.pass_by(60) == 1
    scene.write(104)
    assert scene.pass_by(60) == 1


def test_light_that_changes_is_nothing_new(scene):
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


def test_a_shadow_that_wanders_over_hours_is_nothing_new(scene):
    scene.pass_by(60)
    shadow = np.zeros_like(scene.paper)
    shadow[:, :160] = 40

    def wander(number):
        scene.paper = 180 - shadow * number / 3000

    assert scene.pass_by(3000, wander) == 0


def test_a_dead_pixel_and_a_fly_are_nothing_new(scene):
    scene.pass_by(60)
    scene.paper[100:104, 100:104] = 0
    assert scene.pass_by(60) == 0


def test_time_that_passes():
    scene = Scene(IntervalTrigger(interval_ms=330))
    assert scene.pass_by(300) == 30
    scene._frames += 3000  # the camera was away
    assert scene.pass_by(10) == 1


def wanted(trigger, *exposed_ms):
    """Which of the frames of these times a trigger wants."""
    return [trigger.wants(Frame(np.zeros((8, 8), np.uint8), 0, ms * 1_000_000)) for ms in exposed_ms]


def test_a_frame_that_was_exposed_before_the_request_is_not_read():
    trigger = AskedTrigger()
    trigger.ask(5_000_000)
    trigger.ask(6_000_000)
    assert wanted(trigger, 4, 5, 6, 7) == [False, True, True, False]  # the second asked after the frame of the first
    trigger.ask(15_000_000)
    trigger.ask(16_000_000)
    assert wanted(trigger, 14, 17, 18) == [False, True, False]  # one frame after both answers both


def test_who_asks_all_the_time_keeps_nobody_from_an_answer():
    trigger, answered = AskedTrigger(), 0
    for ms in range(1000):
        trigger.ask(ms * 1_000_000)
        if ms % 33 == 0:
            answered += wanted(trigger, ms - 20)[0]  # a frame comes 20 ms after its exposure
    assert answered >= 15


def test_who_has_asked_is_answered_after_a_reload_and_nobody_else():
    trigger = AskedTrigger()
    trigger.ask(100_000_000)
    trigger.look_again()
    assert wanted(trigger, 50, 150, 160) == [False, True, False]
    trigger.look_again()
    assert wanted(trigger, 170) == [False]


@pytest.mark.parametrize("kind", ["change", "interval", "request"])
def test_a_frame_that_could_not_be_read_is_made_up_for(kind):
    trigger = make_trigger(load_config((), {"trigger": {"kind": kind, "still_ms": 0}}).trigger)
    if kind == "request":
        trigger.ask(0)
    scene = Scene(trigger)
    assert scene.pass_by(5) == 1
    trigger.missed()
    assert scene.pass_by(5) == 1


@pytest.fixture
def pin():
    Device.pin_factory = MockFactory()
    yield lambda number=17: Device.pin_factory.pin(number)
    Device.pin_factory.reset()
    Device.pin_factory.close()
    Device.pin_factory = None


@pytest.fixture
def clock(monkeypatch):
    """Milliseconds, as the button and nobody else sees them."""
    now = [0]
    monkeypatch.setattr("edge_lpdpl.live.triggers.button.time.monotonic_ns", lambda: now[0] * 1_000_000)
    return now


def button_trigger():
    return make_trigger(load_config((), {"trigger": {"kind": "button", "bounce_ms": 30}}).trigger)


def press(pin, clock, at, bounces=0):
    for step in range(2 * bounces + 1):
        clock[0] = at + step
        (pin.drive_high if step % 2 else pin.drive_low)()


def test_a_button_reads_the_frame_after_the_press_once(pin, clock):
    trigger = button_trigger()
    frame = lambda ms: Frame(np.zeros((8, 8), np.uint8), 0, ms * 1_000_000)  # noqa: E731
    press(pin(), clock, 100, bounces=5)  # gpiozero's mock lets every bounce through, as some real pins do
    assert [trigger.wants(frame(ms)) for ms in (90, 99, 120, 130, 200)] == [False, False, True, False, False]
    clock[0] = 300
    pin().drive_high()
    clock[0] = 310
    pin().drive_low()  # the contacts bounce when the button is let go, too
    assert not trigger.wants(frame(400))
    clock[0] = 500
    pin().drive_high()
    press(pin(), clock, 600)
    trigger.look_again()  # another model reads now: who has pressed is answered by that, and nothing else is read
    assert trigger.wants(frame(601))
    trigger.look_again()
    assert not trigger.wants(frame(602))
    trigger.close()


def test_a_button_where_there_are_no_pins(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "native")
    monkeypatch.setattr(Device, "pin_factory", None)
    with pytest.raises(ConfigError, match=r"trigger.button_pin 17 cannot be used .*is this a Raspberry Pi"):
        button_trigger()


class TakenPins(MockFactory):
    """All pins are held by another program; lgpio's error is such a class of its own."""

    class Error(Exception):
        pass

    def pin(self, name):
        raise self.Error("'GPIO busy'")


def test_a_button_on_a_pin_that_another_program_holds_may_come_free(monkeypatch):
    monkeypatch.setattr(Device, "pin_factory", TakenPins())
    with pytest.raises(ConfigError, match=r"button_pin 17 cannot be used \('GPIO busy'\); another program") as caught:
        button_trigger()
    assert may_pass(caught.value)


def test_a_view_is_the_mean_of_every_block():
    grey = np.random.default_rng(0).integers(0, 256, (45, 70), np.uint8)
    view = view_of(grey)
    assert view.blocks.shape == (5, 8)
    for row in range(5):
        for column in range(8):
            assert view.blocks[row, column] == grey[8 * row : 8 * row + 8, 8 * column : 8 * column + 8].mean()
    assert view.light in view.blocks
    assert abs(view.light - np.median(view.blocks)) < 1
    assert view_of(np.full((16, 16), 255, np.uint8)).blocks.tolist() == [[255, 255], [255, 255]]


@given(st.integers(60, 250), st.floats(0.55, 1.0), st.integers(0, 20))
def test_paper_under_another_light_has_not_changed_and_ink_on_it_has(level, light, ink):
    paper = View(np.full((80, 80), level, np.float32), level)
    darker = View(paper.blocks * np.float32(light), level * light)
    assert changed_blocks(darker, paper, 8) == 0
    darker.blocks[:3, :ink] = 0
    assert changed_blocks(darker, paper, 8) == 3 * ink
