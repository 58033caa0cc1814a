"""Measures a Raspberry Pi: `pytest -m device` takes a quarter of an hour and writes `device-report.json`.

On any other machine, and in `make test`, it only checks the measuring with a few pictures.
"""

import json
import platform

import pytest

from edge_lpdpl.commands.main import main
from edge_lpdpl.measure import report as device
from edge_lpdpl.measure.timing import PERCENTILES
from edge_lpdpl.numeral.engine import STAGES

pytestmark = pytest.mark.device


@pytest.fixture(scope="module")
def effort(request) -> device.Effort:
    asked = request.config.option.markexpr == "device"
    return device.FULL if asked and device.is_raspberry_pi() else device.CHECK


@pytest.fixture(scope="module")
def report(effort, request, tmp_path_factory) -> dict:
    """The report that the command writes."""
    folder = request.config.rootpath if effort == device.FULL else tmp_path_factory.mktemp("device")
    file = folder / "device-report.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "is_raspberry_pi", lambda: effort == device.FULL)
        assert main(["bench", "--device-report", str(file)]) == 0
    return json.loads(file.read_text())


def test_says_what_it_is_and_how_much_was_measured(report, effort):
    assert (report["kind"], report["schema"]) == (device.KIND, device.SCHEMA)
    assert report["complete"] == (effort == device.FULL)
    assert report["effort"] == effort._asdict()
    assert report["machine"]["arch"] == platform.machine()


def test_every_stage_and_the_whole_have_their_percentiles(report, effort):
    pictures = report["pictures"]
    assert pictures["pictures"] == effort.pictures
    assert list(pictures["stages"]) == list(STAGES)
    for figures in [*pictures["stages"].values(), pictures["total"], report["frames"]["page"]]:
        assert list(figures) == list(PERCENTILES)
        values = list(figures.values())
        assert values[0] > 0
        assert values == sorted(values)


def test_frames_are_read_from_the_camera_or_say_why_not(report, effort):
    frames = report["frames"]
    assert frames["frames"] == effort.frames
    if frames["source"] == "camera":
        assert frames["exposure_to_decision"]["p50_us"] > frames["page"]["p50_us"]
    else:
        assert "no camera" in frames["source"]
        assert frames["numerals"] == 1, "the drawn sheet holds one"


def test_starts_are_told_apart(report, effort):
    for starts in report["starts"].values():
        warm = starts["warm"]
        parts = ("interpreter_s", "import_s", "load_s", "first_decision_s")
        assert warm["total_s"] == pytest.approx(sum(warm[part] for part in parts), abs=0.01)
        assert warm["peak_bytes"] > 1 << 20
        assert (starts["compile"] is not None) == effort.thorough
    assert report["starts"].keys() == {report["backend"], "numpy"}


def test_heat_is_looked_at_again_and_again(report, effort):
    heat = report["heat"]
    assert heat["seconds"] >= effort.seconds
    assert len(heat["windows"]) >= 2
    assert all(window["decisions"] > 0 for window in heat["windows"])


def test_the_state_is_noted_before_and_after(report):
    expected = {"celsius", "megahertz", "most_megahertz", "governors", "load", "throttled"}
    assert report["before"].keys() == report["after"].keys() == expected
    assert "core" in report["core"]


@pytest.mark.skipif(not device.is_raspberry_pi(), reason="a budget is for the device that it was made for")
def test_the_budget_is_met(report):
    assert report["budget"]["within"], report["budget"]


def test_a_file_name_cannot_steer_the_terminal(report):
    told = device.summary(report, "report\x1b[2J.json")
    assert "\nwritten to 'report\\x1b[2J.json'" in told
    assert told.replace("\n", "").isprintable()
