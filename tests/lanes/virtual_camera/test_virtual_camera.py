"""The service on the real picamera2 and the real libcamera, whose virtual camera shows the project's scenes."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from camera_root import HERE, camera_root, inside
from debian import LaneError
from PIL import Image

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.number.reader import PageReader
from train_host.datasets.bundled import synthesise_dataset
from train_host.scenes.compose import make_scene
from train_host.scenes.inks import Inks
from train_host.scenes.options import SceneOptions

PROJECT = HERE.parents[2]
SCENES = 6
TURNS = 5
"""Copies of each scene, because the virtual camera advances every few frames."""
SECONDS = 16
SETTINGS = ["model.backend=numpy", "trigger.still_ms=40", "publish.socket="]


@pytest.fixture(scope="module")
def root() -> Path:
    try:
        return camera_root()
    except LaneError as error:
        pytest.fail(str(error))


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A folder of scenes in the virtual camera's format."""
    folder = tmp_path_factory.mktemp("frames")
    inks = Inks(synthesise_dataset("writers=2,samples=2,script=chinese"))
    for number in range(SCENES):
        scene = Image.fromarray(make_scene(inks, SceneOptions(), number).picture)
        for turn in range(TURNS):
            scene.save(folder / f"{number * TURNS + turn}.jpg", quality=95)
    return folder


def run(root, shown, *arguments, settings=(), seconds=SECONDS, with_camera=True):
    """Run `edge-lpdpl run` in the root for a while. Returns exit status, messages and standard error."""
    binds = {PROJECT: "/opt/project", shown: "/opt/frames"}
    if with_camera:
        binds[HERE / "virtual.yaml"] = "/usr/share/libcamera/pipeline/virtual/virtual.yaml"
    changes = [word for setting in [*SETTINGS, *settings] for word in ("--set", setting)]
    program = ["/opt/camera/bin/python", "/opt/project/tests/lanes/virtual_camera/virtual_service.py", "run"]
    stopped = ["timeout", "--preserve-status", "--signal=TERM", str(seconds)]
    variables = {"PYTHONPATH": "/opt/project", "LD_PRELOAD": "/opt/memfd_heap.so", "PYTHONDONTWRITEBYTECODE": "1"}
    command = inside(root, *stopped, *program, *changes, *arguments, binds=binds, **variables)
    done = subprocess.run(command, capture_output=True, timeout=seconds + 60, stdin=subprocess.DEVNULL)
    lines = [line for line in done.stdout.decode().splitlines() if line.startswith("{")]
    return done.returncode, [json.loads(line) for line in lines], done.stderr.decode()


def texts(message):
    return tuple(number["text"] for number in message["numbers"])


def test_scenes_before_the_camera_are_decided_as_their_pictures_are(root, shown):
    """Through the sensor's path (NV12, stride, libcamera, picamera2), with Debian's Python and NumPy."""
    status, messages, said = run(root, shown)
    assert status == 0, said
    assert len(messages) > SCENES
    reader = PageReader(Recogniser.load(shipped_model("chinese15"), "numpy"), 480, 640)
    wanted = []
    for number in range(SCENES):
        reading = reader.read(np.asarray(Image.open(shown / f"{number * TURNS}.jpg").convert("L")))
        wanted.append(tuple(one.text for one in reading.numbers))
    decided = {texts(message) for message in messages}
    assert decided == set(wanted)
    assert sum(map(len, wanted)) >= SCENES - 1  # else there would be nothing to compare
    assert all(0 <= message["frame"]["age_ms"] < 250 for message in messages)


def test_a_size_that_the_camera_has_not_is_named(root, shown):
    """libcamera silently takes another size."""
    status, messages, said = run(root, shown, settings=["frames.width=320", "frames.height=240"], seconds=30)
    assert (status, messages) == (3, [])
    assert "gives 1280x960 NV12, not 320x240 YUV420; set frames.width and frames.height to that" in said


def test_without_a_camera_it_ends_and_says_what_to_do(root, shown):
    status, messages, said = run(root, shown, with_camera=False, seconds=30)
    assert (status, messages) == (3, [])
    assert "there is no camera: check its cable" in said


def test_another_camera_than_there_is(root, shown):
    status, _, said = run(root, shown, settings=["camera.number=2"], seconds=30)
    assert status == 3
    assert "camera 2 cannot be opened (No camera number 2 found" in said
