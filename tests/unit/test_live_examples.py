"""The examples in the docstrings of the live service run."""

import doctest
import importlib

import pytest

MODULES = [
    "button",
    "config",
    "config_schema",
    "frames.frame",
    "frames.pacing",
    "frames.pictures",
    "frames.sources",
    "journal",
    "live_commands",
    "notify",
    "publish.home_assistant",
    "publish.message",
    "publish.outbox",
    "publish.requests",
    "publish.unix_socket",
    "reading",
    "scene",
    "statistics",
    "toml_lines",
    "trigger",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_do_what_they_show(name):
    tested = doctest.testmod(importlib.import_module(f"edge_lpdpl.{name}"))
    assert tested.failed == 0
    assert tested.attempted > 0
