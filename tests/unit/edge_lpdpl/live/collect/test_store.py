"""The folder of collected numerals: bounded by bytes, number and days, and whole after any fault."""

import os
import time

import pytest

from edge_lpdpl.errors import EdgeError
from edge_lpdpl.live.collect import store as module
from edge_lpdpl.live.collect.store import Collected, CollectStore

BLOCK = 4096


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "collected"


@pytest.fixture
def store(folder):
    return CollectStore(folder, 1 << 20, 30)


def one(seconds_ago=0, place=0, doubt=500, read="七"):
    return Collected(f"{int(1000 * (time.time() - seconds_ago)):013}{place:03}", read, doubt)


def test_the_most_doubtful_come_first(store):
    store.add([(one(place=place, doubt=doubt), b"png") for place, doubt in enumerate((20, 1900, 700))])
    assert [found.doubt for found in store.pictures(labelled=False)] == [1900, 700, 20]


def test_a_label_is_kept_and_can_be_taken_back(folder, store):
    picture = one(read=None)
    store.add([(picture, b"png")])
    store.label(picture.id, "亿")
    again = CollectStore(folder, 1 << 20, 30)
    assert [(found.read, found.label) for found in again.pictures(labelled=True)] == [(None, "亿")]
    assert again.data(again.pictures(labelled=True)[0]) == b"png"
    again.label(picture.id, None)
    assert again.counts() == {"pictures": 1, "labelled": 0, "size": BLOCK}
    assert len(list(folder.iterdir())) == 1


def test_the_quota_holds_and_labelled_ones_go_last(folder):
    store = CollectStore(folder, 4 * BLOCK, 30)
    pictures = [one(seconds_ago=100 - place) for place in range(4)]
    store.add([(picture, b"x" * BLOCK) for picture in pictures])
    store.label(pictures[0].id, "七")
    store.add([(newest := one(), b"x" * (BLOCK + 1))])
    left = {found.id for labelled in (True, False) for found in store.pictures(labelled=labelled)}
    assert left == {pictures[0].id, pictures[3].id, newest.id}
    assert store.counts()["size"] == 4 * BLOCK
    assert len(list(folder.iterdir())) == 3


def test_what_is_larger_than_the_quota_makes_nothing_go(folder):
    store = CollectStore(folder, BLOCK, 30)
    store.add([(one(seconds_ago=9), b"png"), (one(), b"x" * 2 * BLOCK)])
    assert store.counts()["pictures"] == 1


def test_so_many_pictures_fit(store, monkeypatch):
    monkeypatch.setattr(module, "MOST_PICTURES", 3)
    store.add([(one(seconds_ago=9 - place), b"png") for place in range(5)])
    assert store.counts()["pictures"] == 3


def test_after_so_many_days_a_picture_goes_with_or_without_a_label(folder):
    week = CollectStore(folder, 1 << 20, 8)
    old, older = one(seconds_ago=7 * 86400), one(seconds_ago=7.5 * 86400)
    week.add([(old, b"png"), (older, b"png")])
    week.label(older.id, "七")
    day = CollectStore(folder, 1 << 20, 6)
    assert day.pictures(labelled=False) == day.pictures(labelled=True) == []
    assert list(folder.iterdir()) == []


def test_files_of_others_are_left_alone(folder):
    folder.mkdir()
    strange = ["notes.txt", "1700000000000003.ff.1158.-.png", "1700000000000003.-.1158.-.png.part"]
    for name in strange:
        (folder / name).write_text("x")
    (folder / one().name).symlink_to("/etc/passwd")
    store = CollectStore(folder, 1 << 20, 30)
    assert store.counts()["pictures"] == 0
    store.discard(None)
    assert len(list(folder.iterdir())) == 4


@pytest.mark.parametrize("act", [lambda store: store.label("7", "七"), lambda store: store.discard(["7"])])
def test_a_picture_that_is_not_there_is_refused(store, act):
    with pytest.raises(EdgeError, match="no such picture"):
        act(store)


def test_nobody_else_may_look_into_the_folder(folder, store):
    store.add([(one(), b"png")])
    assert os.stat(folder).st_mode & 0o077 == 0


def test_a_picture_that_could_not_be_written_whole_is_none(folder, store, monkeypatch):
    def fail(*names):
        raise OSError(5, "power cut")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="power cut"):
        store.add([(one(), b"png")])
    assert CollectStore(folder, 1 << 20, 30).counts()["pictures"] == 0
