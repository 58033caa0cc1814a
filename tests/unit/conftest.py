"""Hypothesis without a clock, as a first call may compile; in CI without chance. No test reads an installed model."""

import os

from bare_machine import no_installed_model  # noqa: F401
from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")
