"""`edge-lpdpl config check` names every mistake of the configuration at once."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from deadline import within

from edge_lpdpl.commands.main import main
from edge_lpdpl.commands.service.checking import file_faults
from edge_lpdpl.library.models import find_model
from edge_lpdpl.live.config.loading import check_files
from edge_lpdpl.model.files import read_model, write_model
from edge_lpdpl.model.labels import LATIN, Label


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_check_says_ok_or_what_is_wrong(file, capsys):
    file.write_text("[frames]\nrate = 10")
    assert main(["config", "check", "--config", str(file)]) == 0
    assert capsys.readouterr().out == f"ok: {file}\n"
    file.write_text("[frames]\nrate = 1000")
    assert main(["config", "check", "--config", str(file)]) == 2
    assert capsys.readouterr().err == f"edge-lpdpl: {file}: frames.rate is 1000, not 1 to 120\n"


def test_check_names_every_mistake_at_once(file, capsys):
    file.write_text("[frames]\nrate = 1000\nspeed = 3\n[mqtt]\nport = 0\n[[action]]\nwehn = 3\n")
    (file.parent / "config.d").mkdir()
    other = file.parent / "config.d" / "10-a.toml"
    other.write_text("[frames\n")
    assert main(["config", "check", "--config", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.removeprefix(f"edge-lpdpl: {file}: ").partition(";")[0] for line in lines[:4]] == [
        "frames.rate is 1000, not 1 to 120",
        "[frames] has no speed",
        "mqtt.port is 0, not 1 to 65535",
        "[[action]] 1 has no wehn",
    ]
    assert lines[4].startswith(f"edge-lpdpl: {other}: is not TOML")
    assert main(["config", "check", "--config", str(file), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], len(told["faults"]), told["files"]) == (False, 5, [str(file), str(other)])


def test_check_names_every_contradiction(file, capsys):
    file.write_text("[frames]\nwidth = 641\n[mqtt]\ntopic = '/'\n[[action]]\nwhen = 'x'\n")
    assert main(["config", "check", "--config", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.removeprefix(f"edge-lpdpl: {file}: ").split(" is ")[0] for line in lines[:3]] == [
        "frames.width", "mqtt.topic", "[[action]] 1: when"
    ]  # fmt: skip
    assert len(lines) == 4


def faults_of(file, text):
    """What `check` says of a file, without its name."""
    file.write_text(text)
    return [fault.removeprefix(f"{file}: ") for fault in check_files([file]).faults]


def test_a_source_of_frames_has_a_name(file):
    assert faults_of(file, "[frames]\nsource = ''\n") == [
        "frames.source is empty; name pictures, a recording, camera or -"
    ]


def test_check_names_contradictions_and_models_beside_other_mistakes(file, capsys):
    file.write_text(
        "[frames]\nwidth = 641\n[mqtt]\nport = 0\n[log]\nfile = 'logs/'\n[model]\nfile = 'roman12'\n"
        "[[field]]\nname = 'age'\n[[field]]\nname = 'sum'\nregion = [30, 40, 60, 12]\nlength = 2\nminimum = 500\n"
        "model = 'roman13'\n"
    )
    assert main(["config", "check", "--config", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("edge-lpdpl: ").removeprefix(f"{file}: ").split(" (")[0] for line in lines] == [
        "mqtt.port is 0, not 1 to 65535",
        "frames.width is 641, not even",
        "[[field]] 1: region is missing: give [x, y, width, height]",
        "[[field]] 2: length is 2, too short for the minimum 500",
        "log.file is 'logs/', not the name of a file",
        "model.file roman12: is neither a model file nor a shipped model",
        "[[field]] 2: model roman13: is neither a model file nor a shipped model",
    ]


@pytest.mark.parametrize(
    ("wrong", "right", "contradiction"),
    [
        ("[frames]\nwidth = 0\n", "[frames]\nwidth = 320\n", "[page]\nregion = [0, 0, 640, 480]\n"),
        ("[trigger]\nkind = 'x'\n", "[trigger]\nkind = 'button'\n", "[[action]]\nwhen = 'accepted'\ngpio = 17\n"),
        ("[form]\npaper = 'A9'\n", "", "[[field]]\nname = 'a'\nregion = [900, 900, 20, 20]\n"),
    ],
)
def test_check_does_not_guess_what_depends_on_a_mistake(file, wrong, right, contradiction):
    assert len(faults_of(file, right + contradiction)) == 1
    assert len(faults_of(file, wrong + contradiction)) == 1


def test_check_looks_for_no_model_where_none_is_named(file):
    file.write_text("[model]\nfile = 7\n[[field]]\nname = 'a'\nregion = [30, 40, 60, 12]\ndecimals = 2\n")
    assert list(file_faults(check_files([file]))) == []


def told_of(file, text):
    """What `config check` says of a file and of those that it names, without its name."""
    found = faults_of(file, text)
    return found + [fault.removeprefix(f"{file}: ") for fault in file_faults(check_files([file]))]


def check_machine(file, text, fault):
    """What a file names of this machine has one fault, which begins so; none if that is empty."""
    file.write_text(text)
    found = list(file_faults(check_files([file])))
    assert [one.startswith(f"{file}: {fault}") for one in found] == [True] * bool(fault)


def test_everything_wrong_with_one_number_is_told(file):
    known = "minimum = 9\nmaximum = 3\nlength = 17\ndecimals = 2\ncheck = 'nope'\n"
    wrong = [
        "length is 17, not 1 to 16",
        "minimum is 9, above the maximum 3",
        "check is 'nope', for whole numbers, but decimals is 2",
        "check is 'nope', which python-stdnum does not have",
    ]
    point = "decimals is 2, but numbers of chinese15 have no point"
    known = known.replace("17", "16")  # what the schema allows
    model = "[model]\nfile = 'chinese15'\n"
    assert told_of(file, f"{model}[numbers]\n{known}") == [f"numbers.{fault}" for fault in (*wrong[1:], point)]
    field = "[[field]]\nname = ''\nregion = [0, 0, 60, 12]\n"
    assert told_of(file, field + known) == [
        *(f"[[field]] 1: {fault}" for fault in wrong[1:]),
        "[[field]] 1: name is '', not a text of 1 to 40 characters",
        "[[field]] 1: region is not inside of the paper A4, 210 x 297 mm with a margin of 2.5 mm",
    ]


def test_one_field_does_not_hide_what_is_wrong_with_others(file):
    fields = "".join(
        f"[[field]]\nname = '{name}'\nregion = {region}\n{more}\n"
        for name, region, more in (
            ("a", [30, 40, 60, 12], "minimum = 9\nmaximum = 3"),
            ("b", [30, 45, 60, 12], ""),
            ("a", [30, 90, 60, 12], "length = 'x'"),
            ("c", [30, 95, 60, 12], "model = 'cheque15'\ndecimals = 2"),
        )
    )
    assert told_of(file, fields) == [
        "[[field]] 3: length is 'x', not a whole number",
        "[[field]] 1: minimum is 9, above the maximum 3",
        "[[field]] 3: name is 'a', as that of another field",
        "[[field]] 2: region is less than 2.5 mm away from that of a",
        "[[field]] 4: region is less than 2.5 mm away from that of a",
        "[[field]] 4: decimals is 2, but numbers of cheque15 have no point",
    ]


def test_a_wrong_value_hides_no_contradiction_of_others_in_its_section(file):
    assert told_of(file, "[mqtt]\nport = 0\ntopic = '/'\ntls = 7\nca_file = '/none'\n") == [
        "mqtt.port is 0, not 1 to 65535",
        "mqtt.tls is 7, not true or false",
        "mqtt.topic is empty",
    ]
    actions = "[[action]]\nwebhook = 3\n[[action]]\nwhen = 'x'\ngpio = 17\n"
    assert [fault.partition(" is")[0] for fault in told_of(file, actions)] == [
        "[[action]] 1: webhook", "[[action]] 2: when"
    ]  # fmt: skip


def test_what_an_unknown_key_was_meant_to_say_is_not_guessed(file):
    (fault,) = told_of(file, "[[field]]\nname = 'a'\nregoin = [30, 40, 60, 12]\n")
    assert fault == "[[field]] 1 has no regoin; did you mean region?"


def test_sections_of_several_files_are_told_apart(file):
    """The first field of the second file is the second of all."""
    other = file.with_name("other.toml")
    file.write_text("[[field]]\nname = 'a'\nregion = [30, 40, 60, 12]\n")
    other.write_text("[[field]]\nname = 'a'\nregion = 3\n[[field]]\nname = 'b'\n")
    assert check_files([file, other]).faults == [
        f"{other}: [[field]] 1: region is 3, not a list of four numbers or none",
        f"{other}: [[field]] 2: region is missing: give [x, y, width, height]",
        f"{other}: [[field]] 1: name is 'a', as that of another field",
    ]


def test_check_guesses_nothing_of_a_file_that_cannot_be_read(file):
    file.write_text("[page]\nregion = [0, 0, 1280, 480]\n[model]\nfile = 'roman12'\n")
    other = file.with_name("other.toml")
    other.write_text("[frames\nwidth = 1280\n")
    (fault,) = check_files([file, other]).faults
    assert fault.startswith(f"{other}: is not TOML")
    assert list(file_faults(check_files([file, other]))) == []


def test_check_looks_at_the_model(file, capsys):
    model = file.with_name("mine.safetensors")
    model.write_bytes(b"no model")
    file.write_text(f"[model]\nfile = '{model}'\n")
    assert main(["config", "check", "--config", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"edge-lpdpl: {file}: model.file {model}: ")
    file.write_text("[model]\nfile = 'roman12'\n")
    assert main(["config", "check", "--config", str(file)]) == 2
    assert f"{file}: model.file roman12: is neither a model file nor a shipped model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "[model]\nfile = 'chinese15'\n[numbers]\ndecimals = 2\n",
            "numbers.decimals is 2, but numbers of chinese15 have",
        ),
        ("[numbers]\ndecimals = 2\n[[field]]\nname = 'a'\nregion = [30, 40, 60, 12]\n", ""),
        ("{field}model = 'cheque15'\ndecimals = 1\n", "[[field]] 1: decimals is 1, but numbers of cheque15 have"),
        ("{field}model = 'latin10'\nlength = 5\nboxes = 4\n", "[[field]] 1: boxes is 4, too few for the length 5"),
        ("{field}model = 'chinese15'\nlength = 3\nboxes = 2\n", ""),
        ("{field}model = 'nine'\nlength = 5\n", "[[field]] 1: model is nine, which lacks a character of value 9"),
    ],
)
def test_check_says_what_the_models_cannot_read(file, text, fault, tmp_path):
    """二百 has two characters and a length of three."""
    nine = tmp_path / "nine.safetensors"
    labels = (*LATIN[:9], Label("x", 70))
    write_model(nine, replace(read_model(find_model("latin10")), name="nine", labels=labels))
    text = text.replace("'nine'", f"'{nine}'")
    check_machine(file, text.replace("{field}", "[[field]]\nname = 'a'\nregion = [30, 40, 60, 12]\n"), fault)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "[mqtt]\nhost = 'hub'\nusername = 'a'\npassword_file = '/none/such'\n",
            "mqtt.password_file /none/such: cannot be",
        ),
        ("[mqtt]\nhost = 'hub'\ntls = true\nca_file = '/none/such'\n", "mqtt.ca_file /none/such: cannot be opened"),
        (
            "[mqtt]\nhost = 'hub'\nusername = 'a'\npassword_file = '/proc'\n",
            "mqtt.password_file /proc: is a folder; name a file",
        ),
        ("[mqtt]\nhost = 'hub'\ntls = true\nca_file = '/dev/null'\n", "mqtt.ca_file /dev/null: is no ordinary file"),
        (f"[mqtt]\nhost = 'hub'\ntls = true\nca_file = '{__file__}'\n", f"mqtt.ca_file {__file__}: holds no cert"),
        ("[mqtt]\nhost = 'hub'\ntls = true\nca_file = '/none//such/'\n", "mqtt.ca_file /none/such: cannot be opened"),
        (
            "[mqtt]\nhost = 'hub'\ntls = true\ncert_file = '/none/such'\nkey_file = 'edge-lpdpl.key'\n",
            "mqtt.cert_file /none/such: cannot be opened",
        ),
        (
            f"[mqtt]\nhost = 'hub'\ntls = true\ncert_file = '{__file__}'\nkey_file = '{__file__}'\n",
            f"mqtt.cert_file {__file__}: is no certificate in PEM that belongs to its key",
        ),
        ("[mqtt]\nhost = 'hub'\nusername = 'a'\npassword_file = 'mqtt-password'\n", ""),
        ("[mqtt]\nusername = 'a'\npassword_file = '/none/such'\n", ""),
    ],
)
def test_check_looks_for_the_files_of_a_broker_that_is_used(file, text, fault):
    check_machine(file, text, fault)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[metrics]\nport = 9\naddress = '192.0.2.7'\n", "metrics.address is '192.0.2.7', where this machine cannot"),
        ("[metrics]\nport = 9\n", ""),
        ("[metrics]\naddress = '192.0.2.7'\n", ""),
        (
            "[publish]\nsocket = '/none/such/x.sock'\n",
            "publish.socket /none/such/x.sock is in no folder that is",
        ),
        ("[publish]\nsocket = '/etc/passwd'\n", "publish.socket /etc/passwd is something else than a socket;"),
        (f"[publish]\nsocket = '/tmp/{'x' * 100}'\n", "publish.socket is too long for a socket; name a shorter path"),
        ("[publish]\nsocket = '/run/edge-lpdpl/x.sock'\n", ""),
        ("[publish]\nsocket = ''\n", ""),
    ],
)
def test_check_looks_for_places_to_listen_at(file, text, fault):
    check_machine(file, text, fault)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "[log]\nfile = '/etc/passwd/log/x.sqlite'\n",
            "log.file is below /etc/passwd, which is no folder; name another",
        ),
        ("[log]\nfile = '/tmp'\n", "log.file /tmp is a folder; name a file"),
        ("[log]\nfile = '/tmp/is/made/x.sqlite'\n", ""),
        ("[log]\nfile = 'x.sqlite'\n", ""),
        ("[log]\nfile = ''\n", ""),
    ],
)
def test_check_looks_whether_the_log_can_be_a_file(file, text, fault):
    check_machine(file, text, fault)


@pytest.mark.parametrize("also", ["['latin10', 'arabic10']", "['arabic10', 'arabic10']"])
def test_a_model_reads_every_line_once(file, also):
    (fault,) = faults_of(file, f"[model]\nfile = 'latin10'\nalso = {also}\n")
    assert fault.endswith("which would read every line twice; leave it out")


def test_check_names_missing_packages(file, monkeypatch):
    monkeypatch.setattr("edge_lpdpl.commands.service.checking.find_spec", lambda module: None)
    file.write_text("[mqtt]\nhost = 'hub'\n[metrics]\nport = 9\n")
    assert list(file_faults(check_files([file]))) == [
        f"{file}: mqtt.host needs paho-mqtt: pip install -e '.[mqtt]' in the project's folder",
        f"{file}: metrics.port needs prometheus-client: pip install -e '.[metrics]' in the project's folder",
    ]


def test_a_password_needs_a_user(file):
    text = "[mqtt]\nhost = 'hub'\npassword_file = 'mqtt-password'\n"
    assert faults_of(file, text) == ["mqtt.password_file needs mqtt.username, the user of this password"]
    assert faults_of(file, text.replace("host", "username = 'a'\nhost")) == []


@pytest.mark.parametrize("host", ["http://broker", "foo bar", "broker:1883", "hub/x", "[::1]"])
def test_check_refuses_what_is_no_machine(file, host):
    shown = f"is {host!r}, not the name or address of a machine"
    assert faults_of(file, f"[mqtt]\nhost = '{host}'\n") == [f"mqtt.host {shown}"]
    assert faults_of(file, f"[metrics]\naddress = '{host}'\n") == [f"metrics.address {shown}"]


@pytest.mark.parametrize(
    "host", ["", "broker.lan", "home_assistant", "bücher.example", "192.168.1.7", "::1", "fe80::1%eth0"]
)
def test_check_takes_names_and_addresses_of_machines(file, host):
    assert faults_of(file, f"[mqtt]\nhost = '{host}'\n") == []


def test_thousands_of_mistakes_are_told_soon(file):
    file.write_text("".join(f"x{number} = 1\n" for number in range(5000)))
    with within(20):
        assert len(check_files([file]).faults) == 20


def test_check_looks_for_the_programs_of_actions(file, tmp_path, capsys):
    script = tmp_path / "note"
    script.write_text("#!/bin/sh\n")
    actions = "".join(
        f"[[action]]\ncommand = ['{one}', 'x']\n" for one in (script, tmp_path / "none", tmp_path, "/bin/echo")
    )
    file.write_text(actions)
    assert main(["config", "check", "--config", str(file)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"edge-lpdpl: {file}: [[action]] {number}: command {path} is no program; check the path"
        for number, path in ((1, script), (2, tmp_path / "none"), (3, tmp_path))
    ]
    script.chmod(0o755)
    file.write_text(f"[[action]]\ncommand = ['{script}']\n")
    assert main(["config", "check", "--config", str(file)]) == 0


def test_a_socket_in_a_folder_that_this_user_may_not_enter_is_left_to_the_service(file, monkeypatch):
    def refused(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.is_dir", refused)
    assert faults_of(file, "[publish]\nsocket = '/of/another/x.sock'\n") == []
