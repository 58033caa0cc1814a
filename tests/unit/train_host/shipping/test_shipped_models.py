"""Golden counts: what each shipped model reads of real handwriting, where that is at hand, and what a training gives.

The counts of chinese15, arabic10 and latin10's MNIST part are of pictures that they learned from; a drop of one shows
a change of preprocessing, weights or kernels.
"""

import pytest
from real_data import real_data

from edge_lpdpl.library.models import find_model
from train_host.datasets import open_dataset
from train_host.shipping.score import score_model

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("model", "data", "right", "rejected", "count"),
    [
        ("chinese15", "chinese_mnist.zip", 11_992, 2, 12_000),
        ("chinese15", "camera_crops.zip", 100, 0, 100),
        ("arabic10", "madbase.zip", 7_000, 0, 7_000),
    ],
)
def test_a_shipped_model_reads_as_many_as_it_did(model, data, right, rejected, count):
    found = score_model(find_model(model), open_dataset(real_data(data)))
    assert (found["correct"], found["rejected"], found["n"]) == (right, rejected, count)


def test_latin10_reads_as_many_of_the_test_part_of_usps_as_it_did():
    dataset = open_dataset(real_data("usps.h5"))
    found = score_model(find_model("latin10"), dataset.subset(dataset.is_test))
    assert (found["correct"], found["rejected"], found["n"]) == (1_973, 49, 2_007)
