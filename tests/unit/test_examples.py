"""The examples in the docstrings and in the documentation run."""

import doctest
import importlib
import re
from pathlib import Path

import pytest
from project import PROJECT
from threadpoolctl import threadpool_limits

import edge_lpdpl
import train_host

MODULES = [
    ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
    for package in (Path(edge_lpdpl.__file__).parent, Path(train_host.__file__).parent)
    for path in sorted(package.rglob("*.py"))
    if re.search(r"^\s+>>> .*\n", path.read_text(encoding="utf-8"), re.MULTILINE)
]


PAGES = [page for page in sorted((PROJECT / "docs").glob("*.md")) if ">>> " in page.read_text(encoding="utf-8")]


def test_examples_are_found():
    assert {"edge_lpdpl.live.config.loading", "edge_lpdpl.jit.store", "edge_lpdpl.live.publish.message"} <= set(MODULES)
    assert {"train_host.method.estimator", "train_host.datasets", "train_host.scenes.scoring"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples_do_what_they_show(name):
    if name == "train_host.baselines.network":
        pytest.importorskip("torchvision", reason="networks need PyTorch: pip install '.[deep]'")
    with threadpool_limits(1):  # matrices so small that threads would only slow it down
        tested = doctest.testmod(importlib.import_module(name))
    assert tested.failed == 0
    assert tested.attempted > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_a_page_do_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with threadpool_limits(1):
        tested = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tested.failed == 0
    assert tested.attempted > 0
