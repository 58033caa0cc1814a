"""Change three rooms by one operator, comparison or number at a time, and count the changes that the tests notice.

A change is never written: a child process, forked after the slow imports, imports the changed text instead of the
file's. It runs the tests of the room that call the changed function, fastest first, then the others, without real data.
Kernels run as plain Python then, or each change would compile them for a minute. hypothesis does not look for the
smallest example of a failure.
"""

import argparse
import contextlib
import gc
import importlib
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from changes import PROJECT, ROOMS, Finder, Mutant, is_compiled, mutants

OUTPUT = PROJECT / ".lanes" / "mutants"
LEAST = 0.9
"""Share of the mutants of a room that should be killed."""
HEAVY = ("numba", "pytest", "hypothesis", "scipy.optimize", "scipy.ndimage", "scipy.stats", "sklearn.model_selection")
HEAVY += ("_hypothesis_pytestplugin", "_pytest.junitxml", "_pytest.logging", "_pytest.pastebin", "pdb")
HEAVY += ("sklearn.utils.estimator_checks", "joblib", "h5py", "PIL.Image", "skimage.feature", "threadpoolctl", "tqdm")
MOST_BYTES = 8 << 30
"""Address space of the tests of one change."""
SLOWER = 3
"""Time that the tests of a change may take, as a multiple of what they take without it."""
SPARE = 10
"""Seconds besides, for imports."""
CROWDED = 30
"""Seconds of a clock for a second of a processor, at most: tests that wait for ever end, too."""


def begin(work: Callable[[], int], log: Path | None, plain: bool, seconds: int = resource.RLIM_INFINITY) -> int:
    """Start a child process that does some work and ends with its status; the child's id.

    Args:
        log: where to keep what the child prints.
        plain: whether kernels run as plain Python.
        seconds: of a processor; then the child is ended.
    """
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        kept = os.open(log or os.devnull, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(kept, 1)
        os.dup2(kept, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if plain:
            from numba.core import config

            os.environ["NUMBA_DISABLE_JIT"], config.DISABLE_JIT = "1", True
        os._exit(work())
    finally:
        os._exit(1)


def pytest_status(arguments: list[str], *plugins: object) -> int:
    import pytest
    from hypothesis import Phase, settings
    from watch import RIVALS

    settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")  # the project's profile is made from it
    quiet = ["-x", "-q", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin", "-o", "faulthandler_timeout=0"]
    quiet += ["-k", f"not ({RIVALS})"]
    places = [f"--rootdir={PROJECT}", f"--basetemp={files_of(os.getpid())}"]
    return int(pytest.main([*quiet, *places, *arguments], plugins=list(plugins)))


def files_of(child: int) -> Path:
    return OUTPUT / f"files-{child}"


def end(child: int) -> None:
    """End what the tests left running, and delete what they wrote."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    shutil.rmtree(files_of(child), ignore_errors=True)


def watched(room: str, plain: bool) -> dict:
    """What each test of a room does with unchanged sources."""
    import watch

    seen = {}
    for path in watch.test_files(room, plain):
        notes, log = OUTPUT / watch.notes_of(room, path, plain), OUTPUT / "unchanged.txt"

        def work(path: Path = path, notes: Path = notes) -> int:
            watcher = watch.Watcher(room)
            status = pytest_status([str(path)], watcher)
            if status in (0, 5):  # 5: no tests, in plain Python
                watcher.write(notes)
            return 0 if status == 5 else status

        if not notes.exists():
            child = begin(work, log, plain)
            try:
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            finally:
                end(child)
            if status:
                sys.exit(f"{path} fails without a change: see {log}")
            print(f"{path.name}: {sum(test.seconds for test in watch.read(notes).values()):.0f} s", file=sys.stderr)
        seen |= watch.read(notes)
    return seen


class Job(NamedTuple):
    """Tests that run with a change, until a time."""

    mutant: Mutant
    last: bool
    """Whether no others are left if these pass."""
    until: float


class Trial:
    """Tries the mutants of a room."""

    def __init__(self, room: str, jobs: int, quick: bool) -> None:
        self.room, self.jobs, self.quick = room, jobs, quick
        self.seen: dict[bool, dict] = {}
        """What each test does, by whether it runs in plain Python."""
        self.alive: list[Mutant] = []
        self.done, self.late = 0, 0

    def run(self, chosen: list[Mutant]) -> None:
        for plain in {is_compiled(mutant.file) for mutant in chosen}:
            self.seen[plain] = watched(self.room, plain)
        running: dict[int, Job] = {}
        try:
            self._try_all(chosen, running)
        finally:
            for child in running:
                end(child)

    def _try_all(self, chosen: list[Mutant], running: dict[int, Job]) -> None:
        waiting = [(mutant, False) for mutant in reversed(chosen)]
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant, last = waiting.pop()
                child, job = self._start(mutant, last)
                running[child] = job
            for child, status in finished(running):
                job = running.pop(child)
                if status == 0 and not job.last and not self.quick:
                    waiting.append((job.mutant, True))
                else:
                    self.note(job.mutant, status, len(chosen))
            time.sleep(0.05)

    def _start(self, mutant: Mutant, last: bool) -> tuple[int, Job]:
        import watch

        plain = is_compiled(mutant.file)
        names = watch.tests_for(mutant, self.seen[plain])[last]
        files = watch.seconds_of_files(names, self.seen[plain])
        limits = {name: limit(files[name.partition("::")[0]]) for name in names}
        seconds = limit(sum(files.values()))

        def work() -> int:
            if not names:
                return 0
            sys.meta_path.insert(0, Finder(mutant))
            order = dict.fromkeys(name.partition("::")[0] for name in names)
            return pytest_status(list(order), watch.Chooser(limits))

        child = begin(work, None, plain, seconds)
        return child, Job(mutant, last, time.monotonic() + CROWDED * seconds)

    def note(self, mutant: Mutant, status: int, count: int) -> None:
        self.done += 1
        self.late += status in (-signal.SIGXCPU, -signal.SIGKILL)
        if status == 0:
            self.alive.append(mutant)
            print(f"{mutant.file}:{mutant.line}: {mutant.operator}\n{mutant.difference()}", flush=True)
        print(f"{self.done} of {count}, {len(self.alive)} survive: {mutant.file}", file=sys.stderr, flush=True)

    def summary(self, count: int) -> str:
        killed = self.done - len(self.alive)
        share = f"{killed / max(self.done, 1):.1%}"
        return f"{self.room}: {killed} of {self.done} killed ({share}; {self.late} ran out of time), drawn from {count}"


def limit(seconds: float) -> int:
    """Seconds that tests may take with a change that take so many without it."""
    return SPARE + int(SLOWER * seconds)


def finished(running: dict[int, Job]) -> Iterator[tuple[int, int]]:
    """Children that have ended, or whose time is over, and their status; a negative one is a signal."""
    for child, job in list(running.items()):
        done, status = os.waitpid(child, os.WNOHANG)
        if done or time.monotonic() > job.until:
            end(child)
            if not done:
                status = os.waitpid(child, 0)[1]
            yield child, os.waitstatus_to_exitcode(status)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS, metavar="ROOM", help="default: all three")
    parser.add_argument("--sample", type=int, metavar="N", help="mutants of each room, drawn at random; default: all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time; default: cores")
    parser.add_argument("--quick", action="store_true", help="only tests that call the changed function")
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutants whose FILE:LINE has this text")
    options = parser.parse_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    os.chdir(PROJECT)
    os.environ.pop("EDGE_LPDPL_DATA", None)
    sys.path.insert(0, str(PROJECT))
    for module in HEAVY:
        importlib.import_module(module)
    gc.freeze()  # or each child looks at all objects of these modules, and copies them
    trials = []
    for room in options.rooms:
        every = [mutant for mutant in mutants(room) if options.only in f"{mutant.file}:{mutant.line}"]
        count = min(options.sample or len(every), len(every))
        trials.append(Trial(room, options.jobs, options.quick))
        stopped = False
        try:
            trials[-1].run(random.Random(options.seed).sample(every, count))
        except KeyboardInterrupt:  # what was tried is a random sample, too
            stopped = True
        print(trials[-1].summary(len(every)), flush=True)
        if stopped:
            return 1
    return int(any(len(trial.alive) > (1 - LEAST) * trial.done for trial in trials))


# Before NumPy is imported: hypothesis draws the same examples each time, and one thread a process is enough.
os.environ |= {"CI": "true", "OPENBLAS_NUM_THREADS": "1", "NUMBA_CACHE_DIR": str(OUTPUT / "kernels")}
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # of those installed, the tests need hypothesis's alone

if __name__ == "__main__":
    sys.exit(main())
