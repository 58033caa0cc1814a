"""The shipped models read all shipped pictures with high confidence."""

import pytest

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import LOOKS, SCRIPTS, specimens


@pytest.mark.parametrize(("model", "script"), [("chinese15", "chinese"), ("arabic10", "arabic"), ("latin10", "latin")])
def test_every_shipped_picture_is_read_and_none_is_a_stranger(model, script):
    recogniser = Recogniser.load(shipped_model(model))
    assert recogniser.model.novelty is not None
    shown = specimens(recogniser.model.labels)
    assert len(shown) == len(LOOKS) * len(SCRIPTS[script])
    unread = []
    for specimen in shown:
        read = recogniser.recognise(read_picture(specimen.path))
        if read.rejected or read.value != specimen.label.value:
            unread.append((specimen.path.name, read.label, round(read.confidence, 3), round(read.novelty, 2)))
    assert unread == []
