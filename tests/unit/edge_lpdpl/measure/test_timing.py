"""Which pictures are timed, and a core for the measurement alone."""

import os

import numpy as np
import pytest
from template_models import ship_templates

from edge_lpdpl.errors import ImageError
from edge_lpdpl.library.shipped import shipped_model, specimens
from edge_lpdpl.measure import timing
from edge_lpdpl.measure.timing import bench_pictures, one_core
from edge_lpdpl.numeral.recogniser import Recogniser


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    ship_templates(monkeypatch)


@pytest.fixture
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("latin10"))


def test_pictures_have_the_size_asked_for_and_are_the_same_every_time(recogniser):
    first, second = bench_pictures(recogniser, 50), bench_pictures(recogniser, 50)
    assert len(first) == len(specimens())
    for one, other in zip(first, second, strict=True):
        assert one.shape == (50, 50)
        np.testing.assert_array_equal(one, other)


def test_large_pictures_are_few(recogniser):
    assert sum(picture.nbytes for picture in bench_pictures(recogniser, 2048)) <= 64 << 20


@pytest.mark.parametrize("size", [7, 4097, -1])
def test_sizes_that_are_no_picture(size, recogniser):
    with pytest.raises(ImageError, match=r"outside 8\.\.4096"):
        bench_pictures(recogniser, size)


def test_a_model_that_sees_nothing_anywhere_is_an_error(recogniser, monkeypatch):
    nothing = recogniser.recognise(np.zeros((64, 64), np.uint8))
    monkeypatch.setattr(recogniser, "recognise", lambda *_: nothing)
    with pytest.raises(ImageError, match="take a larger size"):
        bench_pictures(recogniser, 8)


class TestCore:
    def test_is_one_alone_and_given_back(self, tmp_path):
        before = os.sched_getaffinity(0)
        with one_core(tmp_path) as found:
            assert os.sched_getaffinity(0) == {found["core"]} <= before
            assert found["isolated"] is False
        assert os.sched_getaffinity(0) == before

    def test_is_an_isolated_one_where_there_is_one(self, tmp_path):
        folder = tmp_path / "sys/devices/system/cpu"
        folder.mkdir(parents=True)
        first = min(os.sched_getaffinity(0))
        (folder / "isolated").write_text(f"{first}\n")
        with one_core(tmp_path) as found:
            assert found == {"core": first, "isolated": True}

    def test_is_none_where_the_system_refuses(self, monkeypatch, tmp_path):
        def refuse(process: int, cores: set[int]) -> None:
            raise PermissionError

        monkeypatch.setattr(timing.os, "sched_setaffinity", refuse)
        with one_core(tmp_path) as found:
            assert found == {"core": None, "isolated": False}
