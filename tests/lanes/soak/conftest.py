"""The lane uses what the short tests of the same things use."""

from bare_machine import no_installed_model  # noqa: F401
