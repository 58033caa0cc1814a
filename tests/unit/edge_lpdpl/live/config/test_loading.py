"""The configuration: one commented file is documentation, default and schema. Errors name file, section and key."""

import contextlib
import json
import os
import shutil
import tempfile
import time
import tomllib
from pathlib import Path
from typing import get_args, get_origin

import pytest
from deadline import within
from hypothesis import given
from hypothesis import strategies as st
from other_users import nobody

from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.config.loading import (
    as_toml,
    config_files,
    load_config,
    merge_changes,
    needs_restart,
)
from edge_lpdpl.live.config.schema import DEFAULT_FILE, repeated, schema
from edge_lpdpl.live.config.sections import Config

FIELD = "[[field]]\nname = 'a'\nregion = [30, 50, 30, 12]\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_files_the_packaged_defaults_are_in_force():
    assert load_config(()).values() == {**tomllib.loads(DEFAULT_FILE.read_text("utf-8")), "action": [], "field": []}


def test_sections_and_their_types_are_those_of_the_packaged_file():
    assert list(schema()) == list(Config._fields)
    for section, annotation in Config.__annotations__.items():
        kind = get_args(annotation)[0] if section in repeated() else annotation
        assert list(schema()[section]) == list(kind._fields)
        for key, wanted in kind.__annotations__.items():
            assert type(schema()[section][key].default) is (list if get_origin(wanted) is tuple else wanted), key


def test_every_number_has_bounds_and_every_default_is_within_them():
    for section, keys in schema().items():
        for key, setting in keys.items():
            if isinstance(setting.default, int | float) and not isinstance(setting.default, bool):
                assert setting.low is not None, f"{section}.{key}"
            assert setting.fault(setting.default) is None, f"{section}.{key}"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("\n[frames]\nwidht = 3", "[frames] has no widht; did you mean width?"),
        ("[frames]\n\n# how many\nrate = 500", "frames.rate is 500, not 1 to 120"),
        ("[frames]\nrate = 30.5", "frames.rate is 30.5, not a whole number"),
        ("[frames]\nrate = true", "frames.rate is true, not a whole number"),
        ("[frames]\nrepeat = 1", "frames.repeat is 1, not true or false"),
        ("[frames]\ntimeout_s = nan", "frames.timeout_s is nan, not 0.2 to 60"),
        ("frames.source = 7", "frames.source is 7, not a text"),
        ('frames.source = "\\u0007"', "frames.source is too long or holds control characters"),
        ("[trigger]\nkind = 'chnage'", "trigger.kind is 'chnage', not one of change, button, interval, request"),
        ("[trigger]\nsensitivity = [\n1]", "trigger.sensitivity is [1], not a whole number"),
        ("[page]\nregion = [1, 2, 3]", "page.region is [1, 2, 3], not a list of four numbers or none"),
        ("[page]\nregion = [1, 2, 3, 'x']", "page.region has an item that is 'x', not a whole number"),
        ("[page]\nregion = [1, 2, 3, -1]", "page.region has an item that is -1, not 0 to 1920"),
        ("[numbers]\nminimum = 9\nmaximum = 8", "numbers.minimum is 9, above the maximum 8"),
        ("[numbers]\nlength = 2\nminimum = 100", "numbers.length is 2, too short for the minimum 100"),
        ("[numbers]\ncheck = 'lunh'", "numbers.check is 'lunh', which python-stdnum does not have"),
        ("[page]\nregion = [600, 0, 100, 100]", "page.region is not a part of the 640x480 frame"),
        ("[page]\nregion = [0, 0, 15, 100]", "page.region is not a part of the 640x480 frame of at least 16x16 pixels"),
        ("[page]\nregion = [0, 0, 100, 15]", "page.region is not a part of the 640x480 frame of at least 16x16 pixels"),
        ("[frames]\nwidth = 641", "frames.width is 641, not even"),
        ("[trigger]\nkind = 'interval'\ninterval_ms = 10", "trigger.interval_ms is shorter than a frame, 33 ms at 30"),
        ("[mqtt]\ntopic = 'a/#'", "mqtt.topic holds # or +"),
        ("[mqtt]\ntopic = '/'", "mqtt.topic is empty"),
        ("[mqtt]\nca_file = 'ca.crt'", "mqtt.ca_file needs mqtt.tls = true"),
        ("[model]\nalso = ['a', 'b', 'c', 'd']", "model.also has 4 models; 3 are allowed"),
        (FIELD + "[model]\nalso = ['latin10']", "model.also is not for forms; name a model in each field"),
        ("[mqtt]\ntls = true\nkey_file = 'pi.key'", "mqtt.key_file needs mqtt.cert_file"),
        ("[mqtt]\nhost = 'a'\ndiscovery = 'home/#'", "mqtt.discovery holds # or +"),
        ("[mqtt]\nhost = 'broker..lan'", "mqtt.host is 'broker..lan', not the name or address of a machine"),
        (f"[mqtt]\nhost = '{'a.' * 200}'", f"mqtt.host is '{'a.' * 30}', not the name"),
        ("[metrics]\naddress = 'a..b'", "metrics.address is 'a..b', not the name or address of a machine"),
        (
            "[frames]\nrate = 2\n[camera]\nexposure_us = 400000",
            "camera.exposure_us makes every frame 400 ms old; frames.max_age_ms is 250: none is read",
        ),
        ("x = 1\n[camera]\n", "there is no section [x]; there are frames, camera"),
        ("[frmes]\n", "there is no section [frmes]; did you mean frames?"),
        ("frames = 3", "frames is a section: write [frames]"),
        ("[[frames]]\nrate = 3", "frames is a section: write [frames]"),
        ("[action]\nwhen = 'accepted'", "action is a section that may be repeated: write [[action]]"),
        ("action = [1]", "action is a section that may be repeated: write [[action]]"),
        ("[[action]]\n" * 33, "[[action]] is there 33 times; 32 are allowed"),
        ("[[action]]\ngpio = 4\n[[action]]\nwehn = 'x'", "[[action]] 2 has no wehn; did you mean when?"),
        ("[[action]]\ngpio = 99", "[[action]] 1: gpio is 99, not -1 to 27"),
        ("[[action]]\nwhen = 'x'\ngpio = 4", "[[action]] 1: when is 'x', not accepted, rejected or a comparison"),
        ("[[action]]\nwhen = 'accepted'", "[[action]] 1: when needs one of webhook, gpio and command beside it"),
        ("[[action]]\ngpio = 4\ncommand = ['/bin/true']", "[[action]] 1: when needs one of webhook, gpio and"),
        ("[[action]]\ncommand = '/bin/true'", "[[action]] 1: command is '/bin/true', not a list of texts"),
        ("[[action]]\ncommand = ['/bin/true', 3]", "[[action]] 1: command has an item that is 3, not a text"),
        ("[[action]]\ncommand = ['true']", "[[action]] 1: command begins with 'true', not with the whole path"),
        ("[[action]]\nwebhook = 'hub.lan'", "[[action]] 1: webhook is no address as http://hub.lan:8123/api/webhook"),
        ("[[action]]\nwebhook = 'http://h:99999/'", "[[action]] 1: webhook is no address"),
        ("[[action]]\nwebhook = 'http://a..b/'", "[[action]] 1: webhook is no address"),
        ("[[action]]\nwebhook = 'http://[::1/'", "[[action]] 1: webhook is no address"),
        ("[[action]]\nwebhook = 'file:///etc/passwd'", "[[action]] 1: webhook is no address"),
        ("[[action]]\nwebhook = 'http://me:secret@hub/'", "[[action]] 1: webhook holds a user name: not supported"),
        ("[[action]]\ngpio = 4\n[[action]]\ngpio = 4", "[[action]] 2: gpio is 4, the pin of action 1"),
        ("[trigger]\nkind = 'button'\n[[action]]\ngpio = 17", "[[action]] 1: gpio is 17, the pin of the button"),
        (f"{FIELD}[[field]]\nname = 'b'", "[[field]] 2: region is missing: give [x, y, width, height]"),
        (f"{FIELD}length = 2\nminimum = 100", "[[field]] 1: length is 2, too short for the minimum 100"),
        (f"{FIELD}check = 'lunh'", "[[field]] 1: check is 'lunh', which python-stdnum does not have"),
        (f"{FIELD}[[field]]\nname = 'b'\nregion = [50, 50, 30, 12]", "[[field]] 2: region is less than 2.5 mm away"),
        (
            "[form]\npaper = 'A5'\n[[field]]\nname = 'a'\nregion = [150, 50, 30, 12]",
            "[[field]] 1: region is not inside",
        ),
        ("[[field]]\nname = 'a'\nregion = [1, 2, 3]", "[[field]] 1: region is [1, 2, 3], not a list of four numbers"),
        ("[[field]]\nregion = [30, 50, 30, 12]", "[[field]] 1: name is '', not a text of 1 to 40 characters"),
        ("[form]\npaper = 'A3'", "form.paper is 'A3', not one of A4, A5, A6"),
        ("[frames]\nrate 30", "is not TOML: Expected '=' after a key in a key/value pair (at line 2"),
        ("[frames]\nrate = 3\n[frames]", "is not TOML: Cannot declare ('frames',) twice (at line 3"),
        ('[frames]\nsource = """', "is not TOML: Unterminated string (at end of document)"),
    ],
)
def test_what_is_wrong_is_named_with_file_section_and_key(file, text, fault):
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_config([file])
    assert str(error.value).startswith(f"{file}: {fault}")


def test_an_exposure_that_a_frame_has_no_time_for_is_as_long_as_the_frame():
    long = load_config((), merge_changes(["camera.exposure_us=400000"]))  # at 30 frames a second
    assert long.camera.exposure_us == 400_000
    assert load_config((), merge_changes(["camera.exposure_us=400000", "frames.rate=2", "frames.max_age_ms=401"]))


@pytest.mark.parametrize(
    "host", ["", "localhost", "192.168.1.2", "::1", "fe80::1%wlan0", "bücher.example", "broker.lan."]
)
def test_every_way_to_name_a_machine_may_be_used(host):
    changes = {"mqtt": {"host": host}, "metrics": {"address": host}}
    assert load_config((), changes).mqtt.host == host


def test_files_that_are_no_configuration(file):
    file.write_bytes(b"a = 1\nb = '\xff'")
    with pytest.raises(ConfigError, match=r"config.toml: line 2 is not UTF-8"):
        load_config([file])
    file.write_bytes(b"#" * 70_000)
    with pytest.raises(ConfigError, match="is larger than 64 KiB"):
        load_config([file])
    file.write_text(f"a = {'[' * 5000}{']' * 5000}")
    with pytest.raises(ConfigError, match="is nested too deeply"):
        load_config([file])
    with pytest.raises(ConfigError, match="is a folder"):
        load_config([file.parent])
    with pytest.raises(ConfigError, match=r"none.toml: cannot be opened \(No such file or directory\)"):
        load_config(["none.toml"])


def test_a_link_to_nowhere_masks_a_file(file):
    """As systemd's own files are masked; /dev/null itself is no configuration at all."""
    (file.parent / "config.d").mkdir()
    (file.parent / "config.d" / "10-a.toml").symlink_to(os.devnull)
    file.write_text("[frames]\nrate = 10\n")
    assert load_config(config_files(file)).frames.rate == 10
    assert load_config([os.devnull]) == load_config(())


def test_a_pipe_is_no_empty_configuration(file):
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    with within(20), pytest.raises(ConfigError, match=r"config.toml: is no ordinary file; name a file$"):
        load_config([file])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"[frames]\nrate = {'1' * 5000}\n", "holds a number of thousands of digits"),
        (f"frames.{'a.' * 30_000}rate = 1\n", "is nested too deeply"),
        (f"[{'a.' * 30_000}rate]\n", "is nested too deeply"),
        (f"x = {{{'a.' * 30_000}a = 1}}\n", "is nested too deeply"),
        (f"camera.gain = 0.{'1' * 5000}\nframes.rate = 999\n", "frames.rate is 999"),
    ],
    ids=["digits", "key", "section", "inline", "decimals"],
)
def test_what_would_keep_the_parser_busy_is_refused_at_once(text, wrong, file):
    file.write_text(text)
    start = time.process_time()
    with pytest.raises(ConfigError, match=f"config.toml: {wrong}"):
        load_config([file])
    assert time.process_time() - start < 1


def test_as_many_dots_as_a_line_may_have_take_no_time(file):
    """The worst file that is parsed."""
    file.write_text("".join(f"{'a.' * 255}b{number} = 1\n" for number in range(126)))
    start = time.process_time()
    with pytest.raises(ConfigError, match="there is no section"):
        load_config([file])
    assert time.process_time() - start < 2


def test_a_number_of_thousands_of_digits_on_the_command_line():
    with pytest.raises(ConfigError, match=r"frames.rate is '111"):
        merge_changes(["frames.rate=" + "1" * 5000])


def test_drop_ins_come_after_the_file_in_the_order_of_their_names(file):
    file.write_text("[frames]\nrate = 10\nwidth = 320\n")
    (file.parent / "config.d").mkdir()
    (file.parent / "config.d" / "20-b.toml").write_text("frames.rate = 20")
    (file.parent / "config.d" / "10-a.toml").write_text("frames.rate = 15")
    (file.parent / "config.d" / "30-c.txt").write_text("nonsense")
    config = load_config(config_files(file))
    assert (config.frames.rate, config.frames.width, config.frames.height) == (20, 320, 480)


def test_a_folder_that_cannot_be_looked_into_is_not_an_empty_one(file):
    file.write_text("[frames]\nrate = 10\n")
    (file.parent / "config.d").write_text("no folder")
    with pytest.raises(ConfigError, match=r"config\.d: cannot be looked into \(Not a directory\)"):
        config_files(file)
    (file.parent / "config.d").unlink()
    (file.parent / "config.d").symlink_to("config.d")
    with pytest.raises(ConfigError, match=r"config\.d: cannot be looked into \(Too many levels"):
        config_files(file)


def test_a_configuration_that_is_closed_to_the_service_is_named_and_needs_a_person(monkeypatch, capsys):
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    with contextlib.ExitStack() as cleaning:
        cleaning.callback(shutil.rmtree, folder)
        (folder / "etc/config.d").mkdir(parents=True)
        (folder / "etc/config.toml").write_text("[frames]\nrate = 10\n")
        monkeypatch.setattr("edge_lpdpl.live.config.loading.SYSTEM_FILE", folder / "etc/config.toml")
        folder.chmod(0o755)
        for closed in ("etc/config.toml", "etc/config.d", "etc"):
            (folder / closed).chmod(0)
            with nobody():
                assert main(["config", "check"]) == 2
            (line,) = capsys.readouterr().err.splitlines()
            assert str(folder / closed) in line
            assert "Permission denied" in line
            (folder / closed).chmod(0o755)
        with nobody():
            assert main(["config", "check"]) == 0


def test_values_that_do_not_fit_each_other_are_blamed_on_the_file_that_set_them_last(file):
    file.write_text("[page]\nregion = [0, 0, 640, 480]")
    other = file.with_name("other.toml")
    other.write_text("\n[frames]\nwidth = 320")
    with pytest.raises(ConfigError, match=r"config.toml: page.region is not a part of the 320x480 frame"):
        load_config([file, other])


def test_repeated_sections_of_all_files_add_up_and_each_is_blamed_on_its_file(file):
    file.write_text("[[action]]\nwhen = 'rejected'\ngpio = 4\n[[action]]\nwebhook = 'https://hub/x'\n")
    other = file.with_name("other.toml")
    other.write_text("[[action]]\ncommand = ['/bin/echo', 'a b', '']\ntimeout_s = 1\n")
    first, second, third = load_config([file, other]).action
    assert (first.when, first.gpio, first.webhook, second.when) == ("rejected", 4, "", "accepted")
    assert (second.webhook, second.gpio, third.command) == ("https://hub/x", -1, ("/bin/echo", "a b", ""))
    assert (type(third.timeout_s), third.timeout_s) == (float, 1.0)
    other.write_text("[[action]]\ncommand = ['/bin/true']\n[[action]]\nwhen = 'number = 3'\ngpio = 5\n")
    with pytest.raises(ConfigError, match=r"other.toml: \[\[action\]\] 2: when is 'number = 3'"):
        load_config([file, other])


def test_actions_are_neither_set_on_a_command_line_nor_taken_over_by_a_reload(file):
    with pytest.raises(ConfigError, match=r"\[\[action\]\] may be repeated: set it in a file"):
        merge_changes(["action.when=accepted"])
    file.write_text("[[action]]\ngpio = 4\n")
    assert needs_restart(load_config(()), load_config([file])) == ["[[action]]"]


def test_the_pattern_of_a_repeated_section_is_a_comment(file):
    """Who copies the default whole gets the defaults."""
    file.write_text(DEFAULT_FILE.read_text("utf-8"), "utf-8")
    assert load_config([file]) == load_config(())


def test_changes_of_a_command_line_win_and_are_checked():
    changes = merge_changes(["frames.rate=5", "page.region=[0, 0, 100, 100]", "model.file=latin10", "frames.rate=6"])
    config = load_config((), changes)
    assert (config.frames.rate, config.page.region, config.model.file) == (6, (0, 0, 100, 100), "latin10")
    for wrong in ("rate=5", "frames.rate", "frames.rate=fast", "frames.speed=2", "light.rate=1", "frames.rate="):
        with pytest.raises(ConfigError):
            merge_changes([wrong])


def test_what_needs_a_restart_is_known():
    old = load_config(())
    new = load_config(
        (),
        merge_changes(["frames.rate=5", "frames.max_age_ms=99", "camera.gain=2", "camera.rotate=true", "mqtt.host=a"]),
    )
    assert needs_restart(old, new) == ["frames.rate", "camera.rotate", "mqtt.host"]


def test_show_prints_what_can_be_read_again(file, capsys):
    file.write_text("[[action]]\nwhen = 'number == 42'\ncommand = ['/bin/echo', '\"']\n[[action]]\ngpio = 4\n")
    config = load_config([file], merge_changes(['model.file=a "quoted" \\ name', "camera.gain=3"]))
    file.write_text(as_toml(config))
    assert load_config([file]) == config
    assert main(["config", "show", "--config", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == config.values()
    assert main(["config", "show", "--default"]) == 0
    assert capsys.readouterr().out == DEFAULT_FILE.read_text("utf-8")


KEYS = [(section, key) for section, keys in schema().items() for key in (*keys, "x")] + [("x", "rate")]
CHOICES = [choice for keys in schema().values() for setting in keys.values() for choice in setting.choices]
NUMBERS = st.integers(-5, 2000) | st.integers() | st.sampled_from([10**400, 16**4000]) | st.floats()
ANYTHING = st.none() | st.booleans() | NUMBERS | st.sampled_from(CHOICES) | st.text(max_size=9)


@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING | st.lists(ANYTHING, max_size=5) | st.just({}), max_size=4))
def test_whatever_is_accepted_may_be_so_and_can_be_printed_and_read_again(tmp_path_factory, wanted):
    changes = {}
    for (section, key), value in wanted.items():
        changes.setdefault(section, {})[key] = value
    try:
        config = load_config((), changes)
    except ConfigError:
        return
    for section in set(schema()) - repeated():
        for key, value in config.values()[section].items():
            assert schema()[section][key].fault(list(value) if isinstance(value, tuple) else value) is None
    file = tmp_path_factory.mktemp("any") / "config.toml"
    file.write_text(as_toml(config), "utf-8")
    assert load_config([file]) == config


@given(st.binary(max_size=300))
def test_any_bytes_are_a_configuration_or_a_clear_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "config.toml"
    path.write_bytes(data)
    fault = None
    try:
        load_config([path])
    except ConfigError as error:
        fault = str(error)
    assert fault is None or (fault.startswith(str(path)) and "\n" not in fault)
