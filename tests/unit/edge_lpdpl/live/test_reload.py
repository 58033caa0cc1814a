"""What a reload and a `set` request replace in a running service, and what stays if they are refused."""

import threading

import pytest
from service_bench import bench_of, said, still_page, wait_until

from edge_lpdpl.errors import ConfigError, ServiceError
from edge_lpdpl.live.client import Client
from edge_lpdpl.live.triggers.trigger import Trigger

pytestmark = pytest.mark.slow


def test_a_new_model_reads_the_scene_in_view(tmp_path):
    """The scene is the same, but the standing decision is that of another model."""
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


def first_message(bench):
    wait_until(lambda: bench.remembered.messages)
    return bench.remembered.messages[0]


def test_what_is_known_about_the_numbers_is_set_beside_actions(tmp_path):
    """Sections that may be repeated stay as they are."""
    bench = bench_of(tmp_path, scenes=100_000, rate=500, action=[{"command": ["/bin/true"]}])
    with bench.running(), Client(bench.socket) as client:
        verdicts = [number["rejected"] for number in first_message(bench)["numbers"]]
        assert client.ask({"request": "set", "set": {"numbers.minimum": 1000}})["ok"]
        bench.remembered.messages.clear()
        assert verdicts == [False]
        assert [number["rejected"] for number in first_message(bench)["numbers"]] == [True]
        with pytest.raises(ServiceError, match=r"numbers.minimum is 1000, above the maximum 7"):
            client.ask({"request": "set", "set": {"numbers.maximum": 7}})


def test_fields_are_set_together_and_name_no_file(running):
    fields = [{"name": "left", "region": [0, 0, 160, 240]}, {"name": "right", "region": [160, 0, 160, 240]}]
    with Client(running.socket) as client:
        answer = client.ask({"request": "set", "set": {"form.align": "none", "field": fields}})
        assert answer["note"] == "form.align, field set until the next reload"
        wait_until(lambda: (running.remembered.messages[-1]["fields"] or {}).keys() == {"left", "right"})
        told = client.ask({"request": "settings"})["settings"]["field"]
        assert [field["name"] for field in told] == ["left", "right"]
        for wrong, fault in (
            ([{**fields[0], "model": "/etc/passwd"}], "field.model is '/etc/passwd', not a shipped model"),
            ([{**fields[0], "region": [0, 0, 4000, 240]}], "region"),
            ([*fields, fields[0]], "as that of another field"),
            ("field", "write"),
            ([5], "write"),
        ):
            with pytest.raises(ServiceError, match=fault):
                client.ask({"request": "set", "set": {"field": wrong}})
        assert client.ask({"request": "set", "set": {"field": []}})["ok"]
        wait_until(lambda: running.remembered.messages[-1]["fields"] is None)


def reload(bench, text):
    """Append this text to the configuration and reload. Returns what the service says."""
    lines, statistics = [], bench.service.statistics
    bench.journal.say = lambda text, level=None: lines.append(text)
    before = statistics.reloads + statistics.refused_reloads
    bench.file.write_text(f"{bench.file.read_text().partition('# changed')[0]}# changed\n{text}")
    bench.reloader.reload()
    wait_until(lambda: statistics.reloads + statistics.refused_reloads > before)
    wait_until(lambda: lines)
    return lines[-1]


def test_settings_that_need_a_restart_are_named_while_they_differ(running):
    changed = "[frames]\nrate = 20\nmax_age_ms = 300\n"
    assert reload(running, changed) == "reloaded, chinese15 reads; at the next start: frames.rate"
    assert reload(running, changed) == "reloaded, chinese15 reads; at the next start: frames.rate"
    assert reload(running, "") == "reloaded, chinese15 reads"


def test_the_largest_age_of_a_frame_changes_without_a_restart(running):
    running.scenes.fault = lambda frame: frame._replace(exposed_ns=frame.exposed_ns - 400_000_000)
    wait_until(lambda: running.service.statistics.stale)
    assert reload(running, "[frames]\nmax_age_ms = 5000\n") == "reloaded, chinese15 reads"
    frames = running.service.statistics.frames
    wait_until(lambda: running.service.statistics.frames > frames + 10)


def test_a_set_request_changes_only_what_it_names(running):
    """A `set` must not load a changed model, and an error in the file is not the client's concern."""
    running.file.write_text(f'{running.file.read_text()}[model]\nfile = "latin10"\n[frames]\nwidht = 3\n')
    with Client(running.socket) as client:
        note = client.ask({"request": "set", "set": {"trigger.sensitivity": 9, "page.ink": "auto"}})["note"]
        assert note == "trigger.sensitivity, page.ink set until the next reload"
        assert client.ask({"request": "set", "set": {"trigger.still_ms": 1}})["ok"]
        assert running.service._setup.config.trigger[1:3] == (9, 1)
        assert client.ask({"request": "status"})["status"]["model"]["name"] == "chinese15"
        with pytest.raises(ServiceError, match=r"camera\.rotate takes effect at a start only"):
            client.ask({"request": "set", "set": {"camera.rotate": True}})


def test_a_reload_forgets_what_clients_have_set_unless_it_is_refused(running):
    with Client(running.socket) as client:
        client.ask({"request": "set", "set": {"trigger.sensitivity": 9}})
        assert "refused" in reload(running, "[frames]\nwidht = 3\n")
        client.ask({"request": "set", "set": {"trigger.still_ms": 1}})
        assert running.service._setup.config.trigger[1:3] == (9, 1)
        assert "did you mean width" in client.ask({"request": "status"})["status"]["reload_error"]
        reload(running, "")
        assert running.service._setup.config.trigger[1:3] == (8, 0)


@pytest.mark.parametrize("kind", ["request", "change"])
def test_a_reload_reads_a_frame_again_unless_frames_are_read_on_request(tmp_path, kind):
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


def test_a_trigger_that_cannot_be_made_leaves_the_old_one(running, monkeypatch):
    def no_button(*_):
        raise ConfigError("trigger.button_pin 17 cannot be used")

    monkeypatch.setattr("edge_lpdpl.live.triggers.make.ButtonTrigger", no_button)
    with Client(running.socket) as client:
        with pytest.raises(ServiceError, match="button_pin 17 cannot be used"):
            client.ask({"request": "set", "set": {"trigger.kind": "button"}})
        status = client.ask({"request": "status"})["status"]
        assert (status["trigger"], status["refused_reloads"]) == ("change", 1)
        assert client.ask({"request": "set", "set": {"trigger.still_ms": 0}})["ok"]  # a refused change is forgotten
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided + 1)


def test_a_reload_is_refused_if_no_thread_can_start(running, monkeypatch):
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


def test_a_change_that_the_camera_refuses_is_refused_with_its_trigger(running):
    def refuse(camera):
        raise RuntimeError("Control AnalogueGain is not advertised by libcamera")

    running.scenes.adjust = refuse
    refusal = "set refused: RuntimeError: Control AnalogueGain"
    with Client(running.socket) as client, pytest.raises(ServiceError, match=refusal):
        client.ask({"request": "set", "set": {"camera.gain": 2, "trigger.kind": "request"}})
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided + 1)


@pytest.mark.parametrize("error", [ConfigError("no button"), RuntimeError("no button")])
def test_a_trigger_that_cannot_be_made_leaves_the_camera_as_it_was(running, monkeypatch, error):
    def no_button(*_):
        raise error

    monkeypatch.setattr("edge_lpdpl.live.triggers.make.ButtonTrigger", no_button)
    before = running.service._setup.config.camera
    with Client(running.socket) as client:
        with pytest.raises(ServiceError, match=r"set refused: .*no button"):
            client.ask({"request": "set", "set": {"camera.gain": 2, "trigger.kind": "button"}})
        assert running.scenes.adjusted == [before._replace(gain=2.0), before]
    decided = len(running.remembered.messages)
    wait_until(lambda: len(running.remembered.messages) > decided + 1)


class Pin(Trigger):
    """Like the button, which owns its pin until it is closed."""

    kind = "button"

    def __init__(self):
        self.is_open, self.pressed = True, False

    def wants(self, frame):
        pressed, self.pressed = self.pressed and self.is_open, False
        return pressed

    def missed(self):
        self.pressed = True

    def close(self):
        self.is_open = False


def test_a_button_is_used_again_if_its_successor_cannot_be_made(tmp_path, monkeypatch):
    """The pin was released before: a pin has one owner."""
    pins = []

    def button(number, bounce_ms):
        assert not any(pin.is_open for pin in pins)
        if number != 17:
            raise ConfigError(f"trigger.button_pin {number} cannot be used")
        pins.append(Pin())
        return pins[-1]

    monkeypatch.setattr("edge_lpdpl.live.triggers.make.ButtonTrigger", button)
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
