"""A client teaches the running service: by the number of a decision, with a question where there is a doubt."""

import json

import pytest
from PIL import Image
from service_bench import bench_of, wait_until
from taught_hands import drawn, keep

from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ServiceError
from edge_lpdpl.library.hands import hand_file, load_hand
from edge_lpdpl.live import setup
from edge_lpdpl.live.client import Client
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.live.place import listen_path
from edge_lpdpl.numeral.hand import Hand, hand_bytes

pytestmark = pytest.mark.slow


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path / "hands"))
    bench = bench_of(tmp_path, scenes=100_000, rate=200)
    with bench.running():
        wait_until(lambda: bench.remembered.messages)
        yield bench


@pytest.fixture
def ask(bench):
    with Client(bench.socket) as client:
        yield lambda **request: client.ask(request, 30)


def latest(bench):
    """A decision with a numeral, and that numeral's label."""
    wait_until(lambda: bench.remembered.messages[-1]["numerals"])
    message = bench.remembered.messages[-1]
    return message["frame"]["sequence"], message["numerals"][0]["label"]


def another(label):
    return "九" if label != "九" else "五"


def test_a_taught_numeral_is_read_as_it_was_taught_without_a_restart(bench, ask):
    decision, label = latest(bench)
    wrong = another(label)
    answer = ask(request="teach", decision=decision, numeral=0, label=wrong, sure=True)
    assert (answer["ok"], answer["samples"], answer["read"]) == (True, 1, label)  # one sample is not enough
    assert load_hand("auto").samples[0].id == answer["sample"]
    assert ask(request="status")["status"]["hand"] == {"name": "auto", "samples": 1, "problem": None}
    assert bench.service._setup.hand == load_hand("auto")


def test_forgetting_undoes_it(bench, ask):
    decision, label = latest(bench)
    sample = ask(request="teach", decision=decision, numeral=0, label=label)["sample"]
    assert ask(request="forget", sample=sample) == {
        "reply": "forget",
        "ok": True,
        "samples": 0,
        "note": "reads with a hand of 0 samples",
    }
    assert bench.service._setup.hand == load_hand("auto") == Hand()


def test_it_is_taught_and_forgotten_by_command(bench, capsys):
    decision, label = latest(bench)

    def typed(*words):
        status = main(["ask", *map(str, words), "--socket", str(bench.socket)])
        told = capsys.readouterr()
        return status, told.out or told.err

    assert typed("teach", decision, 0, label) == (0, "reads with a hand of 1 sample\n")
    sample = load_hand("auto").samples[0].id
    assert typed("teach", decision, 0, label) == (0, "the hand has this picture already\n")
    assert typed("hand") == (0, f"auto: 1 sample\n{sample}  {label}\n")
    status, told = typed("teach", decision, 0, another(label))
    assert status == 2
    assert f"a picture like this one was taught as {label}" in told
    assert told.endswith("nothing was taught; teach it with --yes if it is right\n")
    status, told = typed("teach", decision, 0, another(label), "--yes")
    still = f"this picture is still read as {label}, perhaps in doubt; more like it do not change that"
    assert (status, told) == (0, f"reads with a hand of 1 sample; {still}\n")
    assert typed("forget", sample)[0] == 2  # the correction took its place
    assert typed("forget", "all") == (0, "reads with a hand of 0 samples\n")


def test_what_is_taught_beside_the_service_is_worn_at_once(bench, ask, tmp_path, capsys, monkeypatch):
    """The commands that change its file tell the service; another hand leaves it as it is."""
    monkeypatch.setattr("edge_lpdpl.live.place.default_socket", lambda: bench.socket)
    picture = tmp_path / "picture.png"
    Image.fromarray(drawn("七", 5)).save(picture)
    assert main(["teach", str(picture), "七"]) == 0
    assert capsys.readouterr().out.endswith("; the running service: reads with a hand of 1 sample\n")
    assert ask(request="status")["status"]["hand"]["samples"] == 1
    assert main(["teach", str(picture), "七", "--hand", "anna", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["service"] is None
    assert main(["hand", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["service"] == "the running service: reads with a hand of 0 samples"
    assert ask(request="status")["status"]["hand"]["samples"] == 0


def test_a_service_that_does_not_take_the_hand_is_told_of(bench, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("edge_lpdpl.live.place.default_socket", lambda: listen_path(bench.socket))
    assert main(["hand", "clear"]) == 0
    assert "; a service runs, and may read with the old hand until it is reloaded (wear is" in capsys.readouterr().out


def test_a_contradiction_is_asked_about(bench, ask):
    decision, label = latest(bench)
    ask(request="teach", decision=decision, numeral=0, label=label)
    answer = ask(request="teach", decision=decision, numeral=0, label=another(label))
    assert answer["ok"] is False
    assert answer["doubt"].startswith(f"a picture like this one was taught as {label}")
    assert (answer["alike"], answer["turned"]) == ([label], [])
    assert len(load_hand("auto")) == 1
    assert ask(request="teach", decision=decision, numeral=0, label=another(label), sure=True)["samples"] == 1


def test_the_hand_is_told_with_its_pictures_or_as_a_file(bench):
    decision, label = latest(bench)
    with Client(bench.socket) as client:
        client.ask({"request": "teach", "decision": decision, "numeral": 0, "label": label}, 30)
    sample = load_hand("auto").samples[0]
    answers = []
    bench.service.handle({"request": "hand"}, lambda answer, data=b"": answers.append((answer, data)))
    told = {"hand": "auto", "samples": [{"sample": sample.id, "label": label}], "most": 500}
    bench.service.handle({"request": "hand", "file": True}, lambda answer, data=b"": answers.append((answer, data)))
    assert answers == [(told, sample.picture.tobytes()), (told, hand_bytes(load_hand("auto")))]


def test_the_settings_say_whether_there_is_a_hand_to_teach(bench, tmp_path):
    told = []
    for setting in ("auto", "off"):
        bench.service._setup = setup.prepare(load_config((), {"model": {"hand": setting}}), 240, 320)
        bench.service.handle({"request": "settings"}, lambda answer, data=b"": told.append(answer["teaches"]))
    assert told == [True, False]


def test_of_several_models_the_one_that_knows_the_label_is_taught(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path / "hands"))
    bench = bench_of(tmp_path, scenes=100_000, rate=200, model={"also": ["latin10"]})
    with bench.running(), Client(bench.socket) as client:
        wait_until(lambda: any(message["numerals"] for message in bench.remembered.messages))
        decision, label = latest(bench)
        labels = {one["label"]: one["models"] for one in client.ask({"request": "settings"}, 30)["labels"]}
        assert (labels["亿"], labels["3"], len(labels)) == (["chinese15"], ["latin10"], 25)
        asked = {"request": "teach", "decision": decision, "numeral": 0, "sure": True}
        for wanted in ("3", another(label)):
            assert client.ask({**asked, "label": wanted}, 30)["ok"]
        assert [sample.label for sample in load_hand("auto").samples] == ["3", another(label)]
        others = [one.hand for one in bench.service._setup.reader.recognisers]
        assert others == [load_hand("auto")] * 2


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        ({"request": "teach", "decision": -1, "numeral": 0, "label": "七"}, "are not kept"),
        ({"request": "teach", "decision": 0, "numeral": 0, "label": 7}, "teach needs|are not kept"),
        ({"request": "forget"}, "forget needs"),
        ({"request": "wear"}, "wear needs"),
        ({"request": "hand", "file": 1}, "hand takes"),
        ({"request": "forget", "sample": 7}, "forget needs"),
        ({"request": "forget", "sample": "a", "all": True}, "forget needs"),
        ({"request": "forget", "sample": "a"}, "holds no sample a"),
    ],
)
def test_what_is_not_valid_is_refused_in_one_line(ask, request_, fault):
    with pytest.raises(ServiceError, match=fault) as caught:
        ask(**request_)
    assert "\n" not in str(caught.value)


def test_what_the_model_does_not_know_is_refused(bench, ask):
    decision, _ = latest(bench)
    with pytest.raises(ServiceError, match="does not know 'x'"):
        ask(request="teach", decision=decision, numeral=0, label="x")
    assert not hand_file("auto").exists()


def test_a_damaged_hand_keeps_no_service_from_reading(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path / "hands"))
    keep("auto", Hand()).write_bytes(b"damaged!")
    bench = bench_of(tmp_path, scenes=100_000, rate=200)
    with bench.running(), Client(bench.socket) as client:
        wait_until(lambda: bench.remembered.messages)
        hand = client.ask({"request": "status"}, 30)["status"]["hand"]
        assert hand["samples"] == 0
        assert "mine.hand" in hand["problem"]
        assert client.ask({"request": "forget", "all": True}, 30)["ok"]
        assert client.ask({"request": "status"}, 30)["status"]["hand"]["problem"] is None


def test_frames_are_read_while_a_hand_is_prepared(bench, ask, monkeypatch):
    """The loop goes on until the new hand is in place, however long that takes."""
    decision, label = latest(bench)
    wear, frames = setup.Recogniser.wear, []

    def wear_slowly(recogniser, hand):
        if len(hand):
            before = bench.service.statistics.frames
            wait_until(lambda: bench.service.statistics.frames > before + 10)
            frames.append(bench.service.statistics.frames - before)
        wear(recogniser, hand)

    monkeypatch.setattr(setup.Recogniser, "wear", wear_slowly)
    assert ask(request="teach", decision=decision, numeral=0, label=label)["ok"]
    assert min(frames) > 10
    assert bench.service.statistics.faults == 0
