"""The rooms of the trainer: imports point downwards, and there is no circle."""

import pytest
from house import TRAINER_FLOORS, House, circle, upward_imports, without_a_floor, without_an_init
from project import PROJECT


@pytest.mark.parametrize(
    "rule", [without_a_floor, upward_imports, circle, without_an_init], ids=lambda rule: rule.__name__
)
def test_the_trainer_keeps_it(rule):
    assert rule(House(PROJECT / "train_host", TRAINER_FLOORS)) == []


def test_no_training_imports_another_method():
    house = House(PROJECT / "train_host", TRAINER_FLOORS)
    waiting, seen = {"train_host.shipping.fit"}, set()
    while waiting:
        module = waiting.pop()
        seen.add(module)
        waiting |= house.arrows[module] - seen
    assert not [module for module in seen if module.startswith("train_host.baselines")]
