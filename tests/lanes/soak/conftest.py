"""The lane reads no installed model."""

from bare_machine import no_installed_model  # noqa: F401
