"""The whole service in this process, on scenes with a known truth, with real publishers and a record of messages."""

import os
import socket
import threading
import time
from contextlib import contextmanager

from moving_scenes import RESTING, MovingScenes

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.journal import Journal
from edge_lpdpl.live.notify import Notifier
from edge_lpdpl.live.publish.publisher import open_publishers
from edge_lpdpl.live.reload import Reloader
from edge_lpdpl.live.service import Service
from edge_lpdpl.live.setup import prepare

SIZE = {"height": 240, "width": 320}


class Remembered:
    """A `Publisher` that keeps every message."""

    name, dropped, broken = "remembered", 0, None

    def __init__(self):
        self.messages = []

    def publish(self, message, line):
        self.messages.append(message)

    def close(self):
        """No-op: nothing was opened."""


class Bench:
    """A service and what it needs. `run` may be called in any thread."""

    def __init__(self, scenes, folder, changes=None, keep=True, environment=None):
        self.scenes, self.folder = scenes, folder
        self.file = folder / "config.toml"
        self.socket = folder / "s"
        self.file.write_text(f'[publish]\nstdout = false\nsocket = "{self.socket}"\n[trigger]\nstill_ms = 0\n')
        self.changes = changes or {}
        config = load_config([self.file], self.changes)
        self.setup = prepare(config, scenes.height, scenes.width)
        self.reloader = Reloader(lambda: [self.file], self.changes, self.setup, scenes.height, scenes.width)
        self.journal = Journal({}, os.open(os.devnull, os.O_WRONLY))
        self.notifier = Notifier(environment or {})
        self.service = Service(self.setup, scenes, self.reloader, self.notifier, self.journal)
        self.remembered = Remembered()
        self._others = [self.remembered] if keep else []

    def add(self, publisher):
        """Add a publisher."""
        self._others.append(publisher)

    def run(self, end=lambda: None):
        """Run until the scenes are over. `end` is called before anything is closed."""
        publishers = [*open_publishers(self.setup.config, self.service.handle), *self._others]
        try:
            self.service.run(publishers)
            end()
        finally:
            for publisher in publishers:
                publisher.close()

    @contextmanager
    def running(self):
        """Run in another thread until the block ends."""
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        end = time.monotonic() + 30
        with socket.socket(socket.AF_UNIX) as caller:  # the file is there a moment before somebody listens
            while caller.connect_ex(str(self.socket)):
                assert time.monotonic() < end
                time.sleep(0.005)
        try:
            yield
        finally:
            self.service.stop()
            thread.join(30)
            assert not thread.is_alive(), "the service is wedged"

    def wrong(self, messages=None):
        """Messages that differ from what was in their frame."""
        return [
            message
            for message in (self.remembered.messages if messages is None else messages)
            if said(message) != truth_of(self.scenes, message)
        ]


def bench_of(tmp_path, scenes=4, values=(5, 9), rate=None, **changes):
    return Bench(MovingScenes(scenes, values, rate=rate, **SIZE), tmp_path, changes)


def still_page(tmp_path, kind, **changes):
    """A bench that sees one number at rest, at 100 frames a second."""
    bench = bench_of(tmp_path, scenes=6, rate=100, trigger={"kind": kind, "interval_ms": 40, **changes})
    bench.scenes.fault = lambda frame: frame._replace(grey=bench.scenes._still[5][0])
    return bench


def wait_until(condition, seconds=20):
    """The first true value of a condition."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)
    return value


def said(message):
    """Values of the accepted numbers of a message."""
    return [number["value"] for number in message["numbers"] if not number["rejected"]]


def truth_of(scenes, message):
    value = scenes.true_value(message["frame"]["sequence"])
    return [] if value is None else [value]


def scenes_decided(messages, scene):
    """Numbers of the scenes that were decided; a scene has `scene` frames."""
    return {message["frame"]["sequence"] // scene for message in messages}


def resources():
    """Bytes in memory, open descriptors and threads of this process."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd")), threading.active_count()


assert RESTING > 5  # else no scene would ever be at rest
