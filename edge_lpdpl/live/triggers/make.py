"""The trigger that the configuration names."""

from edge_lpdpl.live.config.sections import TriggerConfig
from edge_lpdpl.live.triggers.asked import AskedTrigger
from edge_lpdpl.live.triggers.button import ButtonTrigger
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
    if settings.kind == "button":
        return ButtonTrigger(settings.button_pin, settings.bounce_ms)
    return AskedTrigger()
