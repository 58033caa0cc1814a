"""A wheel whose version is no version: `build_deb.sh --wheel` makes names of files and a control file of it."""

import subprocess
import zipfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "firmware_scripts/build_deb.sh"


@pytest.mark.parametrize("version", ["1/../../../owned", "1 2", "$(touch owned)", "1\x1b]0;owned\x07", "-x", ""])
def test_it_is_refused_and_nothing_is_written(tmp_path, version):
    with zipfile.ZipFile(tmp_path / "edge_lpdpl-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("edge_lpdpl/jit/store.py", "print()")
        wheel.writestr("edge_lpdpl-1.dist-info/METADATA", f"Name: edge-lpdpl\nVersion: {version}\n")
        wheel.writestr("edge_lpdpl-1.dist-info/entry_points.txt", "")
    before = sorted(tmp_path.rglob("*"))
    command = [SCRIPT, "--wheel", "edge_lpdpl-1-py3-none-any.whl", "--output", tmp_path / "a" / "b"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "its version" in done.stderr
    assert "\x1b" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
