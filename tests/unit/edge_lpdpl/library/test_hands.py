"""Where hands are kept."""

from pathlib import Path

import pytest
from taught_hands import drawn

from edge_lpdpl.errors import HandError
from edge_lpdpl.library.hands import hand_file, hand_names, hands_folder, keep_hand, load_hand
from edge_lpdpl.numeral.hand import Hand, Sample

MINE = Hand((Sample("七", drawn("七")),))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path / "hands"))
    return tmp_path / "hands"


def test_what_is_kept_is_loaded(folder):
    assert keep_hand("auto", MINE) == folder / "mine.hand"
    assert load_hand("auto") == load_hand("mine") == MINE


def test_there_are_several_by_name(folder):
    keep_hand("anna", MINE)
    keep_hand("bo-2", Hand())
    (folder / "notes.txt").write_text("no hand")
    assert hand_names() == ["anna", "bo-2"]
    assert load_hand("auto") == Hand()


def test_a_name_may_have_to_be_one_of_a_hand(folder):
    assert load_hand("auto", must_exist=True) == Hand()
    with pytest.raises(HandError, match=r"anna\.hand: is not there; check the name, or make it: edge-lpdpl teach"):
        load_hand("anna", must_exist=True)


def test_a_file_may_be_named(tmp_path, folder):
    path = str(tmp_path / "card.hand")
    assert load_hand(path) == Hand()
    keep_hand(path, MINE)
    assert load_hand(path) == MINE
    assert hand_names() == []


def test_off_is_an_empty_hand_that_nothing_is_kept_in(folder):
    assert load_hand("off") == Hand()
    with pytest.raises(HandError, match="the hand is switched off"):
        keep_hand("off", MINE)


def test_a_damaged_one_is_no_empty_one(folder):
    keep_hand("auto", MINE)
    (folder / "mine.hand").write_bytes(b"damaged!")
    with pytest.raises(HandError, match=r"mine\.hand"):
        load_hand("auto")


@pytest.mark.parametrize("name", ["Anna", "a b", "", "x" * 33, "\n"])
def test_a_name_is_short_and_plain(name):
    with pytest.raises(HandError, match="is no hand: name a file, or give 1 to 32 of a-z, 0-9 and -"):
        hand_file(name)


def test_only_its_user_may_look_into_the_folder(folder):
    keep_hand("auto", MINE)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_hands_are_in_the_folder_of_the_person_or_of_the_service(tmp_path, monkeypatch):
    monkeypatch.delenv("HANDS_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert hands_folder() == tmp_path / "edge-lpdpl" / "hands"
    monkeypatch.setenv("HANDS_DIRECTORY", "/var/lib/edge-lpdpl-hands")
    assert hands_folder() == Path("/var/lib/edge-lpdpl-hands")
