"""The power is cut while a model is installed: the next start reads with the old model or with the new one."""

from itertools import chain, pairwise

import pytest
from cutting import CUTS, READING, WRITING


@pytest.fixture(scope="module")
def pairs(cuts):
    """Each start with a cut, and the start after it."""
    return list(chain.from_iterable(pairwise(starts) for starts in cuts))


def test_every_planned_moment_was_cut(pairs):
    assert len(pairs) == CUTS + 2  # an installation that was not cut off before each series
    phases = {before.cut.step for before, _ in pairs}
    assert CUTS < 10 or {READING, WRITING} < phases


def test_each_start_after_a_cut_reads_with_the_old_model_or_the_new_one(pairs):
    for before, after in pairs:
        assert after.model in (before.model, before.new_model), before.cut


def test_a_model_whose_installation_had_ended_is_there_after_the_cut(pairs):
    assert any(before.finished for before, _ in pairs)
    for before, after in pairs:
        if before.finished:
            assert before.boot.steps["installed"]["status"] == 0, before.boot.steps["installed"]
            assert after.model == before.new_model, before.cut


def test_no_cut_is_seen_in_the_journal_of_the_next_start(pairs):
    """No model was found damaged, nothing was restarted, and no unit waits for a person."""
    for before, after in pairs:
        reads = after.boot.steps["reads"]
        assert reads["wrong"] == [], before.cut
        assert (reads["service"]["ActiveState"], reads["service"]["NRestarts"]) == ("active", "0")


def test_the_machine_ends_cleanly_after_all_cuts(cuts):
    for starts in cuts:
        assert starts[-1].boot.clean
        assert starts[-1].boot.steps["stopped"]["failed"] == []


def test_cuts_fell_before_and_behind_the_switch(pairs):
    """Shows that the moments are spread: some cuts leave the old model, some the new one."""
    kept = sum(after.model == before.model for before, after in pairs)
    print(f"{len(pairs)} starts after a cut: {kept} with the old model, {len(pairs) - kept} with the new one")
    assert CUTS < 10 or 0 < kept < len(pairs)
