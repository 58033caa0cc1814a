"""The shipped models read all shipped pictures with high confidence."""

import pytest

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import LOOKS, shipped_models, specimens


@pytest.mark.parametrize("model", shipped_models())
def test_every_shipped_picture_is_read_and_none_is_a_stranger(model):
    recogniser = Recogniser.load(shipped_model(model))
    assert recogniser.model.novelty is not None
    shown = specimens(recogniser.model.labels)
    assert len(shown) == len(LOOKS) * len(recogniser.model.labels)
    unread = []
    for specimen in shown:
        read = recogniser.recognise(read_picture(specimen.path))
        if read.rejected or read.value != specimen.label.value:
            unread.append((specimen.path.name, read.label, round(read.confidence, 3), round(read.novelty, 2)))
    assert unread == []


@pytest.mark.parametrize("name", shipped_models())
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_every_picture_of_a_self_test_is_read(name, backend):
    recogniser = Recogniser.load(shipped_model(name), backend)
    recogniser.self_test()
    model = recogniser.model
    assert model.selftest_pictures is not None
    assert model.selftest_pictures.nbytes <= 15 << 10
    read = [recogniser.recognise(picture) for picture in model.selftest_pictures]
    assert [(recognition.label, recognition.rejected) for recognition in read] == [
        (label.character, False) for label in model.labels
    ]
