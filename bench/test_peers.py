"""The timing: contestants take fair turns, the figures are correct, and equation 12 is that of the paper."""

import json
from collections.abc import Callable
from functools import partial

import numpy as np
import ours
import peers
import pytest
from contestant import Contestant
from contestants import PEERS, build, in_turn, rivals
from straight_equation_12 import Dictionaries

from train_host.compare.latency import WARM_CALLS, Figures, race

pytestmark = pytest.mark.slow

MACHINE = {"cpu": "cpu", "architecture": "arch", "core": 0, "python": "3", "packages": {"numpy": "2"}}


def contestant(name: str, call: Callable[[], object] = lambda: None) -> Contestant:
    return Contestant(name=name, settings="", call=call)


def result(**p50: float) -> peers.Result:
    measured = [(contestant(name), Figures(value, value, value, 9)) for name, value in p50.items()]
    return peers.Result(measured, {"absent one": "no module"}, 0.1, dict(MACHINE), rounds=3)


def test_contestants_take_turns() -> None:
    order: list[str] = []
    figures = race({name: partial(order.append, name) for name in "AB"}, rounds=3, burst_ms=0.001)
    turns = [name for previous, name in zip(["", *order], order, strict=False) if name != previous]
    assert "".join(turns) == "AB" + "AB" * 3  # the first pair is the trial that sets the length of a burst
    assert all(f.least <= f.p50 <= f.p99 and f.calls >= 9 for f in figures.values())


def test_only_counted_calls_are_in_the_figures() -> None:
    order: list[str] = []
    figures = race({"A": partial(order.append, "A")}, rounds=4, burst_ms=0.001)
    trial, bursts = 10, 1 + 4
    assert len(order) == figures["A"].calls + trial + bursts * WARM_CALLS


def test_images_in_turn_and_again() -> None:
    seen: list[int] = []
    call = in_turn(lambda image: seen.append(int(image[0])), [np.array([1]), np.array([2])])
    for _ in range(3):
        call()
    assert seen == [1, 2, 1]


def test_missing_library_is_reported_not_raised() -> None:
    def missing() -> list[Contestant]:
        raise ImportError("no such library")

    (name, built), (_, there) = build({"gone": missing, "there": lambda: [contestant("A")]})
    assert (name, str(built)) == ("gone", "no such library")
    assert isinstance(there, list)


def test_straight_equation_12_is_the_papers() -> None:
    model = Dictionaries.random(m=4, n=30, Q=5)
    x = np.random.default_rng(2).random(30, dtype=np.float32)
    expected = []
    for D, P, W, h in zip(*(a.astype(float) for a in (model.D, model.P, model.W, model.H)), strict=True):
        expected.append(np.sum((x - D @ P @ x) ** 2) + np.sum((h - W @ P @ x) ** 2))
    np.testing.assert_allclose(model.scores(x), expected, rtol=1e-5)
    assert model.classify(x) == np.argmin(expected)


def test_limits_need_both_sides() -> None:
    assert result(**{"scikit-image hog": 1600.0}).verdicts() == []
    kept, broken = result(**{peers.BASE: 40.0, "scikit-image hog": 1600.0, "eq. 12 straight, m=340": 1199.0}).verdicts()
    assert (kept["kept"], kept["share"]) == (True, 0.025)
    assert not broken["kept"]


def test_limits_name_contestants_that_exist() -> None:
    libraries = {name: builder for name, builder in PEERS.items() if builder is not rivals}
    built = dict(build(libraries))
    if missing := [name for name, entries in built.items() if isinstance(entries, ImportError)]:
        pytest.skip(f"needs the bench extra: {missing}")
    built |= build({"other methods": rivals})  # they are trained, for seconds
    names = {entry.name for entries in built.values() if not isinstance(entries, ImportError) for entry in entries}
    assert {limit.peer for limit in peers.LIMITS} <= names
    assert {limit.ours for limit in peers.LIMITS} == {ours.WHOLE, ours.CORE}
    assert peers.BASE == ours.WHOLE


def test_table_and_json_say_the_same() -> None:
    both = result(**{peers.BASE: 40.0, "scikit-image hog": 800.0})
    table, data = peers.as_table(both), json.loads(json.dumps(peers.as_json(both)))
    assert "20.00" in table
    assert data["entries"][1]["times_ours"] == 20.0
    assert "Not measured: absent one (no module)" in table
    assert data["absent"] == {"absent one": "no module"}


@pytest.mark.parametrize("rounds", ["0", "x"])
def test_bad_rounds_are_one_error(rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        peers.main(["--rounds", rounds])
    assert stopped.value.code == 2
    assert "--rounds" in capsys.readouterr().err
