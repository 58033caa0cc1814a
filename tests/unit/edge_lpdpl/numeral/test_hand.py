"""A hand as a file: what is written is read again, and what is damaged or hostile is refused in one line."""

import json

import numpy as np
import pytest

from edge_lpdpl.errors import HandError
from edge_lpdpl.model.container import join
from edge_lpdpl.numeral.hand import (
    MOST_BYTES,
    MOST_SAMPLES,
    Hand,
    Sample,
    hand_bytes,
    parse_hand,
    read_hand,
    write_hand,
)


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (32, 32), np.uint8)


def hand_of(count: int) -> Hand:
    return Hand(tuple(Sample("零一二三四五六七八九"[seed % 10], picture(seed)) for seed in range(count)))


def with_metadata(**changes: object) -> bytes:
    hand = hand_of(2)
    table = {"kind": "hand", "schema": 1, "labels": ["零", "一"], "digest": hand.digest} | changes
    return join(json.dumps(table), {"pictures": np.stack([sample.picture for sample in hand.samples])})


class TestHand:
    def test_a_sample_is_taught_once(self):
        hand = hand_of(3)
        assert hand.with_sample(Sample("一", picture(1))) is hand

    def test_the_same_picture_may_have_another_label(self):
        assert len(hand_of(3).with_sample(Sample("七", picture(1)))) == 4

    def test_forgetting_undoes_teaching_exactly(self):
        before = hand_of(3)
        sample = Sample("七", picture(9))
        assert before.with_sample(sample).without([sample.id]) == before

    def test_what_it_does_not_hold_cannot_be_forgotten(self):
        with pytest.raises(HandError, match="holds no sample 123; `edge-lpdpl ask hand` lists the service"):
            hand_of(3).without(["123"])

    def test_it_is_bounded(self):
        full = hand_of(MOST_SAMPLES)
        with pytest.raises(HandError, match="the hand has 501 samples, at most 500 fit; forget some"):
            full.with_sample(Sample("七", picture(1000)))

    def test_a_sample_keeps_no_array_that_others_write(self):
        mine = picture(0)
        sample = Sample("七", mine)
        mine[:] = 1
        assert (sample.picture == picture(0)).all()
        assert not sample.picture.flags.writeable

    @pytest.mark.parametrize("label", ["", "too long a label", "\n", "\ud800", 7, None])
    def test_a_label_is_a_short_printable_text(self, label):
        with pytest.raises(HandError, match="a label is"):
            Sample(label, picture(0))

    @pytest.mark.parametrize(
        "wrong", [picture(0)[:31], picture(0).astype(np.float32), [[1]]], ids=["smaller", "floats", "a list"]
    )
    def test_a_picture_has_one_size_and_type(self, wrong):
        with pytest.raises(HandError, match="is not 32x32 uint8"):
            Sample("七", wrong)

    def test_a_picture_has_ink(self):
        with pytest.raises(HandError, match="has no ink"):
            Sample("七", np.zeros((32, 32), np.uint8))


class TestFile:
    @pytest.mark.parametrize("count", [0, 1, 3, MOST_SAMPLES])
    def test_what_is_written_is_read(self, tmp_path, count):
        hand = hand_of(count)
        write_hand(tmp_path / "mine.hand", hand)
        again = read_hand(tmp_path / "mine.hand")
        assert again == hand
        assert [sample.label for sample in again.samples] == [sample.label for sample in hand.samples]
        assert [path.name for path in tmp_path.iterdir()] == ["mine.hand"]

    def test_the_largest_one_is_not_refused(self):
        widest = Hand(tuple(Sample("\U0001d7d8" * 8, picture(seed)) for seed in range(MOST_SAMPLES)))
        assert len(hand_bytes(widest)) <= MOST_BYTES

    @pytest.mark.parametrize(
        ("data", "fault"),
        [
            (b"", "is too short for a header, 0 bytes"),
            (
                b"GIF89a..",
                "is of another kind, or cut off: the header is 3327704073058535751 bytes long, in a file of 8",
            ),
            (with_metadata(kind="model"), "is no hand"),
            (with_metadata(schema=2), "has another format than 1"),
            (with_metadata(more=1), "has another format than 1"),
            (with_metadata(labels=["零"]), "has 1 labels and 2 pictures"),
            (with_metadata(labels=[]), "its arrays are not the pictures alone"),
            (with_metadata(labels="零一"), "has no list of at most 500 labels"),
            (with_metadata(labels=["零"] * 501), "has no list of at most 500 labels"),
            (with_metadata(labels=["零", 7]), "a label is '7', not 1 to 8 printable characters"),
            (with_metadata(labels=["零", "二"]), "its content is not what its digest was made for"),
            (with_metadata(digest=7), "its content is not what its digest was made for"),
            (hand_bytes(hand_of(2))[:-1], "the tensors end at offset 2048, the file has 2047 bytes for them"),
        ],
    )
    def test_another_one_is_refused_in_one_line(self, data, fault):
        with pytest.raises(HandError) as caught:
            parse_hand(data, "mine.hand")
        remedy = "give a hand that `edge-lpdpl hand export` wrote, or begin anew: edge-lpdpl hand clear"
        assert str(caught.value) == f"mine.hand: {fault}; {remedy}"

    def test_every_changed_byte_is_seen(self):
        data = hand_bytes(hand_of(1))
        for place in range(len(data)):
            changed = bytearray(data)
            changed[place] ^= 1
            with pytest.raises(HandError):
                parse_hand(bytes(changed), "mine.hand")

    def test_a_longer_file_is_not_read_to_its_end(self, tmp_path):
        path = tmp_path / "long.hand"
        path.write_bytes(bytes(MOST_BYTES + 1))
        with pytest.raises(HandError, match=r"long\.hand: is larger than 564 KiB; give a smaller one"):
            read_hand(path)

    def test_a_failed_write_leaves_the_old_one(self, tmp_path):
        with pytest.raises(HandError, match="cannot be written"):
            write_hand(tmp_path / "none" / "mine.hand", hand_of(1))
