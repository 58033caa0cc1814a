"""The trigger `button` reads a frame after each press."""

import warnings

import numpy as np
import pytest
from gpiozero import BadPinFactory, Device, PinFactoryFallback
from gpiozero.pins.mock import MockFactory

from edge_lpdpl.errors import ConfigError, may_pass
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.triggers.make import make_trigger


@pytest.fixture
def pin():
    Device.pin_factory = MockFactory()
    yield lambda number=17: Device.pin_factory.pin(number)
    Device.pin_factory.reset()
    Device.pin_factory.close()
    Device.pin_factory = None


@pytest.fixture
def clock(monkeypatch):
    """A clock in milliseconds, for the button alone."""
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
    pin().drive_low()  # the contacts also bounce on release
    assert not trigger.wants(frame(400))
    clock[0] = 500
    pin().drive_high()
    press(pin(), clock, 600)
    trigger.look_again()  # after a change of the model the press is answered by the new one, and nothing else is read
    assert trigger.wants(frame(601))
    trigger.look_again()
    assert not trigger.wants(frame(602))
    trigger.close()


def test_a_button_where_there_are_no_pins(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "native")
    monkeypatch.setattr(Device, "pin_factory", None)
    with pytest.raises(ConfigError, match=r"trigger.button_pin 17 cannot be used .*is this a Raspberry Pi"):
        button_trigger()


class NoPins(MockFactory):
    """As gpiozero looks for pins where there are none: a warning for each library, then an error."""

    def pin(self, name):
        warnings.warn(PinFactoryFallback("Falling back from lgpio"), stacklevel=1)
        raise BadPinFactory("Unable to load any default pin factory!")


def test_a_machine_without_pins_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr(Device, "pin_factory", NoPins())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(ConfigError, match="Unable to load any default"):
            button_trigger()
    assert told == []


class TakenPins(MockFactory):
    """All pins are held by another program. lgpio raises its own class of error."""

    class Error(Exception):
        pass

    def pin(self, name):
        raise self.Error("'GPIO busy'")


def test_a_button_on_a_pin_that_another_program_holds_may_come_free(monkeypatch):
    monkeypatch.setattr(Device, "pin_factory", TakenPins())
    with pytest.raises(ConfigError, match=r"button_pin 17 cannot be used \('GPIO busy'\); another program") as caught:
        button_trigger()
    assert may_pass(caught.value)
