"""Pictures of classes that no method has seen."""

import numpy as np

from train_host.compare.unseen import scribbles, unseen_pictures


class TestUnseen:
    def test_are_numerals_of_other_scripts_and_scribbles(self):
        sets = unseen_pictures({"一", "二"})
        assert list(sets) == ["latin numerals, drawn", "arabic-indic numerals, drawn", "scribbles, drawn"]
        assert "latin numerals, drawn" not in unseen_pictures(set("0123456789"))

    def test_scribbles_are_ink_and_the_same_again(self):
        drawn = scribbles(5)
        assert (drawn.max(axis=(1, 2)) > 200).all()
        np.testing.assert_array_equal(drawn, scribbles(5))
