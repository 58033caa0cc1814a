"""The loop itself: what is published and what is held back, what feeds the watchdog, what a reload replaces."""

import json
import socket
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from moving_scenes import SCENE, MovingScenes
from service_bench import Bench, said

from edge_lpdpl.cli import main
from edge_lpdpl.errors import CameraError, ConfigError, ServiceError
from edge_lpdpl.live.client import Client
from edge_lpdpl.live.frames import EndOfFrames, Frame
from edge_lpdpl.live.frames.recording import ReplayedFrames, recording

SIZE = {"height": 240, "width": 320}


def bench_of(tmp_path, scenes=4, values=(5, 9), rate=None, **changes):
    return Bench(MovingScenes(scenes, values, rate=rate, **SIZE), tmp_path, changes)


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


@pytest.fixture
def running(tmp_path):
    """A service that sees two numerals in turn, for as long as it takes."""
    bench = bench_of(tmp_path, scenes=100_000, rate=500)
    with bench.running():
        wait_until(lambda: bench.remembered.messages)
        yield bench


def test_each_scene_is_one_decision_about_a_frame_of_it(tmp_path):
    bench = bench_of(tmp_path, scenes=6)
    bench.run()
    messages = bench.remembered.messages
    assert [message["frame"]["sequence"] // SCENE for message in messages] == list(range(6))
    assert bench.wrong() == []
    for message in messages:
        timing = message["timing_us"]
        assert timing["total"] >= timing["locate"] + timing["recognise"] > 0


@pytest.mark.parametrize(("ink", "read"), [("dark", False), ("light", True), ("auto", True)])
def test_chalk_is_read_where_it_is_looked_for(ink, read, tmp_path):
    bench = bench_of(tmp_path, page={"ink": ink})
    bench.scenes.fault = lambda frame: frame._replace(grey=255 - frame.grey)
    bench.run()
    assert (len(bench.remembered.messages) == 4 and bench.wrong() == []) is read


def flickering(bench, labels):
    """Let the reader say something else every time."""
    reader, says = bench.reading.reader, iter(labels)
    read = reader.read

    def flicker(grey):
        page = read(grey)
        label = next(says, "五")
        numerals = [one._replace(recognition=one.recognition._replace(label=label)) for one in page.numerals]
        return page._replace(numerals=numerals)

    reader.read = flicker


def still_page(tmp_path, kind, **changes):
    """A bench that sees one numeral at rest, at 100 frames a second."""
    bench = bench_of(tmp_path, scenes=6, rate=100, trigger={"kind": kind, "interval_ms": 40, **changes})
    bench.scenes.fault = lambda frame: frame._replace(grey=bench.scenes._still[5][0])
    return bench


def test_a_pause_of_a_replay_does_not_keep_the_service_from_its_end(tmp_path):
    blank = np.full((240, 320), 200, np.uint8)
    with recording(tmp_path / "slow.npy", *blank.shape) as append:
        for number in range(2):
            append(Frame(blank, number, number * 3600 * 10**9))
    bench = Bench(ReplayedFrames(tmp_path / "slow.npy"), tmp_path)
    with bench.running():
        wait_until(lambda: bench.service.statistics.frames)
        start = time.monotonic()
    assert time.monotonic() - start < 2


def test_what_flickers_between_two_labels_is_published_once(tmp_path):
    bench = still_page(tmp_path, "interval")
    flickering(bench, "三五" * 100)
    bench.run()
    assert bench.service.statistics.readings > 10
    assert [message["numerals"][0]["label"] for message in bench.remembered.messages] == ["三"]
    assert bench.service.statistics.held_back == bench.service.statistics.readings - 1


def test_who_asks_gets_an_answer_each_time_and_it_is_what_stands(tmp_path):
    bench = still_page(tmp_path, "request")
    flickering(bench, "三五三五")

    def ask_now_and_then(frame):
        if frame.sequence % 40 == 0:
            bench.service.handle({"request": "recognise"}, lambda reply: None)
        return frame._replace(grey=bench.scenes._still[5][0])

    bench.scenes.fault = ask_now_and_then
    bench.run()
    messages = bench.remembered.messages
    assert [(message["trigger"], message["numerals"][0]["label"]) for message in messages] == 4 * [("request", "三")]
    assert len({message["frame"]["sequence"] for message in messages}) == 4


def test_a_frame_that_somebody_asked_for_says_so_though_it_would_have_been_read_anyway(tmp_path):
    bench = bench_of(tmp_path, scenes=1, rate=20, trigger={"kind": "interval", "interval_ms": 40})

    def ask_once(frame):
        if frame.sequence == 5:
            bench.service.handle({"request": "recognise"}, lambda reply: None)
        return frame

    bench.scenes.fault = ask_once
    bench.run()
    assert bench.service.statistics.readings == SCENE  # by the interval, every one
    assert "request" in [message["trigger"] for message in bench.remembered.messages]


def test_who_asks_is_told_so_before_it_is_read(tmp_path):
    """So that a client knows which decision is the one that it asked for."""
    bench, decided_before = still_page(tmp_path, "request"), []

    def reply_slowly(answer):
        frames = bench.service.statistics.frames
        wait_until(lambda: bench.service.statistics.frames > frames + 3)
        decided_before.append(len(bench.remembered.messages))

    with bench.running():
        bench.service.handle({"request": "recognise"}, reply_slowly)
        wait_until(lambda: bench.remembered.messages)
    assert decided_before == [0]


def test_who_asked_is_answered_by_the_next_frame_where_the_first_cannot_be_read(tmp_path):
    bench = still_page(tmp_path, "request")
    read, failed = bench.reading.reader.read, []

    def fail_once(grey):
        if not failed:
            failed.append(True)
            raise RuntimeError("somebody else's")
        return read(grey)

    def ask_once(frame):
        if frame.sequence == 5:
            bench.service.handle({"request": "recognise"}, lambda reply: None)
        return frame._replace(grey=bench.scenes._still[5][0])

    bench.reading.reader.read = fail_once
    bench.scenes.fault = ask_once
    bench.run()
    assert bench.service.statistics.faults == 1
    assert [said(message) for message in bench.remembered.messages] == [[5]]


class Heard:
    """A service manager that remembers what it is told."""

    def __init__(self, folder):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        self._socket.setblocking(False)
        self.environment = {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "4"}

    def count(self, word):
        """How often it was said since the last time."""
        said = 0
        try:
            while True:
                said += word in self._socket.recv(4096)
        except BlockingIOError:
            return said


@pytest.mark.parametrize("fault", ["no frame", "stale", "cannot be read", "cannot be taken"])
def test_the_watchdog_is_fed_by_progress_alone(tmp_path, fault):
    heard, fed = Heard(tmp_path), []

    def fail(frame):
        if frame.sequence == SCENE:
            fed.append(heard.count(b"WATCHDOG=1"))
        if frame.sequence < SCENE:
            return frame
        if fault == "cannot be taken":
            raise RuntimeError("somebody else's")
        stale = frame._replace(exposed_ns=frame.exposed_ns - 10**10)
        return {"no frame": None, "stale": stale, "cannot be read": frame._replace(grey=frame.grey[:5])}[fault]

    bench = Bench(MovingScenes(2, (5, 9), **SIZE), tmp_path, environment=heard.environment)
    bench.scenes.fault = fail
    bench.run()
    assert fed[0] > 0
    assert heard.count(b"WATCHDOG=1") == 0


def test_the_watchdog_is_fed_several_times_within_its_patience(tmp_path):
    fed, patience = [], 0.2
    bench = bench_of(tmp_path, scenes=3, rate=100)
    bench.notifier.watchdog_seconds = patience
    bench.notifier.feed_watchdog = lambda: fed.append(time.monotonic())
    bench.run()
    gaps = sorted(later - earlier for earlier, later in pairwise(fed))
    assert patience / 5 < gaps[len(gaps) // 2] < patience / 2


def test_ready_is_said_once_and_after_the_first_fresh_frame(tmp_path):
    heard, said_before = Heard(tmp_path), []

    def late(frame):
        if frame.sequence == 10:
            said_before.append(heard.count(b"READY=1"))
        return frame._replace(exposed_ns=frame.exposed_ns - 10**10) if frame.sequence < 10 else frame

    bench = Bench(MovingScenes(2, (5, 9), **SIZE), tmp_path, environment=heard.environment)
    bench.scenes.fault = late
    bench.run()
    assert said_before == [0]
    assert heard.count(b"READY=1") == 1
    assert bench.service.statistics.stale == 10


def test_a_reload_before_the_first_frame_does_not_make_it_ready(tmp_path):
    heard, before = Heard(tmp_path), []

    def slow(frame):
        if frame.sequence == 0:
            bench.reloader.reload()
        if not bench.service.statistics.reloads:
            time.sleep(0.01)
            return None
        before.append(heard.count(b"READY=1"))
        return frame

    bench = Bench(MovingScenes(40, (5, 9), **SIZE), tmp_path, environment=heard.environment)
    bench.scenes.fault = slow
    bench.run()
    assert before[0] == 0
    assert sum(before) + heard.count(b"READY=1") == 1


def test_a_camera_that_gives_up_ends_the_service(tmp_path):
    bench = bench_of(tmp_path)

    def gone(frame):
        raise CameraError("camera 0: gives no frame")

    bench.scenes.fault = gone
    with pytest.raises(CameraError):
        bench.run()
    assert not bench.socket.exists()
    with pytest.raises(EndOfFrames):
        bench.scenes.take()


def test_a_model_that_is_replaced_reads_what_is_in_view(tmp_path):
    """The scene is the same, but what was decided about it was decided by another."""
    bench = still_page(tmp_path, "change")
    bench.scenes._count = 10**9
    with bench.running():
        wait_until(lambda: bench.remembered.messages)
        bench.file.write_text(f'{bench.file.read_text()}[model]\nfile = "latin10"\n')
        bench.reloader.reload()
        wait_until(lambda: len(bench.remembered.messages) > 1)
    names = [message["model"]["name"] for message in bench.remembered.messages]
    assert names == ["chinese15", "latin10"]


def test_camera_settings_go_to_the_camera_and_the_page_changes_without_a_restart(running):
    with Client(running.socket) as client:
        assert client.ask({"request": "set", "set": {"camera.gain": 2}})["ok"]
        assert [camera.gain for camera in running.scenes.adjusted] == [2.0]
        assert client.ask({"request": "set", "set": {"page.region": [0, 0, 64, 64]}})["ok"]
        wait_until(lambda: said(running.remembered.messages[-1]) == [])
        with pytest.raises(ServiceError, match="region is not a part of the 640x480 frame"):
            client.ask({"request": "set", "set": {"page.region": [600, 0, 64, 64]}})


def test_a_request_whose_name_cannot_be_repeated_is_refused_and_the_service_goes_on(running):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(running.socket))
        connection.settimeout(20)
        lines = connection.makefile()
        for request in ({"request": "status"}, {"request": "set", "set": {"trigger.still_ms": 0}}):
            connection.sendall(json.dumps(request | {"id": "\ud800"}).encode() + b"\n")
            while "error" not in (line := json.loads(lines.readline())):
                assert "numerals" in line
    with Client(running.socket) as client:
        assert client.ask({"request": "set", "set": {"trigger.still_ms": 0}, "id": "\U0010ffff"})["ok"]
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided)


def reload(bench, text):
    """Give the service this text after its configuration; returns what it says of it."""
    lines, statistics = [], bench.service.statistics
    bench.journal.say = lambda text, level=None: lines.append(text)
    before = statistics.reloads + statistics.refused_reloads
    bench.file.write_text(f"{bench.file.read_text().partition('# changed')[0]}# changed\n{text}")
    bench.reloader.reload()
    wait_until(lambda: statistics.reloads + statistics.refused_reloads > before)
    wait_until(lambda: lines)
    return lines[-1]


def test_what_needs_a_restart_is_named_as_long_as_it_differs_from_what_runs(running):
    changed = "[frames]\nrate = 20\nmax_age_ms = 300\n"
    assert reload(running, changed) == "reloaded, chinese15 reads; at the next start: frames.rate"
    assert reload(running, changed) == "reloaded, chinese15 reads; at the next start: frames.rate"
    assert reload(running, "") == "reloaded, chinese15 reads"


def test_the_age_that_a_frame_may_have_changes_without_a_restart(running):
    running.scenes.fault = lambda frame: frame._replace(exposed_ns=frame.exposed_ns - 400_000_000)
    wait_until(lambda: running.service.statistics.stale)
    assert reload(running, "[frames]\nmax_age_ms = 5000\n") == "reloaded, chinese15 reads"
    frames = running.service.statistics.frames
    wait_until(lambda: running.service.statistics.frames > frames + 10)


def test_what_a_client_sets_changes_that_alone_whatever_the_files_say_by_now(running):
    """A model that nobody has released yet must not come in, and a slip in a file is nothing to the client."""
    running.file.write_text(f'{running.file.read_text()}[model]\nfile = "latin10"\n[frames]\nwidht = 3\n')
    with Client(running.socket) as client:
        note = client.ask({"request": "set", "set": {"trigger.sensitivity": 9, "page.ink": "auto"}})["note"]
        assert note == "trigger.sensitivity, page.ink set until the next reload"
        assert client.ask({"request": "set", "set": {"trigger.still_ms": 1}})["ok"]
        assert running.service._reading.config.trigger[1:3] == (9, 1)
        assert client.ask({"request": "status"})["status"]["model"]["name"] == "chinese15"
        with pytest.raises(ServiceError, match=r"camera\.rotate is taken over at a start only"):
            client.ask({"request": "set", "set": {"camera.rotate": True}})


def test_a_reload_forgets_what_clients_have_set_unless_it_is_refused(running):
    with Client(running.socket) as client:
        client.ask({"request": "set", "set": {"trigger.sensitivity": 9}})
        assert "refused" in reload(running, "[frames]\nwidht = 3\n")
        client.ask({"request": "set", "set": {"trigger.still_ms": 1}})
        assert running.service._reading.config.trigger[1:3] == (9, 1)
        assert "did you mean width" in client.ask({"request": "status"})["status"]["reload_error"]
        reload(running, "")
        assert running.service._reading.config.trigger[1:3] == (8, 0)


@pytest.mark.parametrize("kind", ["request", "change"])
def test_a_reload_asks_for_nothing_by_itself_where_somebody_has_to_ask(tmp_path, kind):
    bench = still_page(tmp_path, kind)
    bench.scenes._count = 10**9
    with bench.running():
        wait_until(lambda: bench.service.statistics.frames > 10)
        decided = len(bench.remembered.messages)
        reload(bench, '[model]\nfile = "latin10"\n')
        frames = bench.service.statistics.frames
        wait_until(lambda: bench.service.statistics.frames > frames + 20)
        assert len(bench.remembered.messages) - decided == {"request": 0, "change": 1}[kind]
        bench.service.handle({"request": "recognise"}, lambda reply: None)
        wait_until(lambda: bench.remembered.messages[-1:] and bench.remembered.messages[-1]["trigger"] == "request")
        assert bench.remembered.messages[-1]["model"]["name"] == "latin10"


def test_a_reload_of_the_same_publishes_nothing_again(tmp_path):
    bench = still_page(tmp_path, "change")
    bench.scenes._count = 10**9
    with bench.running():
        wait_until(lambda: bench.remembered.messages)
        reload(bench, "")
        frames = bench.service.statistics.frames
        wait_until(lambda: bench.service.statistics.frames > frames + 20)
        assert len(bench.remembered.messages) == 1


def test_a_trigger_that_cannot_be_had_leaves_the_old_one(running, monkeypatch):
    def no_button(*_):
        raise ConfigError("trigger.button_pin 17 cannot be used")

    monkeypatch.setattr("edge_lpdpl.live.trigger._button", no_button)
    with Client(running.socket) as client:
        with pytest.raises(ServiceError, match="button_pin 17 cannot be used"):
            client.ask({"request": "set", "set": {"trigger.kind": "button"}})
        status = client.ask({"request": "status"})["status"]
        assert (status["trigger"], status["refused_reloads"]) == ("change", 1)
        assert client.ask({"request": "set", "set": {"trigger.still_ms": 0}})["ok"]  # what was refused is forgotten
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided + 1)


def test_a_reload_that_no_thread_can_be_had_for_is_refused(running, monkeypatch):
    start = threading.Thread.start

    def cannot(thread):
        if thread.name == "reload":
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", cannot)
        refusal = reload(running, "")
        assert refusal == "reload refused, the old configuration stays: RuntimeError: can't start new thread"
    assert reload(running, "") == "reloaded, chinese15 reads"


def test_a_change_that_the_camera_does_not_take_is_refused_with_the_trigger_that_came_with_it(running):
    def refuse(camera):
        raise RuntimeError("Control AnalogueGain is not advertised by libcamera")

    running.scenes.adjust = refuse
    refusal = "set refused: RuntimeError: Control AnalogueGain"
    with Client(running.socket) as client, pytest.raises(ServiceError, match=refusal):
        client.ask({"request": "set", "set": {"camera.gain": 2, "trigger.kind": "request"}})
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided + 1)


@pytest.mark.parametrize("error", [ConfigError("no button"), RuntimeError("no button")])
def test_a_trigger_that_cannot_be_had_leaves_the_camera_as_it_was(running, monkeypatch, error):
    def no_button(*_):
        raise error

    monkeypatch.setattr("edge_lpdpl.live.trigger._button", no_button)
    before = running.service._reading.config.camera
    with Client(running.socket) as client:
        with pytest.raises(ServiceError, match=r"set refused: .*no button"):
            client.ask({"request": "set", "set": {"camera.gain": 2, "trigger.kind": "button"}})
        assert running.scenes.adjusted == [before._replace(gain=2.0), before]
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided + 1)


class Pin:
    """A button, see `Trigger`, that has its pin until it is closed."""

    kind = "button"

    def __init__(self):
        self.is_open, self.pressed = True, False

    def wants(self, frame):
        pressed, self.pressed = self.pressed and self.is_open, False
        return pressed

    def missed(self):
        self.pressed = True

    def look_again(self):
        """Nobody has pressed it for that."""

    def close(self):
        self.is_open = False


def test_a_button_whose_successor_cannot_be_had_is_listened_to_again(tmp_path, monkeypatch):
    """Its pin was given back before: one pin has one owner."""
    pins = []

    def button(settings):
        assert not any(pin.is_open for pin in pins)
        if settings.button_pin != 17:
            raise ConfigError(f"trigger.button_pin {settings.button_pin} cannot be used")
        pins.append(Pin())
        return pins[-1]

    monkeypatch.setattr("edge_lpdpl.live.trigger._button", button)
    bench = bench_of(tmp_path, scenes=100_000, rate=500, trigger={"kind": "button", "button_pin": 17})
    with bench.running(), Client(bench.socket) as client:
        wait_until(lambda: bench.service.statistics.frames)
        with pytest.raises(ServiceError, match="button_pin 4 cannot be used"):
            client.ask({"request": "set", "set": {"trigger.button_pin": 4}})
        assert [pin.is_open for pin in pins] == [False, True]
        pins[-1].pressed = True
        wait_until(lambda: bench.remembered.messages)
    assert bench.remembered.messages[0]["trigger"] == "button"
    assert not pins[-1].is_open


def test_the_commands_of_a_person(running, capsys):
    place = ["--socket", str(running.socket)]
    assert main(["ask", "status", *place]) == 0
    assert "frames_from" in capsys.readouterr().out
    assert main(["ask", "recognise", "--json", *place]) == 0
    assert json.loads(capsys.readouterr().out)["trigger"] == "request"
    assert main(["ask", "recognise", *place]) == 0
    assert capsys.readouterr().out.split()[3] in ("五", "九", "nothing", "?")
    assert main(["ask", "set", "trigger.kind=request", "trigger.still_ms=5", *place]) == 0
    assert capsys.readouterr().out == "trigger.kind, trigger.still_ms set until the next reload\n"
    assert main(["ask", "set", "frames.rate=5", *place]) == 2
    assert "cannot be set here" in capsys.readouterr().err
    assert main(["ask", "status", "--socket", "/nowhere"]) == 2
    assert "is the service running?" in capsys.readouterr().err
