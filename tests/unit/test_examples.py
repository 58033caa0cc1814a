"""The examples in the docstrings of the device runtime run."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import edge_lpdpl

PACKAGE = Path(edge_lpdpl.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^\s+>>> .*\n", path.read_text(encoding="utf-8"), re.MULTILINE)
]


def test_examples_are_found():
    assert {"edge_lpdpl.config.loading", "edge_lpdpl.kernel_sources", "edge_lpdpl.live.publish.message"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples_do_what_they_show(name):
    tested = doctest.testmod(importlib.import_module(name))
    assert tested.failed == 0
    assert tested.attempted > 0
