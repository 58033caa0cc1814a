"""The rooms of `edge_lpdpl` keep the rules of the house, and each rule fails where a small planted tree breaks it."""

import os
import subprocess
import sys

import pytest
from house import (
    RULES,
    House,
    circle,
    imports_by_name,
    imports_of_the_trainer,
    more_than_a_docstring,
    names_from_the_front_door,
    too_many_entries,
    too_many_modules,
    upward_imports,
    without_a_floor,
    without_an_init,
)
from project import PROJECT

SOUND = {
    "__init__.py": "_HOMES = {'Engine': 'numeral.engine'}\n",
    "errors.py": "class EdgeError(Exception): ...\n",
    "commands/__init__.py": '"""What is typed."""\n',
    "commands/main.py": "from edge_lpdpl import __version__\nfrom edge_lpdpl.numeral.engine import run\n",
    "numeral/__init__.py": '"""One.\n\nTwo.\nThree.\nFour.\nFive.\n"""\n',
    "numeral/engine.py": "from edge_lpdpl.numeral import steps\nENTRIES = 'edge_lpdpl.numeral.kernels.entries'\n",
    "numeral/steps.py": "def run():\n    from edge_lpdpl.errors import EdgeError\n",
    "numeral/kernels/__init__.py": '"""Steps."""\n',
    "numeral/kernels/entries.py": "",
}
"""A small house in which everything is as it should be."""
TOO_MANY = ["__init__.py", "commands", "errors.py", "numeral", *(f"z{number:02}.txt" for number in range(12))]
MANY = {f"files/m{number}.py": "" for number in range(11)}


@pytest.fixture
def plant(tmp_path):
    """A function that writes the sound house with some files replaced or added."""

    def write(files):
        for name, text in (SOUND | files).items():
            path = tmp_path / "edge_lpdpl" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return House(tmp_path / "edge_lpdpl")

    return write


@pytest.fixture(scope="module")
def package():
    return House(PROJECT / "edge_lpdpl")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
class TestRules:
    def test_the_package_keeps_it(self, rule, package):
        assert rule(package) == []

    def test_a_sound_house_keeps_it(self, rule, plant):
        assert rule(plant({})) == []


@pytest.mark.parametrize(
    ("rule", "files", "found"),
    [
        (without_a_floor, {"attic/__init__.py": '"""Odds and ends."""\n'}, ["attic"]),
        (without_a_floor, {"attic.py": ""}, ["attic"]),
        (
            upward_imports,
            {"numeral/steps.py": "import edge_lpdpl.commands.main\n"},
            ["edge_lpdpl.numeral.steps -> edge_lpdpl.commands.main"],
        ),
        (
            upward_imports,
            {"numeral/steps.py": "def run():\n    from edge_lpdpl.commands import main\n"},
            ["edge_lpdpl.numeral.steps -> edge_lpdpl.commands.main"],
        ),
        (
            upward_imports,
            {"numeral/kernels/entries.py": "from ...commands.main import demo\n"},
            ["edge_lpdpl.numeral.kernels.entries -> edge_lpdpl.commands.main"],
        ),
        (
            upward_imports,
            {"errors.py": "PROGRAM = 'python -m edge_lpdpl.commands.main'\n"},
            ["edge_lpdpl.errors -> edge_lpdpl.commands.main"],
        ),
        (
            upward_imports,
            {"errors.py": "from edge_lpdpl.numeral import *\n"},
            ["edge_lpdpl.errors -> edge_lpdpl.numeral"],
        ),
        (
            circle,
            {"numeral/steps.py": "from edge_lpdpl.numeral.engine import ENTRIES\n"},
            ["edge_lpdpl.numeral.engine", "edge_lpdpl.numeral.steps"],
        ),
        (
            circle,
            {"numeral/kernels/entries.py": "def run():\n    from edge_lpdpl.numeral import engine\n"},
            ["edge_lpdpl.numeral.engine", "edge_lpdpl.numeral.kernels.entries"],
        ),
        (
            circle,
            {"errors.py": "NAME = 'edge_lpdpl.numeral.steps.run'\n"},
            ["edge_lpdpl.errors", "edge_lpdpl.numeral.steps"],
        ),
        (
            names_from_the_front_door,
            {"errors.py": "from edge_lpdpl import Engine\n"},
            ["edge_lpdpl.errors -> edge_lpdpl.Engine"],
        ),
        (names_from_the_front_door, {"errors.py": "import edge_lpdpl\n"}, ["edge_lpdpl.errors -> edge_lpdpl"]),
        (
            imports_by_name,
            {"errors.py": "import importlib\nimportlib.import_module('.'.join(['edge_lpdpl', 'commands']))\n"},
            ["edge_lpdpl.errors"],
        ),
        (imports_of_the_trainer, {"errors.py": "import train_host.method.lpdpl\n"}, ["edge_lpdpl.errors"]),
        (
            imports_of_the_trainer,
            {"errors.py": "def run():\n    from train_host.method import lpdpl\n"},
            ["edge_lpdpl.errors"],
        ),
        (too_many_entries, {f"z{number:02}.txt": "" for number in range(12)}, TOO_MANY),
        (too_many_modules, {"files/__init__.py": '"""Files."""\n', **MANY}, ["edge_lpdpl.files"]),
        (more_than_a_docstring, {"commands/__init__.py": ""}, ["edge_lpdpl.commands"]),
        (more_than_a_docstring, {"numeral/__init__.py": '"""One."""\nimport os\n'}, ["edge_lpdpl.numeral"]),
        (
            more_than_a_docstring,
            {"numeral/__init__.py": '"""One.\n\nTwo.\nThree.\nFour.\nFive.\nSix.\n"""\n'},
            ["edge_lpdpl.numeral"],
        ),
        (without_an_init, {"files/text.py": ""}, ["edge_lpdpl.files"]),
    ],
)
def test_what_breaks_a_rule_is_named(rule, files, found, plant):
    named = rule(plant(files))
    assert (sorted(set(named)) if rule is circle else named) == found  # a circle may begin anywhere


def test_a_docstring_is_no_import(plant):
    house = plant({"errors.py": '"""See edge_lpdpl.commands.main."""\nLIMIT = 3\n"""Of edge_lpdpl.commands."""\n'})
    assert upward_imports(house) == []


HEAVY = """
import sys
try:
    {use}
except SystemExit:
    pass
print(*sorted({{"numpy", "numba"}} & sys.modules.keys()))
"""
USES = {
    "import": "import edge_lpdpl",
    "version": "from edge_lpdpl.commands.main import main; main(['--version'])",
}


def heavy_modules(folder, use):
    """Which of NumPy and numba are imported by the package in `folder`."""
    command = [sys.executable, "-c", HEAVY.format(use=USES[use])]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize("use", USES)
class TestLightness:
    def test_neither_numpy_nor_numba_is_imported(self, use):
        assert heavy_modules(PROJECT, use) == []

    def test_a_heavy_import_is_seen(self, use, plant):
        house = plant({"errors.py": "import numpy\n", "commands/main.py": "import numpy\ndef main(argv): ...\n"})
        (house.folder / "__init__.py").write_text("import edge_lpdpl.errors\n")
        assert heavy_modules(house.folder.parent, use) == ["numpy"]
