"""Pins of the GPIO header, through gpiozero."""

import errno
import warnings
from typing import Any

from edge_lpdpl.errors import ConfigError


def claim_pin(setting: str, pin: int, kind: str, **options: Any) -> Any:
    """A device of gpiozero on a pin, which no other program can use until it is closed.

    Args:
        setting: the name of the setting that names the pin, for errors.
        kind: the class of gpiozero.
        options: of that class.

    Raises:
        ConfigError: gpiozero is missing, this machine has no such pin, or another program uses it, which may pass.
    """
    try:
        import gpiozero
    except ImportError as error:
        remedy = "sudo apt install python3-gpiozero python3-lgpio"
        raise ConfigError(f"{setting} needs gpiozero ({error}): {remedy}, or do without it") from None
    try:
        with warnings.catch_warnings():  # of each library for pins that is not there; the error says what to do
            warnings.simplefilter("ignore", gpiozero.PinFactoryFallback)
            return getattr(gpiozero, kind)(pin, **options)
    except Exception as error:  # pin factories have no common error class: lgpio's is not one of gpiozero's
        wrong, remedy, cause = f"{setting} {pin} cannot be used ({error})", "is this a Raspberry Pi?", error
        if "busy" in str(error).lower():  # lgpio says no more; an OSError with EBUSY is what `may_pass` recognises
            remedy, cause = "another program uses it: end that, or take another pin", OSError(errno.EBUSY, str(error))
        raise ConfigError(f"{wrong}; {remedy}") from cause
