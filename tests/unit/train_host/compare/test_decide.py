"""The key of a cell covers everything that can change its result."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_sets import QUICK

import train_host
from edge_lpdpl.errors import TrainingError
from edge_lpdpl.measure.machine import version
from train_host.baselines.methods import METHODS
from train_host.compare import decide
from train_host.compare.decide import Pupil, train_and_decide
from train_host.method.decisions import NOTHING_SEEN


def test_a_picture_in_which_nothing_is_seen_is_no_decision(bench):
    samples, _ = bench.samples(Pupil("knn", QUICK))
    blank = np.zeros((2, samples.features.shape[1]), np.float32)
    found = train_and_decide(Pupil("knn", QUICK), samples, np.arange(80), {"blank": blank})
    assert found["tests"]["blank"] == {"decisions": [NOTHING_SEEN] * 2, "margins": [0.0] * 2}


def test_settings_and_copies_are_other_cells(bench):
    split = bench.splits(0)[0]
    cells = [
        bench.cell(pupil, split)
        for pupil in (Pupil("dpl", QUICK), Pupil("dpl", QUICK, {"atoms": 2}), Pupil("dpl", replace(QUICK, seed=1)))
    ]
    assert len({cell.name for cell in cells}) == 3


class TestCellsOfRivals:
    def test_other_settings_in_the_table_of_methods_make_another_cell(self, bench, monkeypatch):
        split = bench.splits(0)[0]
        before = bench.cell(Pupil("dpl", QUICK), split)
        monkeypatch.setitem(METHODS, "dpl", replace(METHODS["dpl"], settings={"atoms": 5}))
        assert bench.cell(Pupil("dpl", QUICK), split).name != before.name

    @pytest.mark.parametrize(
        ("method", "package", "matters"),
        [("lpdpl", "numpy", True), ("knn", "scikit-learn", True), ("knn", "torch", False), ("lenet-5", "torch", True)],
    )
    def test_other_versions_of_what_they_compute_with_make_another_cell(
        self, bench, monkeypatch, method, package, matters
    ):
        if method == "lenet-5":
            pytest.importorskip("torchvision", reason="networks need PyTorch: pip install 'edge-lpdpl[deep]'")
        split = bench.splits(0)[0]
        before = bench.cell(Pupil(method, QUICK), split)
        monkeypatch.setattr(decide, "version", lambda name: "0.1" if name == package else version(name))
        assert (bench.cell(Pupil(method, QUICK), split).name != before.name) == matters
        if matters:
            with pytest.raises(TrainingError, match=rf"a worker has .*{package} 0\.1.* and not "):
                before.work()

    @pytest.mark.parametrize(
        ("source", "matters"),
        [
            *(("training.py", True), ("baselines/training.py", True), ("method/folding.py", True)),
            *(("baselines/methods.py", False), ("samples/prepare.py", False), ("synthetic/strokes.py", False)),
        ],
    )
    @pytest.mark.parametrize("method", ["dpl", "knn"])
    def test_another_source_makes_another_cell_unless_the_key_has_its_effect(
        self, bench, monkeypatch, method, source, matters
    ):
        split = bench.splits(0)[0]
        before, read = bench.cell(Pupil(method, QUICK), split), Path.read_text
        changed = Path(train_host.__file__).parent / source
        monkeypatch.setattr(
            Path, "read_text", lambda path, *of, **how: read(path, *of, **how) + "#" * (path == changed)
        )
        assert (bench.cell(Pupil(method, QUICK), split).name != before.name) == matters
