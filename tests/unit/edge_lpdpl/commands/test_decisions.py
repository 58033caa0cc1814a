"""What people see of an answer: numbers first, each with its numerals, and every doubt in words."""

import pytest

from edge_lpdpl.commands.decisions import DecisionTable, csv_rows, decision_lines
from edge_lpdpl.files.text import columns_of
from edge_lpdpl.number.line_reader import NUMBER_REASONS
from edge_lpdpl.page.rejection import REASONS

UNSURE = {"rejected": True, "reason": "unsure", "novelty": 0.4, "alternatives": [{"label": "三", "value": 3}]}
UNLIKE = UNSURE | {"reason": "unlike_any_numeral", "novelty": 1.3}


def numeral(label="五", **changes):
    sure = {"confidence": 0.9, "novelty": 0.1, "rejected": False, "reason": None, "box": [1, 2, 3, 4]}
    return {"label": label, "value": 5, "alternatives": [], **sure} | changes


def answer(*numerals, value=55, reason=None, unread=()):
    """One number of these numerals."""
    number = {"text": "".join(one["label"] for one in numerals), "value": value, "confidence": 0.8, "reason": reason}
    number |= {"rejected": reason is not None, "box": [1, 2, 30, 4], "numerals": list(range(len(numerals)))}
    return {"numbers": [number] if numerals else [], "numerals": list(numerals), "unread": list(unread)}


SECOND = "a second sheet of the form is in view, and is not read"


class TestTable:
    @staticmethod
    def cells(*lines):
        """Words of each line; those of a note stay together."""
        return [line.split(maxsplit=5) for line in lines]

    def lines(self, shown):
        return self.cells(*DecisionTable(["5.png"]).lines("5.png", shown))

    def test_a_number_comes_before_its_numerals(self):
        shown = answer(numeral("五"), numeral("五", confidence=0.7, **UNSURE))
        assert self.lines(shown) == [
            ["5.png", "五五", "55", "80.0%", "1,2,30,4"],
            ["五", "90.0%", "1,2,3,4"],
            ["五", "70.0%", "1,2,3,4", "unsure:", "五", "or else 三"],
        ]

    def test_a_numeral_alone_is_shown_once(self):
        assert self.lines(answer(numeral(), value=5)) == [["5.png", "五", "5", "80.0%", "1,2,30,4"]]
        (line,) = self.lines(answer(numeral(**UNSURE), value=5, reason="unsure"))
        assert line == ["5.png", "五", "5", "80.0%", "1,2,30,4", "rejected, unsure: 五 or else 三"]

    def test_columns_are_aligned_whatever_was_read(self):
        table = DecisionTable(["5.png"])
        lines = [table.head(), *table.lines("5.png", answer(numeral("7"), numeral("五")))]
        lines += table.lines("5.png", answer(numeral("亿"), value=10**8))
        ends = {columns_of(line.partition("%")[0]) for line in lines[1:]}
        assert ends == {lines[0].index("confidence") + len("confidence") - 1}

    def test_a_text_that_is_no_number_has_no_value(self):
        line, *_ = self.lines(answer(numeral("百"), numeral("五"), value=None, reason="unsure"))
        assert line == ["5.png", "百五", "-", "80.0%", "1,2,30,4", "rejected, unsure of its numerals"]

    def test_a_page_without_numbers_says_what_was_seen(self):
        unread = [{"box": [0, 0, 2, 2], "reason": reason} for reason in ("too_small", "a_line", "too_small")]
        assert self.lines(answer(unread=unread)) == [
            ["5.png", "-", "-", "-", "-", "nothing here: 3 strokes seen, 2 too small, 1 ruled"]
        ]

    def test_a_second_sheet_is_told_of_beside_what_was_read(self):
        unread = [{"box": [0, 0, 90, 90], "reason": "another_form"}]
        shown = answer(numeral("七"), value=7, unread=unread) | {"fields": {}}
        assert self.lines(shown)[1] == ["5.png", "-", "-", "-", "-", f"{SECOND}; show one at a time"]
        _, told = decision_lines({"time": "2026-11-20T22:49:40.123Z", "trigger": "change"} | shown)
        assert told.strip() == f"{SECOND}; show one at a time"


class TestRows:
    def test_a_form_has_a_row_for_each_field(self):
        shown = answer(numeral("七"), value=7)
        shown["fields"] = {"score": shown["numbers"][0], "age": None}
        read, empty = csv_rows("form.png", shown)
        assert (read[1], read[-1]) == ("七", "score")
        assert empty == ("form.png", *[""] * 9, "age")

    def test_a_sheet_without_marks_says_so_in_each_row(self):
        shown = answer(unread=[{"box": [0, 0, 9, 9], "reason": "no_marks"}]) | {"fields": {"score": None, "age": None}}
        rows = [(row[5], row[-1]) for row in csv_rows("form.png", shown)]
        assert rows == [("no_marks", "score"), ("no_marks", "age")]

    def test_a_page_whose_ink_was_left_out_says_why(self):
        unread = [{"box": [0, 0, 2, 2], "reason": reason} for reason in ("a_line", "too_small", "too_small")]
        (row,) = csv_rows("page.png", answer(unread=unread))
        assert row == ("page.png", "", "", "", "", "too_small", *[""] * 5)


class TestLines:
    @staticmethod
    def line(shown):
        (line,) = decision_lines({"time": "2026-11-20T22:49:40.123Z", "trigger": "change"} | shown)
        return line[len("2026-11-20 22:49:40  change    ") :]

    def test_a_text_that_is_its_value_is_told_once(self):
        assert self.line(answer(numeral("7"), value=7)) == "7 (80.0%)"
        assert self.line(answer(numeral("七"), value=7)) == "七 = 7 (80.0%)"
        assert self.line(answer(numeral("0"), numeral("7"), value=7)) == "07 = 7 (80.0%): 0 (90.0%), 7 (90.0%)"
        assert self.line(answer(numeral("亿"), value=10**8)) == "亿 = 100,000,000 (80.0%)"

    @pytest.mark.parametrize(
        ("doubt", "told"),
        [
            (UNSURE, "unsure: 五 or else 三"),
            (UNLIKE, "unlike a 五: 1.3 of what is allowed"),
            (UNLIKE | {"novelty": None}, "unlike a 五: inf of what is allowed"),
        ],
    )
    def test_a_doubtful_numeral_says_why_and_what_else_it_may_be(self, doubt, told):
        assert self.line(answer(numeral(**doubt), reason=doubt["reason"])) == f"五 (80.0%, rejected, {told})"
        shown = answer(numeral(**doubt), numeral("七"), reason="unlike_any_numeral")
        assert self.line(shown) == f"五七 (80.0%, rejected, a numeral is in doubt): 五 (90.0%, {told}), 七 (90.0%)"

    @pytest.mark.parametrize("reason", NUMBER_REASONS)
    def test_a_number_may_be_in_doubt_though_no_numeral_is(self, reason):
        told = f"rejected, {NUMBER_REASONS[reason]}"
        assert (
            self.line(answer(numeral("4"), numeral("2"), reason=reason)) == f"42 (80.0%, {told}): 4 (90.0%), 2 (90.0%)"
        )

    @pytest.mark.parametrize("reason", [*REASONS, *NUMBER_REASONS])
    @pytest.mark.parametrize("count", [1, 2])
    def test_every_reason_has_words(self, reason, count):
        assert "rejected, " in self.line(answer(*[numeral(**UNSURE)] * count, reason=reason))

    def test_an_unknown_reason_is_no_message_of_this_program(self):
        with pytest.raises(LookupError):
            self.line(answer(numeral(), reason="odd"))
