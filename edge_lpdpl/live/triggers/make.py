"""The trigger that the configuration names."""

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.config.sections import TriggerConfig
from edge_lpdpl.live.triggers.asked import AskedTrigger
from edge_lpdpl.live.triggers.trigger import Trigger
from edge_lpdpl.live.triggers.watching import ChangeTrigger, IntervalTrigger


def make_trigger(settings: TriggerConfig) -> Trigger:
    """The trigger of `trigger.kind`.

    Raises:
        ConfigError: the button cannot be used on this machine.
    """
    if settings.kind == "change":
        return ChangeTrigger(settings.sensitivity, settings.still_ms)
    if settings.kind == "interval":
        return IntervalTrigger(settings.interval_ms)
    return _button(settings) if settings.kind == "button" else AskedTrigger()


def _button(settings: TriggerConfig) -> Trigger:
    try:
        from edge_lpdpl.live.triggers.button import ButtonTrigger
    except ImportError as error:
        remedy = "sudo apt install python3-gpiozero python3-lgpio, or set trigger.kind"
        raise ConfigError(f"a button needs gpiozero ({error}): {remedy}") from None
    return ButtonTrigger(settings.button_pin, settings.bounce_ms)
