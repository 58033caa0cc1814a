"""`lpdpl-train` where packages of the extra `train` are missing."""

import subprocess
import sys
import tomllib

import pytest
from project import PROJECT

from edge_lpdpl import __version__
from train_host.commands.main import EXTRA_TRAIN, main

pytestmark = pytest.mark.slow

DIGITS = "synthetic:writers=5,samples=2,script=latin,size=48"

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from train_host.commands.main import main
sys.exit(main(sys.argv[1:]))
"""
"""`lpdpl-train` in another process, where some packages are missing."""


class TestWithoutTheExtraTrain:
    """On a device without the training packages."""

    @staticmethod
    def run(*arguments: object, missing: tuple[str, ...] = EXTRA_TRAIN) -> tuple[int, str, str]:
        command = [sys.executable, "-c", WITHOUT.format(missing=missing), *map(str, arguments)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return ended.returncode, ended.stdout, ended.stderr

    def test_version_and_help_work(self):
        assert self.run("--version") == (0, f"lpdpl-train {__version__}\n", "")
        status, out, err = self.run("scenes", "--help")
        assert (status, err) == (0, "")
        assert "row,column,any" in out

    @pytest.mark.parametrize(
        "command",
        [
            ["fit", DIGITS, "--output"],
            ["scenes", "--output"],
            ["report", "--folder"],
        ],
        ids=lambda command: command[0],
    )
    def test_every_command_says_what_to_install(self, command, tmp_path):
        status, out, err = self.run(*command, tmp_path / "it")
        (line,) = err.splitlines()
        assert (status, out) == (2, "")
        assert line.startswith(
            "lpdpl-train: needs the extra train: pip install -e '.[train]' in the project's folder ("
        )
        assert list(tmp_path.iterdir()) == []

    def test_what_is_missing_is_named(self):
        status, _, err = self.run("score", "latin10", DIGITS, missing=("tqdm",))
        assert (status, err.endswith("(tqdm is missing)\n")) == (2, True)

    def test_the_extra_is_what_the_package_declares(self):
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
        declared = {name.partition(">")[0] for name in project["optional-dependencies"]["train"]}
        assert {"scikit-learn" if name == "sklearn" else name for name in EXTRA_TRAIN} == declared


def test_a_module_of_the_program_that_is_missing_is_not_blamed_on_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "train_host.compare.table", None)
    with pytest.raises(ModuleNotFoundError, match="train_host"):
        main(["evaluate", DIGITS, "--protocol", "conventional"])
