"""Which functions of a room each test calls, and how long it takes: what a change has to be tried with, fastest first.

A test file is watched again when it changes, or something of the room or of `tests/help`.
"""

import ast
import hashlib
import json
import math
import resource
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest
from changes import PROJECT, Mutant

LARGE = "numeral/test_recogniser.py", "numeral/test_hand.py"
"""Files of tests that take minutes in plain Python."""
RIVALS = "accepts_it and (SRC or KSVD or DLSI or InDPL)"
"""Tests of methods that are not ours."""

NUMBERS = {"train_host/method": ("train_host/test_recipe.py",)}
"""Files of tests outside of a room that hold its defaults."""

Function = tuple[str, int]
"""A file and the line where a function begins; line 0 stands for the module."""


class Seen(NamedTuple):
    """What a test did."""

    seconds: float
    """Of a processor."""
    called: frozenset[Function]


class Watcher:
    """A plugin of pytest. What fixtures call, they may have called for all tests of the file."""

    def __init__(self, room: str) -> None:
        self.files = {str(path): str(path.relative_to(PROJECT)) for path in (PROJECT / room).rglob("*.py")}
        self.tests: dict[str, tuple[float, set[Function]]] = {}
        self.shared: set[Function] = set()
        self.called = self.shared
        sys.settrace(self._trace)
        threading.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> None:
        code: CodeType = frame.f_code
        if file := self.files.get(code.co_filename):
            self.called.add((file, 0 if code.co_name == "<module>" else code.co_firstlineno))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        start = time.process_time()
        self.tests[item.nodeid] = 0.0, set()
        result = yield
        self.tests[item.nodeid] = time.process_time() - start, self.tests[item.nodeid][1]
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self.called = self.tests[item.nodeid][1]
        try:
            return (yield)
        finally:
            self.called = self.shared

    def write(self, path: Path) -> None:
        sys.settrace(None)
        told = {test: [seconds, sorted(called | self.shared)] for test, (seconds, called) in self.tests.items()}
        path.write_text(json.dumps(told))


def read(path: Path) -> dict[str, Seen]:
    """What a watcher wrote."""
    told = json.loads(path.read_text())
    return {test: Seen(seconds, frozenset(map(tuple, called))) for test, (seconds, called) in told.items()}


def notes_of(room: str, test_file: Path, plain: bool) -> str:
    """Name of the file for what a watcher writes; another one after a change."""
    digest = hashlib.sha256(test_file.read_bytes())
    for folder in (PROJECT / room, PROJECT / "tests" / "help"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return f"{test_file.stem}-{'plain' if plain else 'compiled'}-{digest.hexdigest()[:20]}.json"


def test_files(room: str, plain: bool) -> list[Path]:
    tests = PROJECT / "tests" / "unit"
    files = [*sorted((tests / room).rglob("test_*.py")), *(tests / name for name in NUMBERS.get(room, ()))]
    return [path for path in files if not (plain and str(path).endswith(LARGE))]


def tests_for(mutant: Mutant, seen: dict[str, Seen]) -> tuple[list[str], list[str]]:
    """Tests that call the changed function, or anything of the module if the change is outside; and all others.

    The files of tests that take the least time come first, and so do the tests in each.
    """
    line = _function_at(ast.parse((PROJECT / mutant.file).read_text()), mutant.line)

    def concerns(test: Seen) -> bool:
        return any(file == mutant.file and line in (0, first) for file, first in test.called)

    first = {name for name, test in seen.items() if concerns(test)}
    return _fastest(first, seen), _fastest(seen.keys() - first, seen)


def _function_at(tree: ast.AST, line: int) -> int:
    """Where the code object of the innermost function around a line begins; 0 outside of functions."""
    found = 0
    for node in ast.walk(tree):  # inner functions come after outer ones
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            found = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return found


def seconds_of_files(names: Iterable[str], seen: dict[str, Seen]) -> dict[str, float]:
    """How long the tests with these names take in each file."""
    files: dict[str, float] = {}
    for name in names:
        file = name.partition("::")[0]
        files[file] = files.get(file, 0) + seen[name].seconds
    return files


def _fastest(names: set[str], seen: dict[str, Seen]) -> list[str]:
    files = seconds_of_files(names, seen)
    order = {file: place for place, file in enumerate(sorted(files, key=lambda file: (files[file], file)))}
    return sorted(names, key=lambda name: (order[name.partition("::")[0]], seen[name].seconds, name))


class Chooser:
    """A plugin of pytest: these tests alone, in this order, each within a time.

    A test has the time of its whole file: the first one to run makes what they share. So a loop without an end ends
    soon where a fast test meets it.

    Args:
        limits: seconds of a processor for each test.
    """

    def __init__(self, limits: dict[str, int]) -> None:
        self.limits = limits
        self.place = {name: place for place, name in enumerate(limits)}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        until = math.ceil(time.process_time()) + self.limits[item.nodeid]
        resource.setrlimit(resource.RLIMIT_CPU, (min(until, most), most))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place), key=lambda item: self.place[item.nodeid]
        )
