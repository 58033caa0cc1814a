"""Hypothesis has no deadline, because a first call may compile, and no randomness in CI. No installed model is read,
and the time is that of messages."""

import os
import time

from bare_machine import no_installed_model  # noqa: F401
from hypothesis import settings
from plain_python import examples, words_wrap_around  # noqa: F401

settings.register_profile("project", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=examples(100))
settings.load_profile("project")

os.environ["TZ"] = "UTC"
time.tzset()
