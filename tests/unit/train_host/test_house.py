"""The rooms of the trainer: imports point downwards, and there is no circle."""

import pytest
from house import TRAINER_FLOORS, House, circle, upward_imports, without_a_floor, without_an_init
from project import PROJECT


@pytest.fixture(scope="module")
def house():
    return House(PROJECT / "train_host", TRAINER_FLOORS)


@pytest.mark.parametrize(
    "rule", [without_a_floor, upward_imports, circle, without_an_init], ids=lambda rule: rule.__name__
)
def test_the_trainer_keeps_it(rule, house):
    assert rule(house) == []


def test_no_training_imports_another_method(house):
    waiting, seen = {"train_host.shipping.fit"}, set()
    while waiting:
        module = waiting.pop()
        seen.add(module)
        waiting |= house.arrows[module] - seen
    assert not [module for module in seen if module.startswith("train_host.baselines")]
