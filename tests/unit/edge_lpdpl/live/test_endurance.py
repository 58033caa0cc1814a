"""The whole service for a while: no growth, no hang, no wrong decision. tests/lanes/soak runs it for longer."""

import pytest
from endurance import endure, keep_pace, survive

pytestmark = pytest.mark.slow


def test_nothing_grows_and_every_scene_is_read_once_and_rightly(tmp_path):
    result = endure(tmp_path, frames=3_000)
    assert result["wrong"] == 0
    assert result["decisions"] == result["scenes"]
    assert result["descriptors_leaked"] == 0
    assert result["threads_leaked"] == 0


def test_faults_wedge_nothing_and_nothing_wrong_is_published(tmp_path):
    result = survive(tmp_path, faults=60)
    assert result["wrong"] == 0
    assert result["undecided_after_a_fault"] == 0
    assert result["descriptors_leaked"] == 0


def test_frames_are_taken_at_their_rate(tmp_path):
    result = keep_pace(tmp_path, seconds=6.0)
    assert result["decisions"] > 0
    assert result["core_share"] < 0.15  # processor time, which depends little on other processes
