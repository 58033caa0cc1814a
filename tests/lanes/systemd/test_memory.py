"""The largest models that are accepted, beside what the unit allows."""

from large_models import large_model
from service import configure, start, status, wait_for_decisions

from edge_lpdpl.model.container import MAX_FILE_BYTES
from edge_lpdpl.model.settings import PAPER


def test_the_largest_model_replaced_by_another_one_stays_far_below_what_the_unit_allows(box, tmp_path):
    """Peak of resident memory: 183 of 400 MiB."""
    for seed in (1, 2):
        path = tmp_path / f"{seed}.safetensors"
        large_model(path, rank=838, profile=PAPER, seed=seed)
        assert 0.98 * MAX_FILE_BYTES < path.stat().st_size <= MAX_FILE_BYTES
        box.write(f"/srv/models/{seed}.safetensors", path.read_bytes())
    configure(box, '[model]\nfile = "/srv/models/1.safetensors"\n')
    start(box)
    wait_for_decisions(box)
    configure(box, '[model]\nfile = "/srv/models/2.safetensors"\n')
    box.run("systemctl", "reload", "edge-lpdpl")
    wait_for_decisions(box)
    assert status(box)["model"]["name"] == "large-2"
    assert resident_peak(box) < 0.6 * int(box.value("MemoryMax"))


def resident_peak(box):
    """Bytes."""
    (line,) = (
        line for line in box.run("cat", f"/proc/{box.value('MainPID')}/status").splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) << 10
