"""Cells are kept by their inputs, survive a kill, and are the same wherever they run."""

import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import pytest
from joblib import parallel_config
from project import PROJECT

from edge_lpdpl.errors import TrainingError
from train_host.compare.cells import Cell, Cells, source_digest
from train_host.progress import progress_bars

pytestmark = pytest.mark.slow


def square_of(number: int, log: str) -> dict[str, int]:
    """A job that logs its run."""
    with Path(log).open("a") as file:
        file.write(f"{number}\n")
    return {"square": number * number}


def cells_of(log: Path, count: int = 4) -> list[Cell]:
    return [Cell({"number": number}, partial(square_of, number, str(log))) for number in range(count)]


def done(log: Path) -> list[int]:
    return sorted(map(int, log.read_text().split())) if log.exists() else []


class TestCells:
    def test_results_come_in_the_order_of_the_cells(self, tmp_path):
        with parallel_config(n_jobs=2):
            found = Cells(tmp_path / "cells").run(cells_of(tmp_path / "log"))
        assert found == [{"square": 0}, {"square": 1}, {"square": 4}, {"square": 9}]

    def test_what_is_kept_is_not_worked_out_again(self, tmp_path):
        log = tmp_path / "log"
        Cells(tmp_path / "cells").run(cells_of(log, 2))
        found = Cells(tmp_path / "cells").run(cells_of(log, 4))
        assert [result["square"] for result in found] == [0, 1, 4, 9]
        assert done(log) == [0, 1, 2, 3]

    def test_another_input_is_another_cell(self, tmp_path):
        log = tmp_path / "log"
        Cells(tmp_path).run(cells_of(log, 1))
        Cells(tmp_path).run([Cell({"number": 0, "seed": 1}, partial(square_of, 0, str(log)))])
        assert done(log) == [0, 0]

    @pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe"])
    @pytest.mark.filterwarnings("ignore:Exception while loading results")
    def test_a_damaged_result_is_worked_out_again(self, tmp_path, damage):
        log = tmp_path / "log"
        (cell,) = cells_of(log, 1)
        Cells(tmp_path / "cells").run([cell])
        (kept,) = (tmp_path / "cells").rglob("output.pkl")
        kept.write_bytes(damage)
        assert Cells(tmp_path / "cells").run([cell]) == [{"square": 0}]
        assert done(log) == [0, 0]

    def test_without_a_folder_nothing_is_kept(self, tmp_path):
        log = tmp_path / "log"
        for _ in range(2):
            assert Cells(None).run(cells_of(log, 2)) == [{"square": 0}, {"square": 1}]
        assert done(log) == [0, 0, 1, 1]

    def test_a_failing_cell_keeps_those_before_it(self, tmp_path):
        cells = [*cells_of(tmp_path / "log", 2), Cell({"bad": 1}, partial(int, "no number"))]
        with pytest.raises(ValueError, match="no number"):
            Cells(tmp_path / "cells").run(cells)
        assert [Cells(tmp_path / "cells").has(cell) for cell in cells] == [True, True, False]

    def test_the_bar_says_how_many_are_done(self, tmp_path, monkeypatch):
        terminal = io.StringIO()
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_bars():
            Cells(tmp_path).run(cells_of(tmp_path / "log"), title="squares")
        shown = terminal.getvalue()
        assert "squares: 100%" in shown
        assert "4/4" in shown

    def test_a_killed_run_goes_on_where_it_was(self, tmp_path):
        """The process is killed with SIGKILL after its second cell."""
        program = textwrap.dedent("""
            import sys, time
            from functools import partial
            from pathlib import Path
            from train_host.compare.cells import Cell, Cells
            def slow(number, log, pause):
                with open(log, "a") as file: file.write(f"{number}\\n")
                if number == 2: time.sleep(pause)
                return {"number": number}
            log, cells, pause = sys.argv[1:]
            work = [Cell({"number": n}, partial(slow, n, log, float(pause))) for n in range(5)]
            print(Cells(Path(cells)).run(work))
        """)
        log = tmp_path / "log"
        command = [sys.executable, "-c", program, str(log), str(tmp_path / "cells")]
        environment = os.environ | {"PYTHONPATH": str(PROJECT)}
        with subprocess.Popen([*command, "60"], env=environment) as process:
            until = time.monotonic() + 60
            while done(log) != [0, 1, 2] and time.monotonic() < until:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
        assert len(list((tmp_path / "cells").rglob("output.pkl"))) == 2
        again = subprocess.run([*command, "0"], env=environment, capture_output=True, text=True, check=True)
        assert again.stdout.strip() == str([{"number": number} for number in range(5)])
        assert done(log) == [0, 1, 2, 2, 3, 4]

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(TrainingError, match="file/cells: cannot be made"):
            Cells(tmp_path / "file" / "cells")


class TestSourceDigest:
    def test_follows_imports_within_the_project(self, monkeypatch):
        before = source_digest("train_host.method.refine")
        lpdpl = PROJECT / "train_host" / "method" / "lpdpl.py"
        read = Path.read_text
        monkeypatch.setattr(
            Path, "read_text", lambda path, *more, **named: read(path, *more, **named) + "#" * (path == lpdpl)
        )
        assert source_digest("train_host.method.refine") != before

    def test_does_not_depend_on_what_is_not_imported(self):
        assert source_digest("train_host.method.lpdpl") == source_digest(
            "train_host.method.lpdpl", "train_host.method.statistics"
        )
