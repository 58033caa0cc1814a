"""A numeral of a page is rejected if its strokes contradict its label, however close to its class it is."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import gaussian_filter

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.numeral.recogniser import Recognition
from edge_lpdpl.page.boxes import UNREAD_REASONS
from edge_lpdpl.page.locator import Locator
from edge_lpdpl.page.parts_table import LEFT_END, RIGHT_END
from edge_lpdpl.page.rejection import REASONS, RULES, UNREAD_WORDS, checked, nothing_here, why
from edge_lpdpl.page.settings import LocateSettings
from edge_lpdpl.page.strokes import Strokes, strokes_of


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser.load(shipped_model("chinese15"))


def paper() -> Image.Image:
    return Image.new("L", (640, 480), 200)


def two_lines(thick: int, grey: int = 40) -> Image.Image:
    """Two strokes like 二, or like pieces of two ruled lines."""
    page = paper()
    for top, left, right in ((200, 315, 405), (270, 300, 420)):
        ImageDraw.Draw(page).line([(left, top), (right, top + 8)], fill=grey, width=thick)
    return page


def printed(text: str, font: str) -> np.ndarray:
    file = Path(matplotlib.get_data_path(), "fonts", "ttf", f"{font}.ttf")
    page = paper()
    ImageDraw.Draw(page).text((200, 200), text, 40, ImageFont.truetype(file, 70))
    return np.asarray(page)


def measured(page: Image.Image | np.ndarray, largest_dot: float = 0) -> tuple[np.ndarray, Strokes]:
    """The picture of all ink on a page that may be writing, lifted together, and the measures of its strokes."""
    locator = Locator(480, 640, LocateSettings(largest_dot=largest_dot))
    parts = locator.find(np.asarray(page, np.uint8))
    picture, row, *_ = locator.lift([(part, LEFT_END, RIGHT_END) for part in range(len(parts))])
    return picture, locator.strokes(row)


def read_twice(recogniser: Recogniser, page: Image.Image | np.ndarray) -> tuple[Recognition, Recognition]:
    """The decisions on the numeral on a page: on its lifted picture alone, and held against its strokes."""
    picture, strokes = measured(page)
    alone = recogniser.recognise(picture, "light")
    return alone, checked(alone, strokes)


@pytest.mark.parametrize(("thick", "rejected"), [(2, True), (4, False), (8, False)])
def test_a_ruled_line_is_no_bar(recogniser, thick, rejected):
    alone, read = read_twice(recogniser, two_lines(thick))
    assert (read.label, alone.rejected, read.rejected) == ("二", False, rejected)
    assert (read.novelty > 1) == rejected


@pytest.mark.parametrize(("thick", "grey", "rejected"), [(8, 148, True), (8, 100, False), (3, 148, False)])
def test_broad_strokes_are_dark_or_show_through(recogniser, thick, grey, rejected):
    """A thin stroke may be faint, because the camera's blur weakens it."""
    alone, read = read_twice(recogniser, two_lines(thick, grey))
    assert (read.label, alone.rejected, read.rejected) == ("二", False, rejected)


def test_two_letters_are_no_frame(recogniser):
    alone, read = read_twice(recogniser, printed("UP", "DejaVuSans-Oblique"))
    assert (read.label, alone.rejected, read.rejected) == ("四", False, True)
    (four,) = (one for one in specimens(recogniser.model.labels) if one.path.stem == "chinese_4_screen")
    ink = Image.fromarray(read_picture(four.path)).resize((150, 150), Image.Resampling.BICUBIC)
    page = np.full((480, 640), 200.0)
    page[160:310, 200:350] -= np.minimum(np.asarray(ink, float), 160)
    assert not read_twice(recogniser, page)[1].rejected


def test_a_finger_is_no_numeral(recogniser):
    """It reaches into the frame from above and is wider than a stroke, so that only the rim of its tip is ink."""
    rows, columns = np.ogrid[:480, :640]
    finger = np.hypot(np.maximum(rows - 240, 0), columns - 300) < 44
    page = gaussian_filter(np.where(finger, 60.0, 200.0), 1.5)
    alone, read = read_twice(recogniser, page)
    assert (alone.rejected, read.rejected, read.reason) == (False, True, "rim")
    assert measured(page)[1].rim > 0.1


def test_ink_that_ends_everywhere_has_no_rim():
    _, strokes = measured(two_lines(8), largest_dot=0.14)
    assert (strokes.rim, strokes.longest) == (0, 1)
    assert strokes.strength == pytest.approx(160 / 200, abs=0.02)
    assert strokes.width == pytest.approx(8 / 2, abs=0.5)
    assert strokes.of_largest_dot * 0.14 == pytest.approx(121 / 640, abs=0.01)


WHOLE = Strokes(
    of_largest_dot=0.05 / 0.14, shape=1.2, width=2, slender=8, strength=0.6, longest=1, filled=0.6, turns=1.3, rim=0
)


def recognition(label: str, novelty: float = 0.4, rejected: bool = False) -> Recognition:
    return Recognition(label, 0, 0.99, rejected, "9", np.zeros(10, np.float32), 1e-5, novelty)


@pytest.mark.parametrize(
    ("rim", "novelty", "rejected"), [(0.06, 0.4, False), (0.12, 0.4, False), (0.18, 0.4, True), (0.18, 0.1, False)]
)
def test_the_more_of_the_ink_is_a_rim_the_nearer_a_reading_has_to_be(rim, novelty, rejected):
    read = checked(recognition("7", novelty), WHOLE._replace(rim=rim))
    assert read.rejected == rejected
    assert read.novelty == pytest.approx(novelty * rim / 0.06)


@pytest.mark.parametrize(
    "other", [{"shape": 4}, {"filled": 0.2}, {"of_largest_dot": 0.2 / 0.14}], ids=["long", "hardly any ink", "large"]
)
def test_a_zero_is_a_dot(other):
    zero = recognition("٠")
    assert checked(zero, WHOLE) == zero
    strange = checked(zero, WHOLE._replace(**other))
    assert strange.rejected
    assert strange.novelty > 1
    assert not checked(recognition("٥"), WHOLE._replace(**other)).rejected


@pytest.mark.parametrize(
    ("side", "novelty", "rejected"),
    [(0.09, 0.9, False), (0.12, 0.9, True), (0.12, 0.3, False), (0.139, 0.3, True), (0.15, 0.01, True)],
)
def test_the_larger_a_dot_the_nearer_it_has_to_be(side, novelty, rejected):
    """The largest dot is 0.14 of the frame; from 0.098 on the allowed novelty falls."""
    assert checked(recognition("٠", novelty), WHOLE._replace(of_largest_dot=side / 0.14)).rejected == rejected
    assert not checked(recognition("٥", novelty), WHOLE._replace(of_largest_dot=side / 0.14)).rejected


def test_no_zero_is_a_dot_where_the_settings_say_so():
    dot = [10, 10, 20, 20, 80, 10, 70, 2000, 0, 10]
    assert checked(recognition("٠"), strokes_of(dot, 320, largest_dot=0.0)).reason == "too_large"
    assert not checked(recognition("٠"), strokes_of(dot, 320, largest_dot=0.14)).rejected


@pytest.mark.parametrize(
    ("label", "change", "reason"),
    [
        ("7", {"rim": 0.18}, "rim"),
        ("٠", {"of_largest_dot": 0.99}, "too_large"),
        ("٠", {"of_largest_dot": 1.1}, "too_large"),
        ("7", {"width": 6, "strength": 0.2}, "too_faint"),
        ("一", {"slender": 51}, "too_slender"),
        ("四", {"longest": 0.7}, "no_frame"),
        ("4", {"turns": 1.05}, "a_cross"),
        ("4", {"turns": 0.9}, "a_cross"),
        ("٠", {"shape": 3.1}, "not_a_dot"),
        ("٠", {"filled": 0.29}, "not_a_dot"),
        ("7", {"rim": 0.18, "width": 6, "strength": 0.01}, "too_faint"),
        ("7", {"rim": 0.06, "slender": 99, "longest": 0.1, "shape": 9, "filled": 0.01, "of_largest_dot": 2}, None),
    ],
)
def test_the_reason_is_the_rule_that_is_broken_the_most(label, change, reason):
    assert checked(recognition(label), WHOLE).reason is None
    assert checked(recognition(label), WHOLE._replace(**change)).reason == reason


@pytest.mark.parametrize(("change", "reason"), [({}, "unsure"), ({"rim": 0.12}, "unsure"), ({"rim": 0.18}, "rim")])
def test_what_the_recogniser_rejects_keeps_its_reason_until_a_rule_is_broken(change, reason):
    unsure = recognition("7", 0.4, rejected=True)._replace(reason="unsure")
    assert checked(unsure, WHOLE._replace(**change)).reason == reason


def test_every_rule_gives_a_reason_that_is_listed():
    recogniser = {"no_ink", "not_a_score", "unlike_any_numeral", "unsure"}
    assert {rule.reason for rule in RULES} | recogniser == set(REASONS)
    order = [not rule.nearer for rule in RULES]
    assert order == sorted(order), "the others compare with the novelty that these leave"


def test_reasons_in_words():
    told = {reason: why(reason, "8", "3", 1.304) for reason in REASONS}
    assert told["unlike_any_numeral"] == "unlike an 8: 1.3 of what is allowed"
    assert told["unsure"] == "unsure: 8 or else 3"
    assert len(set(told.values())) == len(told)
    assert set(UNREAD_WORDS) == set(UNREAD_REASONS)
    assert nothing_here(["too_small"]) == "nothing here: 1 stroke seen, 1 too small"


def test_what_was_rejected_stays_so_and_nothing_stays_nothing():
    assert checked(recognition("7", 0.4, rejected=True), WHOLE).rejected
    nothing = Recognition(None, None, 0.0, True, None, np.zeros(0, np.float32), 1e-5)
    assert checked(nothing, WHOLE._replace(strength=0.1, width=9)) == nothing


def test_a_model_without_distances_rejects_what_is_not_written_as_numerals_are():
    broad = WHOLE._replace(width=6, strength=0.2)
    read = checked(recognition("7", 0.0), broad)
    assert (read.rejected, read.novelty) == (True, pytest.approx(0.3 / 0.2))
