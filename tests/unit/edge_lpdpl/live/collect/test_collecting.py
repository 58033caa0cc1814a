"""The service collects what is wanted, never in the loop's time, and clients label it and take it along."""

import io
import threading
import time

import numpy as np
import pytest
from PIL import Image
from service_bench import bench_of, wait_until

from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ServiceError
from edge_lpdpl.live.client import Client
from edge_lpdpl.live.collect import collecting as collecting_module
from edge_lpdpl.live.collect.collecting import Collecting, wanted
from edge_lpdpl.live.collect.store import CollectStore
from edge_lpdpl.live.config.sections import CollectConfig
from train_host.datasets import open_dataset

pytestmark = pytest.mark.slow

SURE = {"label": "五", "confidence": 0.999, "rejected": False}
UNSURE = {"label": "七", "confidence": 0.842, "rejected": True}
MESSAGE = {
    "time": "2023-11-14T22:13:20.000Z",
    "numerals": [SURE, UNSURE, SURE],
    "numbers": [{"rejected": True, "numerals": [0, 1]}, {"rejected": False, "numerals": [2]}],
}
PICTURE = np.full((20, 12), 200, np.uint8)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COLLECT_DIRECTORY", str(tmp_path / "collected"))
    return tmp_path / "collected"


@pytest.fixture
def bench(tmp_path):
    """A service that collects everything."""
    bench = bench_of(tmp_path, scenes=100_000, rate=200, collect={"what": "all"})
    with bench.running():
        yield bench


def asked(collecting, **request):
    answers = []
    collecting.tell(request, lambda answer, data=b"": answers.append((answer, data)))
    return answers[0]


def collecting_of(what, complain=lambda text: None):
    return Collecting(CollectConfig(what, quota_mb=1, days=100_000), complain)


@pytest.mark.parametrize(("what", "places"), [("all", [0, 1, 2]), ("doubtful", [0, 1])])
def test_what_is_wanted_is_collected_with_what_was_read(what, places):
    assert [place for place, _ in wanted(MESSAGE, what)] == places
    collecting = collecting_of(what)
    collecting.offer(MESSAGE, [PICTURE] * 3)
    collecting.close()
    answer, data = asked(collecting)
    assert [(one["read"], one["doubt"]) for one in answer["collected"]][:2] == [("七", 1158), ("五", 1)]
    first = Image.open(io.BytesIO(data[: answer["collected"][0]["length"]]))
    assert np.array_equal(np.asarray(first), PICTURE)


def test_off_collects_nothing_and_starts_no_thread(folder):
    before = threading.active_count()
    collecting = collecting_of("off")
    collecting.offer(MESSAGE, [PICTURE] * 3)
    assert threading.active_count() == before
    assert not folder.exists()
    assert collecting.status() == {"what": "off", "dropped": 0, "pictures": 0, "labelled": 0, "size": 0}


def test_the_loop_waits_for_no_disk_and_memory_is_bounded(monkeypatch):
    collecting, go = collecting_of("all"), threading.Event()
    store = collecting._store()
    monkeypatch.setattr(store, "add", lambda new: go.wait(30))
    large = np.zeros((1000, 1000), np.uint8)
    for _ in range(10):
        collecting.offer(MESSAGE, [large] * 3)  # the disk takes the first, and one waits
    assert collecting.status()["dropped"] >= 3 * 8
    go.set()
    collecting.close()


def test_after_a_slow_disk_everything_is_collected_again(monkeypatch):
    collecting, go = collecting_of("all"), threading.Event()
    store, large = collecting._store(), np.zeros((100, 100), np.uint8)  # 200 decisions are 6 MB
    with monkeypatch.context() as slow:
        slow.setattr(store, "add", lambda new: go.wait(30))
        for _ in range(200):
            collecting.offer(MESSAGE, [large] * 3)
        dropped = collecting.status()["dropped"]
        assert dropped == 3 * (200 - 64)  # as many wait as the thread has written or still holds
        go.set()
        wait_until(lambda: collecting._waiting == 0)
    collecting.offer(MESSAGE, [large] * 3)
    collecting.close()
    assert collecting.status()["dropped"] == dropped
    assert collecting.status()["pictures"] == 3


def test_the_loop_does_not_wait_while_the_folder_is_looked_through(monkeypatch):
    collecting, go = collecting_of("all"), threading.Event()
    monkeypatch.setattr(collecting_module, "CollectStore", lambda *given: go.wait(30) and CollectStore(*given))
    collecting.offer(MESSAGE, [PICTURE] * 3)  # its thread makes the store
    wait_until(collecting._making.locked)
    start = time.monotonic()
    collecting.offer(MESSAGE, [PICTURE] * 3)
    assert time.monotonic() - start < 5
    go.set()
    collecting.close()


def test_where_nothing_was_ever_collected_no_folder_is_looked_through(monkeypatch):
    monkeypatch.setattr(collecting_module, "CollectStore", lambda *given: pytest.fail("it was"))
    assert collecting_of("off").status()["pictures"] == 0


def test_what_was_collected_is_still_told_once_it_is_switched_off():
    before = collecting_of("all")
    before.offer(MESSAGE, [PICTURE] * 3)
    before.close()
    assert collecting_of("off").status()["pictures"] == 3


def test_a_full_disk_is_said_and_counted(folder):
    folder.write_text("no folder")
    said = []
    collecting = collecting_of("all", said.append)
    collecting.offer(MESSAGE, [PICTURE] * 3)
    collecting.close()
    assert collecting.status()["dropped"] == 3
    assert "cannot be written" in said[0]


def test_a_person_labels_what_was_collected_and_trains_with_it(bench, tmp_path, capsys):
    with Client(bench.socket) as client:
        wait_until(lambda: client.ask({"request": "settings"})["collect"]["pictures"] >= 3)
        told = client.ask({"request": "collected"})
        assert len(client.data) == sum(one["length"] for one in told["collected"])
        first, second, third = told["collected"][:3]
        for one, label in ((first, "五"), (second, "九"), (third, "亿")):
            client.ask({"request": "label", "picture": one["picture"], "label": label})
        client.ask({"request": "label", "picture": third["picture"], "label": None})
        assert client.ask({"request": "discard", "picture": third["picture"]})["labelled"] == 2
    exported, socket = tmp_path / "exported", ("--socket", str(bench.socket))
    assert main(["collect", "export", str(exported), *socket]) == 0
    assert "五 (1)" in capsys.readouterr().out
    assert len(open_dataset(str(exported)).images) == 2
    assert main(["collect", "export", str(exported), *socket]) == 2
    assert "is not overwritten" in capsys.readouterr().err
    assert main(["collect", "show", "--json", *socket]) == 0
    assert '"labelled": 2' in capsys.readouterr().out
    assert main(["collect", "clear", *socket]) == 0


def test_without_a_label_there_is_nothing_to_export(bench, tmp_path, capsys):
    assert main(["collect", "export", str(tmp_path / "new"), "--socket", str(bench.socket)]) == 2
    assert "no collected numeral has a label" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        ({"request": "collected", "from": -1}, "collected takes"),
        ({"request": "collected", "labelled": 1}, "collected takes"),
        ({"request": "label"}, "label needs"),
        ({"request": "label", "picture": "7", "label": 7}, "label needs"),
        ({"request": "label", "picture": "7", "label": "../x"}, "does not know"),
        ({"request": "label", "picture": "7", "label": "七"}, "no such picture"),
        ({"request": "discard"}, "discard needs"),
        ({"request": "discard", "picture": "7", "all": True}, "discard needs"),
    ],
)
def test_what_is_not_valid_is_refused_in_one_line(bench, request_, fault):
    with Client(bench.socket) as client, pytest.raises(ServiceError, match=fault) as caught:
        client.ask(request_)
    assert "\n" not in str(caught.value)
