"""The machine code of `make kernels` goes into the wheel and the .deb, and an installed program runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from arm.machine import PROJECT, run

LEFT = shutil.ignore_patterns(".*", "__pycache__", "demo-output", "shipped_kernels", "build", "dist")
NATIVE_KERNELS = """
import pathlib, sys
from edge_lpdpl.jit.loader import machine_code
from edge_lpdpl.jit.store import processor_name, sealed, shipped_path
from edge_lpdpl.number import finder
from edge_lpdpl.numeral import engine
from edge_lpdpl.page import searcher
for entries in (engine.ENTRIES, searcher.ENTRIES, finder.ENTRIES):
    path = shipped_path(entries, processor_name(), pathlib.Path(sys.argv[1]))
    path.write_bytes(sealed(machine_code(entries)))
"""
FIRST_DECISION = """
import sys
sys.modules["numba"] = None
import edge_lpdpl
recogniser = edge_lpdpl.Recogniser.load(edge_lpdpl.shipped_model("chinese15"), "numba")
recogniser.self_test()
print(edge_lpdpl.__file__)
"""


@pytest.fixture(scope="module")
def checkout(kernels, tmp_path_factory) -> Path:
    """The project with machine code for Raspberry Pis, and for this processor, so that it can run here."""
    copy = tmp_path_factory.mktemp("checkout") / "edge-lpdpl"
    shutil.copytree(PROJECT, copy, ignore=LEFT)
    folder = copy / "edge_lpdpl/jit/shipped_kernels"
    shutil.copytree(kernels, folder)
    run([sys.executable, "-c", NATIVE_KERNELS, str(folder)], os.environ | {"PYTHONPATH": str(copy)})
    return copy


@pytest.fixture(scope="module")
def installed(checkout, tmp_path_factory) -> Path:
    """The files that the wheel, and the .deb made from it, installs."""
    folder = tmp_path_factory.mktemp("deb")
    dated = os.environ | {"SOURCE_DATE_EPOCH": "1790000000"}
    run([str(checkout / "firmware_scripts/build_deb.sh"), "--output", str(folder)], dated)
    (package,) = folder.glob("*.deb")
    run(["dpkg-deb", "--extract", str(package), str(folder / "root")])
    return folder / "root/usr/lib/python3/dist-packages"


def test_the_package_has_all_machine_code_that_was_made(checkout, installed):
    made = {file.name: file.read_bytes() for file in (checkout / "edge_lpdpl/jit/shipped_kernels").iterdir()}
    assert len(made) == 12  # of three rooms, for three cores and this processor
    assert {file.name: file.read_bytes() for file in (installed / "edge_lpdpl/jit/shipped_kernels").iterdir()} == made


def test_machine_code_of_other_sources_is_not_packed(checkout, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(checkout, changed)
    with (changed / "edge_lpdpl/page/kernels/parts.py").open("a") as source:
        source.write("# a change\n")
    command = [changed / "firmware_scripts/build_deb.sh", "--output", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "compiled from other sources" in done.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def test_an_installed_program_decides_by_it_without_a_compiler(installed, tmp_path):
    """No cache, no writable folder, and no numba."""
    variables = os.environ | {"PYTHONPATH": str(installed), "NUMBA_CACHE_DIR": os.devnull}
    command = [sys.executable, "-c", FIRST_DECISION]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(done.stdout.strip()).is_relative_to(installed)


def test_without_machine_code_it_would_not(installed, tmp_path):
    """Shows that the test above can fail."""
    bare = tmp_path / "bare"
    shutil.copytree(installed, bare, ignore=shutil.ignore_patterns("*.kernels"))
    variables = os.environ | {"PYTHONPATH": str(bare), "NUMBA_CACHE_DIR": os.devnull}
    done = subprocess.run([sys.executable, "-c", FIRST_DECISION], cwd=tmp_path, env=variables, capture_output=True)
    assert done.returncode != 0
    assert b"numba" in done.stderr
