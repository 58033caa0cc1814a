"""The service keeps decisions in its log: many at once, in a thread, and nothing that fails there reaches the loop."""

import sqlite3
import threading
import time

import numpy as np
import pytest
from service_bench import bench_of, wait_until

from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.log import keeping
from edge_lpdpl.live.log.database import LogDatabase
from edge_lpdpl.live.log.keeping import LogPublisher, crop_of
from edge_lpdpl.live.log.reading import read_log
from edge_lpdpl.live.publish.message import as_line

pytestmark = pytest.mark.slow

GREY = np.arange(240 * 320, dtype=np.uint32).astype(np.uint8).reshape(240, 320)


def decision(value, *, rejected=False, box=(90, 60, 80, 40)):
    numbers = [{"text": str(value), "value": value, "rejected": rejected, "box": list(box)}]
    return {"time": "2026-11-20T10:15:00.000Z", "numbers": numbers}


def settings(path, **changes):
    changes = {"file": str(path), "write_s": 0.1} | changes
    return load_config((), {"log": changes}).log


@pytest.fixture
def path(tmp_path):
    return tmp_path / "decisions.sqlite"


@pytest.fixture
def log(path):
    """A function that opens a log; `log.said` is what it complained about."""
    opened = []

    def open_log(**changes):
        opened.append(LogPublisher(settings(path, **changes), open_log.said.append))
        return opened[-1]

    open_log.said = []
    yield open_log
    for one in opened:
        one.close()


def show(publisher, *messages, grey=GREY):
    """As the service does."""
    for message in messages:
        publisher.publish(message, as_line(message))
        publisher.see(message, grey)


def values(path):
    return [kept.message["numbers"][0]["value"] for kept in read_log(path)]


def test_decisions_are_kept_in_their_order_and_those_that_wait_are_written_at_the_end(log, path):
    publisher = log(write_s=3600.0)
    show(publisher, *map(decision, range(20)))
    assert not path.exists()
    publisher.close()
    assert values(path) == list(range(20))
    assert publisher.dropped == 0


def test_decisions_of_a_while_are_one_batch(log, path, monkeypatch):
    batches = []
    add = LogDatabase.add
    monkeypatch.setattr(LogDatabase, "add", lambda self, batch: batches.append(len(batch)) or add(self, batch))
    publisher = log(write_s=0.5)
    for value in range(20):
        show(publisher, decision(value))
        time.sleep(0.005)
    wait_until(lambda: batches)
    assert batches == [20]


def test_a_megabyte_does_not_wait(log, path, monkeypatch):
    publisher = log(write_s=3600.0, crops="all")
    wide = decision(1, box=(0, 0, 320, 240))
    show(publisher, *[wide] * 20)
    wait_until(lambda: path.exists() and values(path))


@pytest.mark.parametrize(
    ("crops", "kept"), [("off", [False, False]), ("doubtful", [False, True]), ("all", [True, True])]
)
def test_crops_are_kept_as_wanted(log, path, crops, kept):
    publisher = log(crops=crops)
    show(publisher, decision(1), decision(2, rejected=True))
    publisher.close()
    read = list(read_log(path))
    assert [one.crop is not None for one in read] == kept
    for height, width, pixels in filter(None, (one.crop for one in read)):
        assert np.array_equal(np.frombuffer(pixels, np.uint8).reshape(height, width), GREY[52:108, 82:178])


def test_a_crop_is_a_copy_of_the_part_with_all_numbers():
    message = decision(1)
    message["numbers"] += decision(2, box=(10, 200, 30, 39))["numbers"]
    grey = GREY.copy()
    crop = crop_of(message, grey)
    grey[:] = 0
    assert np.array_equal(crop, GREY[52:240, 2:178])


def test_a_large_crop_is_thinned_out():
    message = decision(1, box=(0, 0, 1920, 1080))
    assert max(crop_of(message, np.zeros((1080, 1920), np.uint8)).shape) <= keeping.LONGEST_SIDE


def test_without_numbers_there_is_no_crop(log, path):
    publisher = log(crops="all")
    show(publisher, decision(1) | {"numbers": []})
    publisher.close()
    assert [one.crop for one in read_log(path)] == [None]


class TestWhatFails:
    def test_while_the_file_is_locked_the_loop_goes_on_and_memory_is_bounded(self, log, path):
        publisher = log(crops="all", write_s=0.1)
        show(publisher, decision(0))
        wait_until(lambda: path.exists() and values(path))
        with sqlite3.connect(path, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            wide = decision(1, box=(0, 0, 320, 240))
            start = time.perf_counter()
            show(publisher, *[wide] * 200)
            assert time.perf_counter() - start < 2  # the lock is waited for 5 s
            assert publisher._bytes <= keeping.MOST_WAITING
            assert publisher.dropped > 100
            other.execute("ROLLBACK")
        wait_until(lambda: len(values(path)) > 10)

    def test_a_damaged_file_is_said_counted_and_the_service_goes_on(self, path, tmp_path):
        path.write_bytes(b"this was a database once " * 999)
        bench = bench_of(tmp_path, scenes=100_000, rate=500, log={"file": str(path), "write_s": 0.1})
        with bench.running():
            wait_until(lambda: bench.service.status()["dropped"].get("log", 0) > 2)
            seen = len(bench.remembered.messages)
            wait_until(lambda: len(bench.remembered.messages) > seen + 5)
        assert not bench.wrong()

    def test_the_complaint_names_the_file_and_the_fault(self, log, path):
        path.mkdir()
        publisher = log()
        show(publisher, decision(1))
        said = wait_until(lambda: log.said)
        assert said[0].startswith(f"log: decisions are not kept: {path}: ")
        assert publisher.dropped == 1
        path.rmdir()
        show(publisher, decision(2))
        publisher.close()
        assert values(path) == [2]


def test_the_log_of_the_service_holds_what_was_published_while_somebody_reads(tmp_path, path):
    bench = bench_of(tmp_path, scenes=40, rate=500, log={"file": str(path), "write_s": 0.1, "crops": "all"})
    stop, counts = threading.Event(), []

    def read():
        while not stop.wait(0.01):
            counts.append(len(list(read_log(path))) if path.exists() and path.stat().st_size else 0)

    reader = threading.Thread(target=read)
    reader.start()
    bench.run()
    stop.set()
    reader.join()
    assert [kept.message for kept in read_log(path)] == bench.remembered.messages
    assert counts == sorted(counts)


def test_by_default_nothing_is_kept():
    assert load_config(()).log.file == ""
