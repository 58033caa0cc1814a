"""`edge-lpdpl run --frames -` behind a real ffmpeg: a video file, MJPEG over HTTP, RTSP, as docs/live.md shows."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest
from model_service import VALUES, page
from PIL import Image
from project import PROJECT

RATE, SECONDS = 25, 1.2
TO_STANDARD_INPUT = "-f yuv4mpegpipe -pix_fmt gray -"
RUN = [sys.executable, "-c", "import sys; from edge_lpdpl.commands.main import main; sys.exit(main())", "run"]
SETTINGS = ["--frames", "-", "--set", "publish.socket="]


def ffmpeg(order, **options):
    command = ["ffmpeg", "-loglevel", "error", "-nostdin", *shlex.split(order)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **options)


@pytest.fixture(scope="module", autouse=True)
def there_is_ffmpeg():
    assert shutil.which("ffmpeg"), "setup.sh of this lane installs it"


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """An MPEG-4 file in which pages with 5, 9 and 3 are shown in turn."""
    folder = tmp_path_factory.mktemp("video")
    for number, value in enumerate(VALUES):
        Image.fromarray(page(value, (640, 480))).save(folder / f"{number}.png")
    order = f"-framerate 1/{SECONDS} -i {folder}/%d.png -r {RATE} -c:v mpeg4 -q:v 2 -pix_fmt yuv420p {folder}/cards.mp4"
    made = ffmpeg(order)
    assert made.wait(60) == 0, made.stderr.read()
    return folder / "cards.mp4"


def read_by(order):
    """Accepted values and all messages of the service behind `ffmpeg ORDER`, and the exit statuses of both."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT), *sys.path])}
    sender = ffmpeg(order, stdout=subprocess.PIPE)
    service = subprocess.run(
        [*RUN, *SETTINGS], stdin=sender.stdout, capture_output=True, env=environment, timeout=120, check=False
    )
    sender.stdout.close()
    messages = [json.loads(line) for line in service.stdout.splitlines()]
    values = [one["value"] for message in messages for one in message["numbers"] if not one["rejected"]]
    return values, messages, (sender.wait(20), service.returncode, service.stderr.decode())


@contextmanager
def sending(order):
    sender = ffmpeg(order)
    yield
    sender.kill()
    sender.communicate()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_a_video_file_is_read_to_its_end(video):
    values, messages, (sent, status, told) = read_by(f"-i {video} {TO_STANDARD_INPUT}")
    assert values == list(VALUES)
    assert (sent, status) == (0, 0)
    assert "reading standard input with chinese15" in told
    assert "standard input: that was the last frame" in told
    assert {message["file"] for message in messages} == {None}


@pytest.mark.parametrize("colours", ["yuv420p", "yuv422p", "yuv444p", "yuv411p"])
def test_colours_need_not_be_taken_out_and_frames_may_be_scaled(video, colours):
    values, *_ = read_by(f"-i {video} -vf scale=480:-2 -f yuv4mpegpipe -pix_fmt {colours} -")
    assert values == list(VALUES)


def test_an_mjpeg_camera_in_the_network(video):
    port = free_port()
    with sending(f"-re -i {video} -c:v mjpeg -q:v 2 -f mpjpeg -listen 1 http://127.0.0.1:{port}/"):
        order = f"-reconnect_on_network_error 1 -f mpjpeg -i http://127.0.0.1:{port}/ -r {RATE} {TO_STANDARD_INPUT}"
        values, _, (_, status, told) = read_by(order)
    assert values == list(VALUES), told
    assert status == 0


def test_an_rtsp_camera(video):
    """ffmpeg is no RTSP server, so the camera calls; the frames come over RTSP all the same."""
    port = free_port()
    address = f"rtsp://127.0.0.1:{port}/cards"
    shell = (
        f"until ffmpeg -loglevel quiet -nostdin -re -i {video} -c:v mpeg4 -q:v 2 -f rtsp -rtsp_transport tcp {address}"
    )
    camera = subprocess.Popen(["sh", "-c", f"{shell}; do sleep 0.2; done"])
    try:
        values, _, (_, _, told) = read_by(f"-rtsp_flags listen -i {address} {TO_STANDARD_INPUT}")
    finally:
        camera.kill()
        camera.wait()
    assert values == list(VALUES), told


def test_a_sender_that_fails_is_told_apart_from_the_end_of_a_video():
    values, _, (sent, status, told) = read_by(f"-i none.mp4 {TO_STANDARD_INPUT}")
    assert values == []
    assert sent != 0
    assert status == 2
    assert told == "edge-lpdpl: standard input: ends before a video begins; look at what the sender says\n"


def test_sixteen_bits_are_refused_with_what_to_do(video):
    _, _, (_, status, told) = read_by(f"-i {video} -f yuv4mpegpipe -strict -1 -pix_fmt gray16 -")
    assert status == 2
    assert "has colours 'mono16', which are not read; send it with ffmpeg -i INPUT -f yuv4mpegpipe" in told


def test_a_video_becomes_a_recording(video, tmp_path):
    sender = ffmpeg(f"-i {video} {TO_STANDARD_INPUT}", stdout=subprocess.PIPE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT), *sys.path])}
    order = [*RUN[:-1], "record", str(tmp_path / "cards.npy"), "--count", "20", *SETTINGS, "--json"]
    made = subprocess.run(order, stdin=sender.stdout, capture_output=True, env=environment, timeout=60, check=True)
    sender.stdout.close()
    sender.communicate()
    assert json.loads(made.stdout)["frames"] == 20
