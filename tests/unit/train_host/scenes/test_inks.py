"""Inks of writers who left out a character."""

from train_host.datasets.bundled import synthesise_dataset
from train_host.scenes.inks import Inks
from train_host.synthetic.dice import Dice


def test_writers_who_left_out_a_character_write_the_others():
    dataset = synthesise_dataset("writers=2,samples=1,script=latin")
    without_nine = Inks(dataset.subset((dataset.writers == 1) & (dataset.targets != 9)))
    thrown = {without_nine.label(without_nine.throw(Dice(0, number))).value for number in range(200)}
    assert thrown == set(range(9))
