"""Limits of the live service over long runs. SOAK_FRAMES, SOAK_FAULTS and SOAK_SECONDS set the sizes.

Figures are printed and written to soak.json in the current folder. Limits of time hold for a core that has nothing
else to do; SOAK_TIMES=0 prints the times without checking them.
"""

import os

from endurance import endure, keep_pace, survive

from edge_lpdpl.files.text import Progress

FRAMES = int(os.environ.get("SOAK_FRAMES", "200000"))
FAULTS = int(os.environ.get("SOAK_FAULTS", "1000"))
SECONDS = int(os.environ.get("SOAK_SECONDS", "240"))
TIMES_COUNT = os.environ.get("SOAK_TIMES", "1") != "0"
MOST_GROWTH = 2_000_000  # bytes
MOST_P99_US = 3000
MOST_SHARE = 0.15  # of one core, at 30 frames a second


def test_frames_without_end_leave_nothing_behind(tmp_path, report):
    with Progress("frames") as progress:
        result = endure(tmp_path, FRAMES, progress)
    report("endurance", result)
    assert result["frames"] >= FRAMES
    assert result["decisions"] == result["scenes"]
    assert result["wrong"] == 0
    assert result["memory_grown_bytes"] < MOST_GROWTH
    assert result["descriptors_leaked"] <= 0
    assert result["threads_leaked"] <= 0
    assert not TIMES_COUNT or result["p99_us"] <= MOST_P99_US


def test_faults_without_end_wedge_nothing_and_say_nothing_wrong(tmp_path, report):
    with Progress("faults") as progress:
        result = survive(tmp_path, FAULTS, progress=progress)
    report("faults", result)
    assert result["faults"] == FAULTS
    assert result["wrong"] == 0
    assert result["undecided_after_a_fault"] == 0
    assert result["descriptors_leaked"] <= 0


def test_thirty_frames_a_second_are_held_with_little_of_a_core(tmp_path, report):
    result = keep_pace(tmp_path, SECONDS)
    report("pace", result)
    assert result["wrong"] == 0
    assert result["frames_a_second"] > 29
    assert result["core_share"] < MOST_SHARE
    assert not TIMES_COUNT or result["p99_us"] <= MOST_P99_US
