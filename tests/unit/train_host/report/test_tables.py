"""Golden values of the column "the paper": what Ameri et al. report, written down a second time."""

import pytest

from train_host.report.tables import reported

LPDPL = ("chinese", "conventional", "lpdpl-plain", 98.53)
FIGURES = [
    LPDPL,
    ("chinese", "conventional", "indpl", 93.00),
    ("chinese", "conventional", "src", 96.28),
    ("chinese", "conventional", "dlsi", 97.80),
    ("chinese", "conventional", "lc-ksvd1", 95.23),
    ("chinese", "conventional", "lc-ksvd2", 95.24),
    ("chinese", "conventional", "googlenet", 99.83),
    ("chinese", "conventional", "mobilenet-v2", 98.55),
    ("chinese", "conventional", "squeezenet", 98.53),
    ("chinese", "within-subject", "lpdpl-plain", 98.56),
    ("chinese", "within-subject", "indpl", 93.13),
    ("chinese", "between-subject", "lpdpl-plain", 98.07),
    ("chinese", "between-subject", "indpl", 97.53),
    ("madbase", "between-subject", "src", 97.13),
    ("madbase", "between-subject", "lenet-5", 88.00),
    ("madbase", "between-subject", "dpl", 98.25),
    ("madbase", "between-subject", "lpdpl-plain", 98.75),
    ("usps", "standard", "src", 81.81),
    ("usps", "standard", "dlsi", 96.13),
    ("usps", "standard", "lc-ksvd1", 91.25),
    ("usps", "standard", "lc-ksvd2", 91.10),
    ("usps", "standard", "dpl", 96.68),
    ("usps", "standard", "lpdpl-plain", 97.17),
]


def table_of(data: str, protocol: str) -> dict:
    return {"data": data, "protocol": f"{protocol} --folds 10", "recipe": {"refinement": {}}}


@pytest.mark.parametrize(("data", "protocol"), dict.fromkeys((data, protocol) for data, protocol, _, _ in FIGURES))
def test_the_figures_of_the_paper(data, protocol):
    expected = {method: figure for *of, method, figure in FIGURES if of == [data, protocol]}
    assert reported(table_of(data, protocol)) == expected


def test_without_refinement_the_own_method_is_the_paper_s():
    data, protocol, _, figure = LPDPL
    plain = table_of(data, protocol) | {"recipe": {"refinement": None}}
    assert reported(plain)["lpdpl"] == figure


def test_nothing_is_reported_of_other_data():
    assert reported(table_of("synthetic", "conventional")) == {}
