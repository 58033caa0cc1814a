"""Conditions are a few comparisons of accepted numbers; anything else is refused."""

import operator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_lpdpl.errors import ConfigError
from edge_lpdpl.live.config.condition import parse_condition

pytestmark = pytest.mark.slow

OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip


def message(*numbers):
    return {"numbers": [{"value": value, "rejected": rejected} for value, rejected in numbers]}


@pytest.mark.parametrize(
    ("when", "numbers", "holds"),
    [
        ("accepted", [(4, False)], True),
        ("accepted", [(4, True)], False),
        ("accepted", [(4, True), (5, False)], True),
        ("accepted", [], False),
        ("rejected", [(4, True)], True),
        ("rejected", [(None, True)], True),
        ("rejected", [(4, False)], False),
        ("rejected", [], False),
        ("number == 42", [(42, False)], True),
        ("number == 42", [(7, False), (42, False)], True),
        ("number == 42", [(42, True)], False),
        ("number == 042", [(42, False)], True),
        ("number!=42", [(42, False)], False),
        ("number != 42", [], False),
        ("number >= 10 and number < 20", [(5, False), (25, False)], False),
        ("number >= 10 and number < 20", [(5, False), (19, False)], True),
        ("number > 3", [(None, True), (4, False)], True),
    ],
)
def test_conditions(when, numbers, holds):
    assert parse_condition(when)(message(*numbers)) is holds


@given(st.sampled_from(sorted(OPERATORS)), st.integers(0, 50), st.integers(0, 50))
def test_comparisons_compare(sign, value, bound):
    assert parse_condition(f"number {sign} {bound}")(message((value, False))) is OPERATORS[sign](value, bound)


@pytest.mark.parametrize(
    "text",
    [
        *("", "always", "Accepted", "number", "number = 4", "number == -4", "number == 4.5", "4 == number"),
        *("number == 42 or number == 43", "number == 42 and", "number == " + "1" * 17, "number == ٤"),
        *("__import__('os')", "number == 4\nand number == 5", "number == 4; import os"),
    ],
)
def test_nothing_else_is_a_condition(text):
    with pytest.raises(ConfigError, match="not accepted, rejected or a comparison as number == 42"):
        parse_condition(text)


@given(st.text(max_size=40) | st.text(alphabet="number andacepted=<>! 0123", max_size=40))
def test_any_text_is_a_condition_or_refused(text):
    with suppress(ConfigError):
        assert parse_condition(text)(message((1, False), (2, True))) in (True, False)
