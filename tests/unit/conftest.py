"""Hypothesis without a clock, as a first call may compile; in CI without chance."""

import os

from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")
