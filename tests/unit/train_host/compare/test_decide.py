"""The key of a cell covers everything that can change its result."""

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_sets import QUICK

import train_host
from edge_lpdpl.errors import TrainingError
from edge_lpdpl.measure.machine import version
from train_host.compare import decide
from train_host.compare.decide import NOTHING_SEEN, Pupil, train_and_decide


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
    def test_weights_that_appear_make_another_cell(self, bench, tmp_path, monkeypatch):
        pytest.importorskip("torchvision", reason="networks need PyTorch: pip install '.[deep]'")
        monkeypatch.setenv("EDGE_LPDPL_WEIGHTS", str(tmp_path))
        split = bench.splits(0)[0]
        from_scratch = bench.cell(Pupil("squeezenet", QUICK), split)
        (tmp_path / "squeezenet1_1.pth").write_bytes(b"weights")
        assert bench.cell(Pupil("squeezenet", QUICK), split).name != from_scratch.name

    def test_weights_are_those_of_the_key_wherever_the_cell_is_worked_off(self, bench, tmp_path, monkeypatch):
        """A worker of a cluster has its own environment and files."""
        pytest.importorskip("torchvision", reason="networks need PyTorch: pip install 'edge-lpdpl[deep]'")
        torch = importlib.import_module("torch")
        architectures = importlib.import_module("train_host.baselines.network").ARCHITECTURES
        weights = tmp_path / "squeezenet1_1.pth"
        torch.save(architectures["squeezenet1_1"][0](1000).state_dict(), weights)
        pupil, split = Pupil("squeezenet", QUICK, {"epochs": 1, "least_steps": 0}), bench.splits(0)[0]
        from_scratch = bench.cell(pupil, split)
        monkeypatch.setenv("EDGE_LPDPL_WEIGHTS", str(tmp_path))
        from_weights = bench.cell(pupil, split)
        assert from_scratch.work()["note"].startswith("from scratch")
        monkeypatch.delenv("EDGE_LPDPL_WEIGHTS")
        assert from_weights.work()["note"].startswith("from ImageNet weights")
        torch.save(architectures["squeezenet1_1"][0](1000).state_dict(), weights)
        with pytest.raises(TrainingError, match=f"{weights}: is missing on this machine, or differs from"):
            from_weights.work()
        weights.unlink()
        with pytest.raises(TrainingError, match=f"{weights}: is missing on this machine, or differs from"):
            from_weights.work()

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
