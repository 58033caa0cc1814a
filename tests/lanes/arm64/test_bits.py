"""The same bits on x86-64 and aarch64: checks on a workstation hold on the Raspberry Pi."""

import numpy as np
import pytest
from arm.machine import NATIVE
from bits import backends_of

from edge_lpdpl.library.shipped import shipped_models, shipped_pictures
from edge_lpdpl.numeral.recogniser import Recogniser

MODELS = (*shipped_models(), "random-edge", "random-paper")
NAMES = ("found", "square", "features", "inputs", "scores", "decision")


def different_rows(first: np.ndarray, second: np.ndarray) -> list[int]:
    """Rows whose bytes differ. Unlike with `==`, 0 is not -0, and a NaN equals itself."""
    assert first.shape == second.shape
    assert first.dtype == second.dtype
    return [row for row in range(len(first)) if first[row].tobytes() != second[row].tobytes()]


def test_the_pictures_are_many_and_most_can_be_read(lane):
    native = lane.numbers[NATIVE]
    found = native["chinese15/numba/found"]
    assert len(native["names"]) == len(found) >= len(shipped_pictures()) + 300
    assert np.count_nonzero(found.any(axis=1)) > 300
    assert np.count_nonzero(~found.any(axis=1)) > 5


def test_nothing_is_left_out(lane, core):
    assert lane.numbers[core].keys() == lane.numbers[NATIVE].keys()
    expected = {f"{model}/{backend}/{name}" for model in MODELS for backend in backends_of(model) for name in NAMES}
    assert expected <= lane.numbers[core].keys()


def test_picture_files_are_decoded_to_the_same_pixels(lane, core):
    np.testing.assert_array_equal(lane.numbers[core]["decoded"], lane.numbers[NATIVE]["decoded"])


@pytest.mark.parametrize(("model", "backend"), [(model, name) for model in MODELS for name in backends_of(model)])
def test_every_number_has_the_same_bits(lane, core, model, backend):
    here, there = lane.numbers[NATIVE], lane.numbers[core]
    for name in NAMES:
        rows = different_rows(here[f"{model}/{backend}/{name}"], there[f"{model}/{backend}/{name}"])
        assert not rows, f"{name} of {len(rows)} pictures, of which the first is {here['names'][rows[0]]!r}"


@pytest.mark.parametrize("model", [model for model in MODELS if "numpy" in backends_of(model)])
def test_numpy_decides_as_the_kernels_do(lane, core, model):
    there = lane.numbers[core]
    kernels, arrays = there[f"{model}/numba/decision"], there[f"{model}/numpy/decision"]
    clear = kernels[:, 2] > 1e-3  # with a smaller margin the last bits decide
    np.testing.assert_array_equal(kernels[clear, 0], arrays[clear, 0])
    np.testing.assert_array_equal(there[f"{model}/numba/square"], there[f"{model}/numpy/square"])


class TestModels:
    """`bits.py` also runs the self-tests of models from here on the other machines."""

    @pytest.mark.parametrize("profile", ["edge", "paper"])
    def test_that_were_written_there_are_read_here(self, lane, core, profile):
        recogniser = Recogniser.load(lane.folder / f"{core}-{profile}.safetensors", "numba")
        recogniser.self_test()

    @pytest.mark.parametrize("profile", ["edge", "paper"])
    def test_are_the_same_files_whoever_writes_them(self, lane, core, profile):
        here, there = (lane.folder / f"{machine}-{profile}.safetensors" for machine in (NATIVE, core))
        assert here.read_bytes() == there.read_bytes()
