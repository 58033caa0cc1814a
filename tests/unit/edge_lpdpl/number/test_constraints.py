"""What is known about a number, and which of the likely readings it chooses."""

import json
import sys

import numpy as np
import pytest

from edge_lpdpl import Recogniser, shipped_model
from edge_lpdpl.commands.main import main
from edge_lpdpl.errors import ConfigError
from edge_lpdpl.files.pictures import read_picture
from edge_lpdpl.library.shipped import specimens
from edge_lpdpl.live.config.loading import load_config
from edge_lpdpl.number.constraints import Constraints, Known
from edge_lpdpl.number.pictures.reader import PictureReader
from edge_lpdpl.number.reader import PageReader


@pytest.mark.parametrize(
    ("constraints", "allowed", "refused"),
    [
        ({}, ["0", "0042"], []),
        ({"length": 4}, ["0042", "1000"], ["42", "10000"]),
        ({"minimum": 42}, ["42", "043"], ["41", "0"]),
        ({"maximum": 42}, ["42", "0042"], ["43"]),
        ({"length": 3}, ["-427", "42.7"], ["-42", "4.2"]),
        ({"minimum": 42}, ["42.1"], ["-43", "41.9"]),
        ({"decimals": 0}, ["427", "-1"], ["42.7"]),
        ({"decimals": 2}, ["4.27", "-0.05"], ["427", "42.7"]),
        ({"check": "luhn"}, ["79927398713"], ["79927398712", "79927398731"]),
        ({"check": "ean"}, ["4006381333931", "73513537"], ["4006381333930", "4006381339331"]),
        ({"check": "isbn"}, ["9780306406157"], ["9780306406158"]),
        ({"check": "nl.bsn"}, ["111222333"], ["111222334"]),
        ({"check": "ean"}, ["4006381333931"], ["-4006381333931", "400638133393.1"]),
        ({"minimum": 0}, ["0", "0.5", "250"], ["-1", "-0.5"]),
        ({"maximum": 0}, ["0", "-250"], ["1", "0.5"]),
        ({"maximum": 100}, ["100", "-250"], ["101"]),
        ({"length": 3, "minimum": 100, "maximum": 500, "check": "luhn"}, ["125"], ["126", "018", "526", "1008"]),
    ],
    ids=str,
)
def test_a_number_has_to_satisfy_every_part(constraints, allowed, refused):
    allow = Constraints(**constraints).allow
    assert [allow(digits) for digits in (*allowed, *refused)] == [True] * len(allowed) + [False] * len(refused)


@pytest.mark.parametrize(
    ("constraints", "fault"),
    [
        ({"minimum": 5, "maximum": 4}, "minimum is 5, above the maximum 4"),
        ({"length": 3, "minimum": 1000}, "length is 3, too short for the minimum 1000"),
        ({"length": 3, "decimals": 3}, "decimals is 3, not less than the length 3"),
        ({"length": 3, "decimals": 1, "minimum": 100}, "length is 3, too short for the minimum 100 with decimals = 1"),
        ({"length": 2, "maximum": -100}, "length is 2, too short for the maximum -100"),
        ({"minimum": 10**16}, "minimum is 10000000000000000, beyond numbers of 16 digits"),
        ({"maximum": -(10**16)}, "maximum is -10000000000000000, beyond numbers of 16 digits"),
        ({"minimum": 1000, "decimals": 13}, "minimum is 1000, beyond numbers of 16 digits with decimals = 13"),
        ({"check": "iban"}, "check is 'iban', which no number of 1 to 16 digits passes"),
        ({"check": "cn.ric"}, "check is 'cn.ric', which no number of 1 to 16 digits passes"),
        ({"check": "ean", "length": 5}, "check is 'ean', which no number of 5 digits passes"),
        ({"check": "luhn", "maximum": -1}, "check is 'luhn', for numbers from 0 on, but maximum is -1"),
        ({"length": 0}, "length is 0, not 1 to 16"),
        ({"length": True}, "length is True; give a whole number"),
        ({"maximum": 0.3}, "maximum is 0.3; give a whole number"),
        ({"minimum": float("nan")}, "minimum is nan; give a whole number"),
        ({"check": 3}, "check is 3; give the name of a module of python-stdnum"),
        ({"length": 17}, "length is 17, not 1 to 16"),
        ({"decimals": -1}, "decimals is -1, not 0 to 15"),
        ({"decimals": 2, "check": "luhn"}, "check is 'luhn', for whole numbers, but decimals is 2"),
        ({"check": "lunh"}, "check is 'lunh', which python-stdnum does not have"),
        ({"check": "exceptions"}, "check is 'exceptions', which python-stdnum does not have"),
        ({"check": "..os"}, "check is '..os', which python-stdnum does not have"),
    ],
)
def test_constraints_that_nothing_satisfies_are_refused(constraints, fault):
    with pytest.raises(ConfigError) as raised:
        Constraints(**constraints)
    assert str(raised.value) == fault


def test_whole_numbers_may_be_of_numpy():
    assert Constraints(length=np.int64(2), minimum=np.uint8(40)) == Constraints(length=2, minimum=40)


def test_a_check_of_which_few_numbers_pass_is_taken():
    """Each needs a date, a prefix or several check digits."""
    for check in ("ismn", "ch.ssn", "uy.rut", "fr.nif", "lu.tva", "kr.rrn", "nz.bankaccount"):
        assert Constraints(check=check).check == check


def test_zero_is_a_limit_in_files_and_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "config.toml"
    for text, minimum, maximum in (("minimum = 0", 0, None), ("maximum = 0", None, 0), ("minimum = -5", -5, None)):
        file.write_text(f"[numbers]\n{text}\n")
        known = load_config([file]).numbers.known
        assert (known.minimum, known.maximum) == (minimum, maximum)
    assert load_config(()).numbers.known == Known()
    picture = str(shipped_model("chinese15").parents[1] / "shipped_pictures/chinese_5_paper.png")
    for options, reason in ((["--minimum", "0"], None), (["--maximum", "0", "--minimum", "-3"], "constraint")):
        assert main(["recognise", picture, "--single", "--json", *options]) == 0
        assert json.loads(capsys.readouterr().out)["numbers"][0]["reason"] == reason


def test_numbers_without_a_minus_are_not_below_zero(capsys):
    picture = str(shipped_model("chinese15").parents[1] / "shipped_pictures/chinese_5_paper.png")
    assert main(["recognise", picture, "--maximum", "-1"]) == 2
    assert capsys.readouterr().err == "edge-lpdpl: maximum is -1, but numbers of chinese15 have no minus\n"


def test_without_python_stdnum_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "stdnum", None)
    with pytest.raises(ConfigError, match=r"check needs python-stdnum: pip install -e '.\[numbers\]'"):
        Constraints(check="luhn")


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser.load(shipped_model("chinese15"))


class TestReaders:
    @pytest.fixture
    def read(self, recogniser):
        """A function that reads a 一 with constraints."""
        frame = np.full((480, 640), 200, np.uint8)
        frame[200:208, 100:180] = 40

        def read(**constraints):
            (number,) = PageReader(recogniser, 480, 640, constraints=Constraints(**constraints)).read(frame).numbers
            return number

        return read

    def test_a_number_that_satisfies_them_is_read_as_without_them(self, read):
        assert read(length=1, minimum=1, maximum=1) == read()
        assert (read().text, read().reason) == ("一", None)

    def test_another_reading_is_taken_and_stays_doubtful(self, read):
        number = read(minimum=2)
        assert number.value >= 2
        assert number.confidence < 0.05
        assert number.reason == "unsure"

    def test_without_a_reading_that_satisfies_them_the_best_is_rejected(self, read):
        assert read(length=12) == read()._replace(reason="constraint")

    def test_a_picture_of_one_numeral_has_one_reading(self, recogniser):
        five = next(one for one in specimens(recogniser.model.labels) if one.label.value == 5)
        grey = read_picture(five.path)
        reasons = [
            PictureReader(recogniser, single=True, constraints=Constraints(maximum=most)).read(grey).numbers[0].reason
            for most in (5, 4)
        ]
        assert reasons == [None, "constraint"]


def test_the_command_takes_them(capsys):
    picture = shipped_model("chinese15").parents[1] / "shipped_pictures/chinese_5_paper.png"
    assert main(["recognise", str(picture), "--maximum", "4"]) == 0
    assert "rejected, no likely reading satisfies the constraints" in capsys.readouterr().out
    assert main(["recognise", str(picture), "--minimum", "4", "--maximum", "3"]) == 2
    assert capsys.readouterr().err == "edge-lpdpl: minimum is 4, above the maximum 3\n"
    assert main(["config", "show", "--set", "numbers.check=luhn", "--set", "numbers.length=5"]) == 0
    assert "length = 5\nminimum = -10000000000000000\nmaximum = 10000000000000000\n" in capsys.readouterr().out
