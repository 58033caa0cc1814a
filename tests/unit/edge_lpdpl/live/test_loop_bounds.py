"""The watchdog's truth: no frame, message, request, change or model keeps the loop of the service for a second.

Times are those of the loop's own thread, in which it works: a machine that is busy with something else changes nothing.
"""

import json
import socket
import threading
import time

import pytest
from large_models import large_model
from service_bench import Bench, wait_until
from worst_frames import WORST

from edge_lpdpl.live.frames.frame import EndOfFrames, Frame, FrameSource
from edge_lpdpl.live.service import Service

pytestmark = pytest.mark.slow

LONGEST = 1.0  # seconds


class WorstFrames(FrameSource):
    """Frames of one size in turn, without a pause, until it is closed."""

    name, fault = "worst frames", None

    def __init__(self, frames):
        self.frames = frames
        self.height, self.width = frames[0].shape
        self.taken, self.ends = 0, False

    def take(self):
        if self.ends:
            raise EndOfFrames
        self.taken += 1
        return Frame(self.frames[self.taken % len(self.frames)], self.taken, time.monotonic_ns())

    def close(self):
        self.ends = True


class TimedService(Service):
    """Knows how long its turns took."""

    longest = 0.0

    def _turn(self):
        began = time.thread_time()
        super()._turn()
        self.longest = max(self.longest, time.thread_time() - began)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A service that reads every frame of the worst ones."""
    monkeypatch.setattr("service_bench.Service", TimedService)
    frames = [make() for make in WORST.values()]
    changes = {"trigger": {"kind": "interval", "interval_ms": 40}, "frames": {"height": 480, "width": 640}}
    made = Bench(WorstFrames([one for one in frames if one.shape == (480, 640)]), tmp_path, changes)
    with made.running():
        wait_until(lambda: made.service.statistics.decisions, 60)
        yield made
    assert made.service.longest < LONGEST
    assert made.service.statistics.faults == 0


def frames_more(bench, count):
    """Wait for so many frames more."""
    goal = bench.scenes.taken + count
    wait_until(lambda: bench.scenes.taken >= goal, 120)


def test_frames_full_of_ink(bench):
    frames_more(bench, 2 * len(WORST))


def test_clients_that_flood_dribble_and_read_nothing(bench):
    """64 KB of requests at once, of one line without an end, and a byte at a time."""
    ending = threading.Event()

    def send(data, pause):
        while not ending.is_set():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                client.settimeout(0.5)
                try:
                    client.connect(str(bench.socket))
                    for piece in data:
                        client.sendall(piece)
                        if ending.wait(pause):
                            return
                except OSError:
                    continue

    status = json.dumps({"request": "status"}).encode() + b"\n"
    change = json.dumps({"request": "set", "set": {"trigger.sensitivity": 8}}).encode() + b"\n"
    watch = json.dumps({"request": "watch"}).encode() + b"\n"
    floods = [([status * (65536 // len(status))], 0), ([b"x" * 65536], 0), ([change * 100], 0), ([watch * 100], 0)]
    dribbles = [([bytes([byte]) for byte in status], 0.01)] * 3
    threads = [threading.Thread(target=send, args=one, daemon=True) for one in floods + dribbles]
    for thread in threads:
        thread.start()
    frames_more(bench, 2 * len(WORST))
    ending.set()
    for thread in threads:
        thread.join(10)


def test_a_reload_that_reads_a_large_model(bench, tmp_path):
    large_model(tmp_path / "large.safetensors", rank=500)
    assert (tmp_path / "large.safetensors").stat().st_size > 10 << 20
    bench.file.write_text(bench.file.read_text() + f'[model]\nfile = "{tmp_path / "large.safetensors"}"\n')
    bench.reloader.reload()
    wait_until(lambda: bench.service.statistics.reloads, 120)
    frames_more(bench, len(WORST))
