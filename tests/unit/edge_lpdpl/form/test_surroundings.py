"""Room beside a field ends where something else begins; the box of a field is found where it is printed."""

import numpy as np
import pytest
from form_pictures import BOX, RULE, print_area
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.form.fields import MARGIN, Field, find_faults
from edge_lpdpl.form.sheet import PAPERS, QUIET, Area, mark_areas
from edge_lpdpl.form.surroundings import ABOVE_SCALE, NAME, areas_above, is_corrected, is_in_place, read_areas

AREAS = st.builds(Area, st.floats(3, 150), st.floats(10, 250), st.floats(5, 60), st.floats(5, 20))
SCALE = 8


class TestRoom:
    def test_it_is_as_wide_as_the_field_is_high(self):
        (read,) = read_areas([Area(60, 60, 40, 12)], "A4")
        assert read == Area(48, 60 - MARGIN, 64, 12 + 2 * MARGIN)

    def test_it_ends_at_the_paper_the_marks_and_the_margins_of_others(self):
        left, right = read_areas([Area(12, 60, 40, 12), Area(60, 62, 40, 12)], "A4")
        assert (left.x, left.right, right.x) == (MARGIN, 60 - MARGIN, 52 + MARGIN)
        (low,) = read_areas([Area(30, 268, 150, 12)], "A4")
        assert (low.x, low.right) == (18 + QUIET, 192 - QUIET)

    def test_it_ends_at_the_name_of_a_field_below(self):
        """How long the name of a field to the left is, nobody knows here; that of one to the right begins with it."""
        upper, lower = read_areas([Area(80, 60, 40, 12), Area(20, 78, 40, 12)], "A4")
        assert (upper.x, lower.right) == (80 - MARGIN, 60 + 12)
        upper, _ = read_areas([Area(20, 60, 40, 12), Area(66, 78, 40, 12)], "A4")
        assert upper.right == 66 - MARGIN

    @given(st.lists(AREAS, min_size=1, max_size=6))
    def test_it_holds_the_field_and_nothing_of_others(self, areas):
        fields = [Field(str(place), area) for place, area in enumerate(areas)]
        if list(find_faults(fields, "A4")):
            return
        for area, read in zip(areas, read_areas(areas, "A4"), strict=True):
            own, beside = area.grown(MARGIN), read.grown(-1e-9)
            assert read.x <= own.x <= own.right <= read.right
            assert (read.y, read.height) == (own.y, own.height)
            assert 0 <= read.x <= read.right <= PAPERS["A4"][0]
            for other in areas:
                if other is not area and not own.overlaps(Area(other.x, other.y - NAME, other.width, NAME)):
                    assert not beside.overlaps(other)
            assert not any(beside.overlaps(mark) for mark in mark_areas("A4"))


class TestCorrections:
    """Pictures of 40 x 6.5 mm above a field."""

    def picture(self, *inks: Area):
        sheet = np.full((round(6.5 * SCALE), 40 * SCALE), 200.0)
        for ink in inks:
            print_area(sheet, ink, 40)
        return np.uint8(sheet[:: round(SCALE / ABOVE_SCALE), :: round(SCALE / ABOVE_SCALE)])

    def test_a_name_is_none(self):
        letters = [Area(2 + 2 * place, 1.5, 0.5, 3.2) for place in range(8)]
        assert not is_corrected(self.picture(*letters, Area(0, 4.5, 20, 0.3)))

    def test_a_digit_is_one(self):
        assert is_corrected(self.picture(Area(20, 1.2, 0.7, 4.5)))

    def test_what_reaches_down_into_the_field_is_read_there(self):
        assert not is_corrected(self.picture(Area(20, 1.2, 0.7, 5.3)))

    def test_a_field_close_below_another_has_no_room_for_one(self):
        _, second = areas_above([Area(30, 40, 27, 12), Area(30, 57, 27, 12)])
        assert (second.y, second.bottom) == (54.5, 56.5)
        assert not is_corrected(np.zeros((8, 100), np.uint8))


class TestPlace:
    FIELD = Area(20, 10, 40, 11)
    READ = Area(9, 10 - MARGIN, 62, 11 + 2 * MARGIN)

    def picture(self, across=0.0, down=0.0, light=BOX, digits=(), noise=1.0):
        """The picture of a field whose box is printed elsewhere, with digits: places from the left of the box."""
        sheet = np.full((round(32 * SCALE), round(80 * SCALE)), 200.0)
        x, y, width, height = self.FIELD.x + across, self.FIELD.y + down, self.FIELD.width, self.FIELD.height
        for top in (y, y + height):
            print_area(sheet, Area(x, top - RULE / 2, width, RULE), 200 * light)
        for left in (x, x + width):
            print_area(sheet, Area(left - RULE / 2, y, RULE, height), 200 * light)
        for place in digits:
            print_area(sheet, Area(x + place, y + 2, 0.8, 7), 40)
        sheet += np.random.default_rng(0).normal(0, noise, sheet.shape)
        rows, columns = (round(edge * SCALE) for edge in (self.READ.y, self.READ.x))
        height, width = (round(side * SCALE) for side in (self.READ.height, self.READ.width))
        return np.uint8(np.clip(sheet[rows : rows + height, columns : columns + width], 0, 255))

    def is_found(self, **printed):
        return is_in_place(self.picture(**printed), self.READ, self.FIELD, SCALE)

    @pytest.mark.parametrize("across", [-1.2, 0, 1.2])
    @pytest.mark.parametrize("down", [-1.2, 0, 1.2])
    def test_a_sheet_that_is_not_flat_may_be_off_by_a_millimetre(self, across, down):
        assert self.is_found(across=across, down=down, digits=(5, 15, 25, 39.6))

    @pytest.mark.parametrize(("across", "down"), [(4, 0), (-5, 0), (0, 4), (0, -3), (6, 6)])
    def test_a_box_elsewhere_is_not_found(self, across, down):
        assert not self.is_found(across=across, down=down, digits=(8, 18, 28))

    def test_a_box_that_the_camera_sees_faintly_is_found(self):
        assert self.is_found(light=0.96)
        assert not self.is_found(light=1.0)
