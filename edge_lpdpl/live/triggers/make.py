"""The trigger that the configuration names, and what every trigger does."""

from collections.abc import Callable
from typing import Protocol

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.config.sections import TriggerConfig
from edge_lpdpl.live.frames.frame import Frame
from edge_lpdpl.live.triggers.asked import AskedTrigger
from edge_lpdpl.live.triggers.watching import ChangeTrigger, IntervalTrigger


class Trigger(Protocol):
    """Looks at every frame, and says of some that they are to be read."""

    kind: str

    def wants(self, frame: Frame) -> bool:
        """True where this frame is to be read."""

    def missed(self) -> None:
        """The frame that was wanted last could not be read: want another."""

    def look_again(self) -> None:
        """What is in view was read by another model: it counts as new, unless somebody has to ask for it."""

    def close(self) -> None:
        """Give back what was taken."""


def make_trigger(settings: TriggerConfig) -> Trigger:
    """The trigger that the configuration names.

    Raises:
        ConfigError: a button on a machine that has none.
    """
    makers: dict[str, Callable[[], Trigger]] = {
        "change": lambda: ChangeTrigger(settings.sensitivity, settings.still_ms),
        "interval": lambda: IntervalTrigger(settings.interval_ms),
        "request": AskedTrigger,
        "button": lambda: _button(settings),
    }
    return makers[settings.kind]()


def _button(settings: TriggerConfig) -> Trigger:
    try:
        from edge_lpdpl.live.triggers.button import ButtonTrigger
    except ImportError as error:
        raise ConfigError(
            f"a button needs gpiozero ({error}): sudo apt install python3-gpiozero python3-lgpio, or set trigger.kind"
        ) from None
    return ButtonTrigger(settings.button_pin, settings.bounce_ms)
