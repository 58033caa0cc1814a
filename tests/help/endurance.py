"""Endurance runs of the service: many frames, many faults, a steady rate. Each returns figures ready for JSON."""

import gc
import resource
import time

import numpy as np
from moving_scenes import SCENE, VALUES, MovingScenes
from service_bench import Bench, resources, said, truth_of
from service_faults import Faults

from edge_lpdpl.live.client import Client

WARM_UP = 0.1  # share of the frames after which memory has settled
_PATIENCE = 20.0  # seconds to decide one scene, on a busy machine


class Checker:
    """A `Publisher` that compares every decision with the truth and keeps none of them."""

    name, dropped, broken = "checker", 0, None

    def __init__(self, scenes):
        self._scenes = scenes
        self.decisions = self.wrong = 0
        self.first_wrong = None
        # Small enough that NumPy asks for no huge page, which would come later and look like growth.
        self.totals_us = np.zeros(1 << 17, np.float32)
        self.last = None

    def publish(self, message, line):
        self.totals_us[self.decisions % len(self.totals_us)] = message["timing_us"]["total"]
        self.decisions += 1
        self.last = message
        if said(message) != truth_of(self._scenes, message):
            self.wrong += 1
            self.first_wrong = self.first_wrong or message

    def close(self):
        """No-op: nothing was opened."""

    def percentile_us(self, share):
        """Percentiles of the times from trigger to message."""
        return round(float(np.percentile(self.totals_us[: self.decisions], share)), 1) if self.decisions else None


def endure(folder, frames, progress=lambda share: None):
    """Read many frames as fast as possible, with a client that listens, and measure what grew."""
    scenes = MovingScenes(-(-frames // SCENE))
    bench = Bench(scenes, folder, keep=False)
    checker = Checker(scenes)
    bench.add(checker)
    settled = []

    def measure(frame):
        if frame.sequence == int(WARM_UP * frames):
            gc.collect()
            settled.append(resources())
        if frame.sequence % 1000 == 0:
            progress(frame.sequence / frames)
        return frame

    scenes.fault = measure
    start = time.monotonic()
    bench.run(end=lambda: settled.append(resources()))
    before, after = settled
    return {
        "frames": bench.service.statistics.frames,
        "seconds": round(time.monotonic() - start, 1),
        "scenes": len(scenes.truth),
        "decisions": checker.decisions,
        "wrong": checker.wrong,
        "first_wrong": checker.first_wrong,
        "p50_us": checker.percentile_us(50),
        "p99_us": checker.percentile_us(99),
        "max_us": checker.percentile_us(100),
        "memory_grown_bytes": after[0] - before[0],
        "descriptors_leaked": after[1] - before[1],
        "threads_leaked": after[2] - before[2],
    }


def survive(folder, faults, seed=0, progress=lambda share: None):
    """Inject many random faults, each while a scene is in view. The next scene must be decided rightly."""
    scenes = MovingScenes(1_000_000, values=(*VALUES, None), rate=1000, seed=seed)
    bench = Bench(scenes, folder, keep=False)
    checker = Checker(scenes)
    bench.add(checker)
    undecided, before = 0, resources()
    with bench.running():
        injected = Faults(bench, seed)
        _wait_for_decision(checker, scenes)
        for number in range(faults):
            name = injected.inject()
            if not _wait_for_decision(checker, scenes):
                undecided += 1
                print(f"undecided after {name}")
            progress((number + 1) / faults)
        injected.close()
        with Client(bench.socket) as client:
            status = client.ask({"request": "status"})["status"]
    gc.collect()
    return {
        "faults": sum(injected.injected.values()),
        "by_kind": injected.injected,
        "decisions": checker.decisions,
        "wrong": checker.wrong,
        "first_wrong": checker.first_wrong,
        "undecided_after_a_fault": undecided,
        "descriptors_leaked": resources()[1] - before[1],
        "status": status,
    }


def keep_pace(folder, seconds, rate=30):
    """Keep a steady rate, and measure the share of a core and the time from trigger to message."""
    scenes = MovingScenes(int(seconds * rate) // SCENE + 1, rate=rate)
    bench = Bench(scenes, folder, {"trigger": {"still_ms": 100}}, keep=False)
    checker = Checker(scenes)
    bench.add(checker)
    start, used = time.monotonic(), _processor_seconds()
    bench.run()
    taken = time.monotonic() - start
    return {
        "frames": bench.service.statistics.frames,
        "frames_missed": scenes.missed,
        "frames_a_second": round(bench.service.statistics.frames / taken, 2),
        "core_share": round((_processor_seconds() - used) / taken, 4),
        "decisions": checker.decisions,
        "wrong": checker.wrong,
        "p50_us": checker.percentile_us(50),
        "p99_us": checker.percentile_us(99),
    }


def _wait_for_decision(checker, scenes):
    """Wait until a scene that begins after now is decided. Returns whether that came in time."""
    wanted = scenes.scene + 1
    end = time.monotonic() + _PATIENCE
    while checker.last is None or checker.last["frame"]["sequence"] // SCENE < wanted:
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def _processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
