"""One switch shows the bars of all work inside it."""

import io
import sys

from train_host.progress import bar, progress_bars


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_unless_somebody_asks(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert list(bar("work", range(3))) == [0, 1, 2]
    assert terminal.getvalue() == ""


def test_an_inner_switch_holds_until_its_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress_bars():
        with progress_bars(False):
            list(bar("hidden", range(3)))
        list(bar("seen", range(3)))
    list(bar("afterwards", range(3)))
    assert "seen: 100%" in terminal.getvalue()
    assert "hidden" not in terminal.getvalue()
    assert "afterwards" not in terminal.getvalue()


def test_a_bar_inside_of_another_goes_when_it_is_full(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress_bars():
        for _ in bar("outer", range(1)):
            list(bar("inner", range(2)))
    shown = terminal.getvalue()
    assert "inner: " in shown
    assert shown.split("\r")[-2].strip().removesuffix("\x1b[A").strip() == "", "the inner bar is wiped out"
    assert shown.split("\r")[-1].startswith("outer: 100%")


def test_a_log_gets_no_bars(capsys):
    with progress_bars():
        list(bar("work", range(3)))
    assert capsys.readouterr().err == ""
