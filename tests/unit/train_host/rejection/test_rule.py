"""The rejection rule: a limit of the distance that grows with the margin, and one of the lead over non-numerals."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from train_host.rejection.rule import Decided, Rule, learn_rule

COUNT = 4000


def numerals(seed: int = 0, misread: float = 0.0) -> Decided:
    """Most samples are close to their class and have a large margin; misread ones have neither."""
    random = np.random.default_rng(seed)
    correct = random.random(COUNT) >= misread
    margins = np.where(correct, random.gamma(6, 0.2, COUNT), random.gamma(1, 0.1, COUNT))
    distances = random.gamma(4, 0.1, COUNT) * np.where(correct, 1, 1.5)
    return Decided(margins, distances, np.zeros(COUNT), correct)


def strangers(seed: int = 1) -> Decided:
    """Non-numerals: far from every class, or with a small margin, often both."""
    random = np.random.default_rng(seed)
    margins, distances = random.gamma(1, 0.3, COUNT), random.gamma(4, 0.3, COUNT)
    return Decided(margins, distances, np.zeros(COUNT), np.zeros(COUNT, np.bool_))


def accepted(rule: Rule, decided: Decided) -> float:
    return float(np.mean(~rule.rejects(decided)))


@pytest.mark.parametrize("wanted", [0.002, 0.01, 0.05])
def test_rejects_the_wanted_share_of_the_right_readings(wanted):
    views = numerals(misread=0.05)
    rule = learn_rule(views, strangers(), 1.0, wanted, wanted)
    assert np.mean(rule.rejects(views)[views.correct]) == pytest.approx(wanted, abs=1.5 / COUNT)


def test_tells_strangers_better_than_a_limit_of_either_number():
    views, others = numerals(), strangers()
    rule = learn_rule(views, others, 1.0, 0.01, 0.01)
    by_distance = np.mean(others.distances <= np.quantile(views.distances, 0.99))
    by_margin = np.mean(others.margins >= np.quantile(views.margins, 0.01))
    assert accepted(rule, strangers(2)) < 0.7 * min(by_distance, by_margin)


def test_the_limit_grows_with_the_margin_up_to_the_full_one():
    rule = learn_rule(numerals(), strangers(), 1.0, 0.01, 0.01)
    assert 0 < rule.unsure_share < 1
    for margin, limit in ((0, rule.unsure_share), (0.5, (1 + rule.unsure_share) / 2), (1, 1), (9, 1)):
        for distance, is_beyond in ((0.999, False), (1.001, True)):
            far = np.array([distance * limit * rule.reach])
            decided = Decided(np.array([margin]), far, np.zeros(1), np.ones(1, np.bool_))
            assert rule.rejects(decided).tolist() == [is_beyond]


@pytest.mark.parametrize("wanted", [0.002, 0.01, 0.05])
def test_the_wanted_share_of_the_right_readings_leads_too_little(wanted):
    leads = np.random.default_rng(4).normal(0.5, 0.2, COUNT)
    views = numerals(misread=0.05)._replace(leads=leads)
    rule = learn_rule(views, strangers(), 1.0, wanted, wanted)
    near = views._replace(distances=np.zeros(COUNT))
    assert np.mean(rule.rejects(near)[views.correct]) == pytest.approx(wanted, abs=1.5 / COUNT)
    assert rule.usual_lead == pytest.approx(np.median(leads[views.correct]))
    assert rule.rejects(near).tolist() == (leads < rule.least_lead).tolist()


def test_without_anything_to_tell_from_it_is_the_distance_alone():
    views = numerals()
    rule = learn_rule(views, Decided(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, np.bool_)), 1.0, 0.01, 0.01)
    assert rule == Rule(pytest.approx(np.quantile(views.distances, 0.99)), 1.0, 1.0)


def test_misread_numerals_ask_for_more_margin():
    plain, warned = (learn_rule(views, strangers(), 1.0, 0.01, 0.01) for views in (numerals(), numerals(misread=0.05)))
    assert accepted(warned, numerals(3, misread=1)) < accepted(plain, numerals(3, misread=1))


def test_misread_numerals_weigh_half_as_much_as_strangers():
    """The line does not depend on the size of each group, because every group has its weight.

    Here misread numerals have small margins and non-numerals are far, so that the weights decide the slope.
    """
    views, others = numerals(misread=0.2), strangers()._replace(margins=numerals(7).margins)
    groups = [(views, views.correct, 1.0), (views, ~views.correct, 0.5), (others, np.ones(COUNT, np.bool_), 1.0)]
    evidence, right, weights = [], [], []
    for decided, chosen, weight in groups:
        evidence.append(np.column_stack([decided.distances, np.minimum(decided.margins, 1)])[chosen])
        right.append(decided.correct[chosen])
        weights.append(np.full(chosen.sum(), weight * 2 * COUNT / chosen.sum()))
    fit = LogisticRegression(C=1e3).fit(np.concatenate(evidence), np.concatenate(right), np.concatenate(weights))
    worth = -fit.coef_[0, 1] / fit.coef_[0, 0]
    rule = learn_rule(views, others, 1.0, 0.01, 0.01)
    slope = rule.reach * (1 - rule.unsure_share)  # distance that a full margin compensates
    assert slope == pytest.approx(worth, rel=0.01)


def test_a_reading_without_a_margin_may_always_have_some_distance():
    """The device divides by the allowed distance."""
    views = numerals()
    rule = learn_rule(views._replace(distances=views.distances / 1000), strangers(), 1.0, 0.3, 0.3)
    assert rule.reach > 0
    assert rule.unsure_share > 0
