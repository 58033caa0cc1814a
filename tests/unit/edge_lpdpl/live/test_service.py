"""The service loop: which decisions are published, what feeds the watchdog, what a reload replaces."""

import base64
import json
import math
import socket
import time
from itertools import pairwise

import jsonschema
import numpy as np
import pytest
from cards import sheet
from messages import message_schema
from moving_scenes import SCENE, MovingScenes
from service_bench import SIZE, Bench, bench_of, said, still_page, wait_until

from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import CameraError
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.live.client import Client
from edge_lpdpl.live.frames.frame import EndOfFrames, Frame
from edge_lpdpl.live.frames.recording import ReplayedFrames, recording
from edge_lpdpl.live.publish.requests import CHANGEABLE
from edge_lpdpl.model.files import read_model

pytestmark = pytest.mark.slow


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


def flickering(bench, texts):
    """Let the reader decide something different every time."""
    reader, says = bench.setup.reader, iter(texts)
    read = reader.read

    def flicker(grey):
        reading = read(grey)
        text = next(says, "五")
        return reading._replace(numbers=[one._replace(text=text) for one in reading.numbers])

    reader.read = flicker


class TestConfirmation:
    """The word that an installation waits for."""

    def test_a_model_is_good_once_it_has_read_a_frame_that_no_trigger_wants(self, tmp_path):
        bench = still_page(tmp_path, "request")
        bench.service._word = tmp_path / "word"
        seen = []
        read = bench.setup.reader.read
        bench.setup.reader.read = lambda grey: (seen.append((tmp_path / "word").exists()), read(grey))[1]
        bench.run()
        assert seen == [False]
        assert (tmp_path / "word").read_text() == bench.setup.model.digest
        assert bench.remembered.messages == []

    def test_a_model_that_reads_nothing_is_not_good(self, tmp_path):
        bench = still_page(tmp_path, "request")
        bench.service._word = tmp_path / "word"

        def fail(grey):
            raise RuntimeError("somebody else's")

        bench.setup.reader.read = fail
        bench.run()
        assert not (tmp_path / "word").exists()
        assert bench.service.statistics.faults == bench.service.statistics.frames

    def test_a_reload_with_another_model_is_another_word(self, tmp_path):
        bench = bench_of(tmp_path, scenes=100_000, rate=500)
        bench.service._word = tmp_path / "word"
        with bench.running():
            wait_until((tmp_path / "word").exists)
            bench.file.write_text(bench.file.read_text() + '[model]\nfile = "arabic10"\n')
            bench.reloader.reload()
            wanted = read_model(shipped_model("arabic10")).digest
            wait_until(lambda: (tmp_path / "word").read_text() == wanted)

    def test_a_fall_back_is_told_to_everybody(self, tmp_path):
        bench = bench_of(tmp_path)
        bench.service._setup = bench.setup._replace(problem="latin10 reads instead of the installed model: gone")
        bench.run()
        assert bench.service.status()["model_problem"] == "latin10 reads instead of the installed model: gone"
        for message in bench.remembered.messages:
            assert message["model"]["problem"] == "latin10 reads instead of the installed model: gone"
            jsonschema.validate(message, message_schema())
        assert bench.remembered.messages


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


def read_as(message):
    return message["numbers"][0]["text"], message["numbers"][0]["reason"]


def test_what_flickers_between_two_texts_is_in_doubt(tmp_path):
    bench = still_page(tmp_path, "interval")
    flickering(bench, "三五" * 100)
    bench.run()
    assert bench.service.statistics.readings > 10
    assert [read_as(message) for message in bench.remembered.messages] == [("三", None), ("五", "unsure")]
    assert bench.service.statistics.held_back == bench.service.statistics.readings - 2


def test_a_point_that_a_pen_adds_is_read(tmp_path):
    """It is three pixels across: too small to be seen as a change."""
    plain = np.minimum(sheet((480, 640), 24, {(90, 100): "3"}), sheet((480, 640), 24, {(120, 100): "62"}))
    pen, dotted = plain.copy(), plain.copy()
    pen[90:300, 114:180], dotted[121:124, 114:117] = 90, 50
    frames = 8 * [plain] + [pen] + 8 * [dotted]
    with recording(tmp_path / "pen.npy", *plain.shape) as append:
        for number, grey in enumerate(frames):
            append(Frame(grey, number, number * 40 * 10**6))
    bench = Bench(ReplayedFrames(tmp_path / "pen.npy"), tmp_path, {"model": {"file": "latin10"}})
    bench.run()
    assert [read_as(message) for message in bench.remembered.messages] == [("362", None), ("3.62", None)]


def test_each_request_is_answered_with_what_was_read_for_it(tmp_path):
    bench = still_page(tmp_path, "request")
    flickering(bench, "三五三三")

    def ask_now_and_then(frame):
        if frame.sequence % 40 == 0:
            bench.service.handle({"request": "recognise"}, lambda reply: None)
        grey = bench.scenes._still[5][0]
        return frame._replace(grey=grey if frame.sequence < 80 else np.roll(grey, 48, axis=1))

    bench.scenes.fault = ask_now_and_then
    bench.run()
    messages = bench.remembered.messages
    assert [read_as(message) for message in messages] == [("三", None), ("五", "unsure"), ("三", None), ("三", None)]
    assert {message["trigger"] for message in messages} == {"request"}
    assert len({message["frame"]["sequence"] for message in messages}) == 4


def test_a_requested_frame_says_so_even_if_the_trigger_wanted_it_too(tmp_path):
    bench = bench_of(tmp_path, scenes=1, rate=20, trigger={"kind": "interval", "interval_ms": 40})

    def ask_once(frame):
        if frame.sequence == 5:
            bench.service.handle({"request": "recognise"}, lambda reply: None)
        return frame

    bench.scenes.fault = ask_once
    bench.run()
    # The interval trigger reads every frame, none twice; on a busy machine a late one may be too near to the next.
    assert SCENE - 4 <= bench.service.statistics.readings <= SCENE
    assert "request" in [message["trigger"] for message in bench.remembered.messages]


def test_a_request_is_acknowledged_before_the_frame_is_read(tmp_path):
    """A client can then tell which decision answers its request."""
    bench, decided_before = still_page(tmp_path, "request"), []

    def reply_slowly(answer):
        frames = bench.service.statistics.frames
        wait_until(lambda: bench.service.statistics.frames > frames + 3)
        decided_before.append(len(bench.remembered.messages))

    with bench.running():
        bench.service.handle({"request": "recognise"}, reply_slowly)
        wait_until(lambda: bench.remembered.messages)
    assert decided_before == [0]


def test_a_request_is_answered_by_the_next_frame_if_the_first_fails(tmp_path):
    bench = still_page(tmp_path, "request")
    read, failed = bench.setup.reader.read, []

    def fail_once(grey):
        if not failed:
            failed.append(True)
            raise RuntimeError("somebody else's")
        return read(grey)

    def ask_once(frame):
        if frame.sequence == 5:
            bench.service.handle({"request": "recognise"}, lambda reply: None)
        return frame._replace(grey=bench.scenes._still[5][0])

    bench.setup.reader.read = fail_once
    bench.scenes.fault = ask_once
    bench.run()
    assert bench.service.statistics.faults == 1
    assert [said(message) for message in bench.remembered.messages] == [[5]]


class Heard:
    """A service manager that remembers notifications."""

    def __init__(self, folder):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        self._socket.setblocking(False)
        self.environment = {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "4"}

    def count(self, word):
        """How often it was notified since the last call."""
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


def test_a_request_with_an_invalid_id_is_refused_and_the_service_goes_on(running):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(running.socket))
        connection.settimeout(20)
        lines = connection.makefile()
        for request in ({"request": "status"}, {"request": "set", "set": {"trigger.still_ms": 0}}):
            connection.sendall(json.dumps(request | {"id": "\ud800"}).encode() + b"\n")
            while "error" not in (line := json.loads(lines.readline())):
                assert "numbers" in line
    with Client(running.socket) as client:
        assert client.ask({"request": "set", "set": {"trigger.still_ms": 0}, "id": "\U0010ffff"})["ok"]
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided)


def test_the_commands_listen_and_ask(running, capsys):
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


class TestViewers:
    """A client that watches sees the scene, what was cut out of it, and why it was read so."""

    def test_a_viewer_sees_a_frame_its_numerals_and_their_steps(self, tmp_path):
        bench = still_page(tmp_path, "interval")
        scene = bench.scenes._still[5][0]
        with bench.running(), Client(bench.socket) as client:
            answer, data = with_data(client, {"request": "watch"})
            assert (answer["width"], answer["height"]) == (scene.shape[1], scene.shape[0])
            assert data == scene.tobytes()
            decision = client.ask({"request": "recognise"})
            sequence = decision["frame"]["sequence"]
            answer, data = with_data(client, {"request": "cut_outs", "decision": sequence})
            assert len(answer["sizes"]) == len(decision["numerals"]) == 1
            assert len(data) == math.prod(answer["sizes"][0])
            steps = client.ask({"request": "explain", "decision": sequence, "numeral": 0})["steps"]
            assert (steps["label"], steps["confidence"]) == ("五", decision["numerals"][0]["confidence"])
            assert base64.b64decode(steps["picture"]["grey"]) == data

    def test_what_may_be_set_is_told_as_it_is_now(self, tmp_path):
        bench = still_page(tmp_path, "interval")
        with bench.running(), Client(bench.socket) as client:
            client.ask({"request": "set", "set": {"page.ink": "dark"}})
            told = client.ask({"request": "settings"})
        assert told["settings"].keys() == set(CHANGEABLE)
        assert told["settings"]["page"]["ink"] == "dark"
        assert told["frame"] == {"width": 320, "height": 240}
        assert {"label": "五", "value": 5, "models": ["chinese15"]} in told["labels"]


def with_data(client, request):
    """The reply to a request and the bytes behind it."""
    client._socket.sendall(json.dumps(request).encode() + b"\n")
    stream = client._socket.makefile("rb")
    for line in stream:
        answer = json.loads(line)
        if answer.get("reply") == request["request"]:
            return answer, stream.read(answer["bytes"])
    return None
