"""Where hands are kept."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from taught_hands import drawn, keep

from edge_lpdpl.errors import HandError
from edge_lpdpl.library.hands import changing, check_clearable, hand_file, hand_names, hands_folder, load_hand
from edge_lpdpl.numeral.hand import Hand, Sample, write_hand

MINE = Hand((Sample("七", drawn("七")),))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDS_DIRECTORY", str(tmp_path / "hands"))
    return tmp_path / "hands"


def test_what_is_kept_is_loaded(folder):
    assert keep("auto", MINE) == folder / "mine.hand"
    assert load_hand("auto") == load_hand("mine") == MINE


def test_there_are_several_by_name(folder):
    keep("anna", MINE)
    keep("bo-2", Hand())
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
    keep(path, MINE)
    assert load_hand(path) == MINE
    assert hand_names() == []


def test_off_is_an_empty_hand_that_nothing_is_kept_in(folder):
    assert load_hand("off") == Hand()
    with pytest.raises(HandError, match="the hand is switched off"):
        keep("off", MINE)


def test_a_link_is_read_and_not_replaced(folder, tmp_path):
    other, link = tmp_path / "other.hand", folder / "mine.hand"
    keep(str(other), MINE)
    folder.mkdir(exist_ok=True)
    link.symlink_to(other)
    assert load_hand("auto") == MINE
    with pytest.raises(HandError, match=r"mine\.hand: is a link, .*; name the file that it leads to"):
        keep("auto", Hand())
    assert link.is_symlink()
    assert load_hand(str(other)) == MINE


def test_a_damaged_one_is_no_empty_one(folder):
    keep("auto", MINE)
    (folder / "mine.hand").write_bytes(b"damaged!")
    with pytest.raises(HandError, match=r"mine\.hand"):
        load_hand("auto")


def test_one_changes_a_hand_at_a_time(folder, monkeypatch):
    monkeypatch.setattr("edge_lpdpl.library.hands._PATIENCE", 0.1)
    with changing("auto"), pytest.raises(HandError, match=r"mine\.hand: another program is changing it; try again"):
        keep("auto", MINE)
    keep("auto", MINE)


def test_what_many_teach_at_once_is_all_kept(folder):
    hands = [Sample(label, drawn(label)) for label in "一二三四五六七八"]

    def teach(sample):
        with changing("auto") as path:
            write_hand(path, load_hand("auto").with_sample(sample))

    with ThreadPoolExecutor(len(hands)) as pool:
        list(pool.map(teach, hands))
    assert {sample.label for sample in load_hand("auto").samples} == set("一二三四五六七八")


def test_only_a_hand_is_cleared(tmp_path):
    for name in ("damaged.hand", "model.safetensors"):
        (tmp_path / name).write_bytes(b"damaged!")
    check_clearable(tmp_path / "damaged.hand")
    check_clearable(tmp_path / "none")
    with pytest.raises(HandError, match=r"model\.safetensors: .* it is not cleared"):
        check_clearable(tmp_path / "model.safetensors")
    check_clearable(keep(str(tmp_path / "mine.bin"), MINE))


@pytest.mark.parametrize("name", ["Anna", "a b", "", "x" * 33, "\n"])
def test_a_name_is_short_and_plain(name):
    with pytest.raises(HandError, match="is no hand: name a file, or give 1 to 32 of a-z, 0-9 and -"):
        hand_file(name)


def test_only_its_user_may_look_into_the_folder(folder):
    keep("auto", MINE)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_hands_are_in_the_folder_of_the_person_or_of_the_service(tmp_path, monkeypatch):
    monkeypatch.delenv("HANDS_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert hands_folder() == tmp_path / "edge-lpdpl" / "hands"
    monkeypatch.setenv("HANDS_DIRECTORY", "/var/lib/edge-lpdpl-hands")
    assert hands_folder() == Path("/var/lib/edge-lpdpl-hands")
