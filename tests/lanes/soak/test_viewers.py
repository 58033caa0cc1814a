"""What viewers cost: the loop with none and with three of them, in turns within one run, and the page's memory.

Turns alternate, so that whatever else the machine does meets both sides. docs/live.md has figures.
"""

import asyncio
import os
import statistics
import time
from pathlib import Path

import numpy as np
import pytest
from aiohttp import ClientSession
from moving_scenes import page
from PIL import Image
from programs import page_of, service_of

from edge_lpdpl.live.client import Client

TIMES_COUNT = os.environ.get("SOAK_TIMES", "1") != "0"
TURNS, SECONDS = 12, 4.0
VIEWERS = 3
MOST_SLOWER = 1.10
MOST_MEMORY = 60 << 10  # KiB
RATE = 30
"""Frames a second, and decisions: every frame shows something else."""


@pytest.fixture
def size():
    """Width and height of the frames."""
    return 640, 480


@pytest.fixture
def service(tmp_path, size):
    """A service that decides about every frame."""
    pictures, (width, height) = tmp_path / "pictures", size
    pictures.mkdir()
    random = np.random.default_rng(0)
    for place, value in enumerate((5, 54, 7, 3)):
        grey = page(value, height, width) + random.normal(0, 2, (height, width))
        Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).save(pictures / f"{place}.png")
    each = [f"frames.width={width}", f"frames.height={height}"]
    each += [f"frames.picture_ms={1000 // RATE}", "trigger.kind=interval", f"trigger.interval_ms={1000 // RATE + 1}"]
    with service_of(tmp_path, pictures, *each) as service:
        yield service


@pytest.fixture
def web(service, tmp_path):
    """The page of the service."""
    with page_of(tmp_path, service) as web:
        yield web


def status(service):
    with Client(service.socket) as client:
        return client.ask({"request": "status"}, 30)["status"]


def decisions(service, seconds):
    """Microseconds of the decisions that come in so many seconds."""
    end, took = time.monotonic() + seconds, []
    with Client(service.socket) as client:
        for message in client.lines(seconds + 20):
            if "numbers" in message:
                took.append(message["timing_us"]["total"])
            if time.monotonic() > end:
                return took[1:]  # the first is the one that stands
    return took


async def watched(address, work):
    """Do something in a thread while three viewers look; returns its result and their frames."""
    frames = [0] * VIEWERS
    ready = asyncio.Event()

    async def look(session, viewer):
        async with session.ws_connect(f"{address}live", headers={"Origin": address.rstrip("/")}) as live:
            async for message in live:
                frames[viewer] += isinstance(message.data, bytes)
                if all(frames):
                    ready.set()

    async with ClientSession() as session:
        viewers = [asyncio.create_task(look(session, viewer)) for viewer in range(VIEWERS)]
        await asyncio.wait_for(ready.wait(), 20)
        frames[:] = [0] * VIEWERS
        result = await asyncio.to_thread(work)
        for viewer in viewers:
            viewer.cancel()
        await asyncio.gather(*viewers, return_exceptions=True)
    return result, frames


def memory(program):
    """KiB that a process takes, and took at most."""
    lines = Path(f"/proc/{program.process.pid}/status").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return sizes["VmRSS"], sizes["VmHWM"]


def test_three_viewers_cost_the_loop_little_and_no_frame(service, web, report):
    alone, looked_at, shown = [], [], []
    before = status(service)
    for turn in range(2 * TURNS):
        if turn % 2:
            took, frames = asyncio.run(watched(web.address, lambda: decisions(service, SECONDS)))
            looked_at.append(took)
            shown += frames
        else:
            alone.append(decisions(service, SECONDS))
    after = status(service)
    now, most = memory(web)
    p99 = [[float(np.percentile(took, 99)) for took in side] for side in (alone, looked_at)]
    ratio = statistics.median(b / a for a, b in zip(*p99, strict=True))
    pooled = [float(np.percentile(np.concatenate(side), 99)) for side in (alone, looked_at)]
    found = {
        "decisions": [sum(map(len, side)) for side in (alone, looked_at)],
        "p99_us": [round(one) for one in pooled],
        "p50_us": [round(float(np.percentile(np.concatenate(side), 50))) for side in (alone, looked_at)],
        "ratio_of_turns": round(ratio, 3),
        "frames_a_second_of_a_viewer": round(statistics.mean(shown) / SECONDS, 1),
        "stale": after["stale"] - before["stale"],
        "dropped": after["dropped"],
        "page_kib": {"now": now, "most": most},
    }
    report("viewers", found)
    assert after["stale"] == before["stale"]
    assert set(after["dropped"].values()) == {0}
    assert not TIMES_COUNT or ratio <= MOST_SLOWER
    assert most <= MOST_MEMORY


@pytest.mark.parametrize("size", [(1440, 1080)])
def test_large_frames_do_not_stay_in_the_memory_of_the_page(service, web, report):
    _, shown = asyncio.run(watched(web.address, lambda: decisions(service, 3 * SECONDS)))
    now, most = memory(web)
    report("large frames", {"page_kib": {"now": now, "most": most}, "frames": shown})
    assert min(shown) > SECONDS
    assert most <= MOST_MEMORY
