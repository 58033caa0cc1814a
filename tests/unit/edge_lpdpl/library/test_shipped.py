"""The shipped models read all shipped pictures with high confidence."""

import pytest

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import LOOKS, shipped_models, specimens
from edge_lpdpl.model.labels import CHEQUE, CHINESE
from train_host.synthetic import strokes
from train_host.synthetic.pictures import draw_numeral
from train_host.synthetic.strokes import other_shapes


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
    unlike = {"cheque15": ["叁"]}.get(name, [])  # drawn in 32 pixels: real ones are not so
    assert [(recognition.label, recognition.rejected) for recognition in read] == [
        (label.character, label.character in unlike) for label in model.labels
    ]


DEEP_BOWLS = (
    "76,10 ~74,36 ~52,42 ~30,34 30,10 ~32,50 34,94",
    "70,12 ~70,28 ~50,40 ~34,34 24,6 ~30,56 40,92",
    "78,8 ~66,36 ~48,36 26,8 30,94",
)
"""Ways to write ٢ outside Egypt; the generator knows none of them."""


def test_a_two_with_a_deep_bowl_is_no_three(monkeypatch):
    monkeypatch.setitem(strokes._texts("strokes"), "⊔", DEEP_BOWLS)
    recogniser = Recogniser.load(shipped_model("arabic10"))
    read = [
        recogniser.recognise(draw_numeral("⊔", seed=7100 + seed, size=96, dark_on_light=True)) for seed in range(60)
    ]
    assert sum(recognition.label == "٢" for recognition in read) >= 54


@pytest.mark.parametrize(("name", "labels"), [("cheque15", CHEQUE), ("chinese15", CHINESE)])
def test_both_shapes_of_a_character_are_read(name, labels):
    recogniser = Recogniser.load(shipped_model(name))
    wrong = []
    for label, other in zip(labels, other_shapes(labels), strict=True):
        for character in {label.character, other}:
            for seed in range(8000, 8020):
                read = recogniser.recognise(draw_numeral(character, seed=seed, dark_on_light=seed % 2 == 0))
                wrong += [(character, seed)] * (read.value != label.value)
    assert len(wrong) <= 4, wrong
