"""No installed model is read, and words wrap around in plain Python."""

from bare_machine import no_installed_model  # noqa: F401
from plain_python import words_wrap_around  # noqa: F401
