"""The texts of the page: two languages that say the same, and words in both for what the service may refuse."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from taught_hands import keep

from edge_lpdpl.errors import ConfigError, EdgeError
from edge_lpdpl.files.atomic import blaming
from edge_lpdpl.form.fields import MOST_FIELDS, find_unreadable
from edge_lpdpl.library.hands import load_hand
from edge_lpdpl.library.shipped import shipped_model
from edge_lpdpl.library.teaching import Teacher
from edge_lpdpl.live.collect.store import CollectStore
from edge_lpdpl.live.config.loading import PAGE_SETTINGS, load_config
from edge_lpdpl.live.reload import Reloader
from edge_lpdpl.live.setup import prepare
from edge_lpdpl.live.triggers.gpio import claim_pin
from edge_lpdpl.live.view.viewing import MOST_WAITING, Viewing
from edge_lpdpl.model.files import read_model
from edge_lpdpl.model.labels import CHINESE as NUMERALS
from edge_lpdpl.number.constraints import Constraints
from edge_lpdpl.number.line_reader import NUMBER_REASONS
from edge_lpdpl.numeral.hand import MOST_SAMPLES, Hand, Sample
from edge_lpdpl.page.boxes import UNREAD_REASONS
from edge_lpdpl.page.rejection import REASONS
from edge_lpdpl.web import link, server
from edge_lpdpl.web.keeping import Keeping, flat

PAGE = Path(server.PAGE)
ENGLISH, CHINESE = (json.loads((PAGE / f"{name}.json").read_text("utf-8")) for name in ("en", "zh"))


def values_of(words):
    return sorted(re.findall(r"\{(\w+)\}", words))


def pattern_of(words):
    """As `patternOf` of texts.js."""
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(words)))


def named(said):
    """The text of the page for what the service says, as `fault` of texts.js finds it."""
    plain = said.removeprefix("set refused: ")
    return next(
        (name for name, words in ENGLISH.items() if is_fault(name) and pattern_of(words).fullmatch(plain)), None
    )


def is_fault(name):
    return name.startswith("fault.")


def test_both_languages_have_the_same_texts_in_the_same_order():
    assert list(ENGLISH) == list(CHINESE)


@pytest.mark.parametrize("name", [name for name in ENGLISH if not is_fault(name)])
def test_a_text_says_the_same_values_in_both_languages(name):
    assert values_of(ENGLISH[name]) == values_of(CHINESE[name])


@pytest.mark.parametrize("name", [name for name in ENGLISH if is_fault(name)])
def test_a_fault_says_in_chinese_no_more_than_the_service_said(name):
    assert set(values_of(CHINESE[name])) <= set(values_of(ENGLISH[name]))


def test_every_reason_has_words():
    for reason in (*REASONS, *UNREAD_REASONS, *NUMBER_REASONS):
        assert f"reason.{reason}" in ENGLISH


def test_every_text_that_the_page_names_is_there():
    code = "".join(path.read_text("utf-8") for path in PAGE.iterdir() if path.suffix in (".js", ".html"))
    wanted = set(re.findall(r"""(?:\btext\(|data-text=|data-label=)["`]([\w.]+)["`]""", code))
    assert len(wanted) > 60
    assert wanted <= ENGLISH.keys()


def test_every_setting_of_the_page_has_a_name():
    shown = set(re.findall(r'data-setting="([\w.]+)"', (PAGE / "index.html").read_text("utf-8")))
    assert {f"setting.{name}" for name in shown} <= ENGLISH.keys()
    assert shown < {f"{section}.{key}" for section, keys in PAGE_SETTINGS.items() for key in keys}


A_FIELD = {"name": "a", "region": [0, 0, 100, 60]}
STILL = {"form": {"align": "none"}}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"trigger": {"still_ms": 10**6}}, "fault.range"),
        ({"camera": {"gain": -1}}, "fault.range"),
        ({"page": {"region": [-4, 0, 50, 50]}}, "fault.range.item"),
        ({"trigger": {"interval_ms": 1.5}}, "fault.whole"),
        ({"page": {"region": [600, 0, 100, 50]}}, "fault.region"),
        ({"trigger": {"kind": "interval", "interval_ms": 10}}, "fault.interval"),
        ({"camera": {"exposure_us": 10**6}, "frames": {"rate": 1}}, "fault.exposure"),
        ({**STILL, "field": [{**A_FIELD, "name": " "}]}, "fault.field.name"),
        ({**STILL, "field": [A_FIELD, A_FIELD]}, "fault.field.same"),
        ({**STILL, "field": [A_FIELD, {**A_FIELD, "name": "b"}]}, "fault.field.near"),
        ({**STILL, "field": [{**A_FIELD, "region": [0, 0, 9, 60]}]}, "fault.field.small"),
        ({**STILL, "field": [{**A_FIELD, "region": [600, 0, 90, 60]}]}, "fault.field.inside"),
        ({**STILL, "field": [{**A_FIELD, "length": 99}]}, "fault.field.range"),
        ({**STILL, "field": [A_FIELD] * (MOST_FIELDS + 1)}, "fault.field.many"),
        ({**STILL, "field": [A_FIELD], "model": {"also": ["latin10"]}}, "fault.also"),
        ({**STILL, "field": [A_FIELD], "page": {"columns": True}}, "fault.columns"),
        ({"model": {"file": "latin10"}, "page": {"columns": True}}, "fault.columns.digits"),
    ],
)
def test_what_is_wrong_with_a_setting_has_words(changes, fault):
    with pytest.raises(ConfigError) as caught:
        prepare(load_config((), changes), 480, 640)
    assert named(f"set refused: {caught.value}") == fault


class TestOther:
    """What else the service and the page's server say."""

    def test_of_the_connection(self):
        assert named(link.GONE) == "fault.gone"
        assert named(link.SILENT) == "fault.slow"
        assert named(link.TOO_LONG) == "fault.long"
        assert named(server.OLD) == "fault.old"

    def test_of_a_model_that_lacks_a_character(self):
        (lacking,) = find_unreadable(Constraints(minimum=100), 0, NUMERALS[:11], "small")
        assert named(f"set refused: field 1: {lacking}") == "fault.field.model"

    def test_of_a_full_house(self, tmp_path):
        viewing = Viewing()
        for _ in range(MOST_WAITING):
            viewing.watch(lambda answer, data: None)
        assert said(viewing.watch, lambda answer, data: None) == "fault.watched"
        config = load_config(())
        reloader = Reloader(list, {}, prepare(config, 64, 64), 64, 64)
        for _ in range(16):
            reloader.take_hand(lambda answer: None)
        assert said(reloader.take_hand, lambda answer: None) == "fault.busy"

    def test_of_a_decision_that_is_long_gone(self):
        assert said(Viewing().cut_outs, {"decision": 7}) == "fault.cut"

    def test_of_keeping(self, tmp_path):
        assert said(Keeping(tmp_path / "x").undo) == "fault.undo"
        mine, other = tmp_path / "90-page.toml", tmp_path / "other.toml"
        other.write_text('[form]\nalign = "none"\n[[field]]\nname = "a"\nregion = [0, 0, 100, 60]\n')
        now = load_config(()).values()
        keep, frame = Keeping(mine, lambda: [other]).keep, {"width": 640, "height": 480}
        assert said(keep, flat(now), now, frame) == "fault.elsewhere"
        assert said(keep, {}, now, frame) == "fault.unchanged"
        assert said(Keeping(tmp_path / "a" / "b" / "c").keep, {"page.ink": "dark"}, now, frame) == "fault.folder"

    def test_of_a_file_that_cannot_be_written(self):
        def write():
            with blaming("/etc/edge-lpdpl/config.d/90-page.toml", ConfigError):
                raise PermissionError(13, "Permission denied")

        assert said(write) == "fault.written"

    def test_of_a_button(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "gpiozero", None)
        assert said(claim_pin, "trigger.button_pin", 17, "Button") == "fault.gpiozero"

    def test_of_teaching(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path))
        teacher, blank = Teacher(read_model(shipped_model("chinese15"))), np.zeros((40, 40), np.uint8)
        assert said(teacher.teach, Hand(), blank, "七") == "fault.ink"
        assert said(Hand().without, ["5d41402abc4b"]) == "fault.sample"
        keep("auto", Hand()).write_bytes(b"damaged!")
        assert said(load_hand, "auto") == "fault.hand"
        pictures = [np.full((32, 32), 1 + place % 200, np.uint8) for place in range(MOST_SAMPLES + 1)]
        for place, picture in enumerate(pictures):
            picture[0, 0] = place // 200
        assert said(Hand, tuple(Sample("七", picture) for picture in pictures)) == "fault.full"

    def test_of_a_collected_picture_that_made_room(self, tmp_path):
        assert said(CollectStore(tmp_path, 1 << 20, 1).label, "1" * 16, "七") == "fault.picture"

    def test_what_is_unknown_has_no_words_of_its_own(self):
        assert named("a thing that nobody has foreseen") is None
        assert values_of(CHINESE["error.other"]) == ["said"]


def said(call, *arguments):
    """The name of the text for what a call refuses."""
    with pytest.raises(EdgeError) as caught:
        call(*arguments)
    return named(str(caught.value))
