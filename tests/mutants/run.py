"""Change the sources by one operator, comparison or number at a time, and count the changes that the tests notice.

cosmic-ray makes the changes. A change is never written: a child process, forked after the slow imports, imports the
changed text instead of the file's and runs the tests of that module, then the others of its room, without real data.
Kernels run as plain Python then, or each change would compile them for a minute.

Left out, because they cannot be noticed or notice themselves:
- `|` in annotations, which fails at the import;
- decorators of kernels, which do nothing in plain Python;
- `==` for `is` and the other way round, which are the same for None, small numbers and names.
cosmic-ray changes no texts, so messages and docstrings are left alone.
"""

import argparse
import ast
import contextlib
import difflib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

PROJECT = Path(__file__).parents[2]
ROOMS = ("train_host/method", "edge_lpdpl/numeral", "edge_lpdpl/model")
OUTPUT = PROJECT / ".lanes" / "mutants"
PLAIN_PYTHON = ("numeral/kernels/", "numeral/buffers.py", "numeral/record.py", "numeral/taught.py")
"""What numba compiles."""
LARGE = "numeral/test_recogniser.py", "numeral/test_hand.py"
"""Tests that take minutes in plain Python."""
OWN = {
    "method/adam.py": ("method/test_refine.py",),
    "method/decisions.py": ("method/test_decisions.py",),
    "kernels/octants.py": ("kernels/test_histogram.py",),
    "numeral/buffers.py": ("kernels/test_entries.py", "kernels/test_square.py", "kernels/test_histogram.py"),
    "numeral/record.py": ("kernels/test_entries.py",),
    "numeral/steps.py": ("numeral/test_recogniser.py",),
    "numeral/taught.py": ("numeral/kernels/test_hand.py", "numeral/test_hand.py"),
    "numeral/weights.py": ("numeral/kernels/test_classify.py",),
    "numeral/engine.py": ("numeral/plain/test_engine.py",),
    "model/container.py": ("model/test_model.py", "model/test_files.py"),
    "model/json_text.py": ("model/test_model.py", "model/test_files.py"),
    "model/metadata.py": ("model/test_model.py",),
}
"""Tests that come first, for modules whose file of tests has another name."""
RIVALS = "accepts_it and (SRC or KSVD or DLSI or InDPL)"
"""Tests of methods that are not ours."""
LEAST = 0.9
"""Share of the mutants of a room that should be killed."""
HEAVY = ("numba", "pytest", "hypothesis", "scipy.optimize", "scipy.ndimage", "scipy.stats", "sklearn.model_selection")
HEAVY += ("sklearn.utils.estimator_checks", "joblib", "h5py", "PIL.Image", "skimage.feature", "threadpoolctl", "tqdm")
SAME = ("_Is_Eq", "_IsNot_NotEq", "_Eq_Is", "_NotEq_IsNot")
SKIPPED = ("VariableReplacer", "VariableInserter", "NoOp")
"""Operators that need names to be chosen by hand."""
MOST_BYTES = 8 << 30
"""Address space of the tests of one change."""


class Mutant(NamedTuple):
    """One change of one file."""

    file: str
    operator: str
    occurrence: int
    line: int

    def text(self) -> str:
        source = (PROJECT / self.file).read_text()
        changed: str = mutate_code(source, cosmic_ray.plugins.get_operator(self.operator)(), self.occurrence)
        return changed

    def difference(self) -> str:
        lines = difflib.unified_diff(
            (PROJECT / self.file).read_text().splitlines(), self.text().splitlines(), n=0, lineterm=""
        )
        return "\n".join(line for line in lines if line[:3] not in ("---", "+++"))


def mutants(room: str) -> list[Mutant]:
    """All changes of the modules of a room that are not left out."""
    found = []
    for path in sorted((PROJECT / room).rglob("*.py")):
        source, file = path.read_text(), str(path.relative_to(PROJECT))
        notes = annotations(ast.parse(source))
        nodes = list(ast_nodes(get_ast(source)))
        for name in cosmic_ray.plugins.operator_names():
            if name.endswith((*SKIPPED, *SAME)) or (is_compiled(file) and name.endswith("RemoveDecorator")):
                continue
            operator = cosmic_ray.plugins.get_operator(name)()
            places = [begin for node in nodes for begin, _ in operator.mutation_positions(node)]
            for occurrence, place in enumerate(places):
                if not ("BitOr" in name and any(first <= place < last for first, last in notes)):
                    found.append(Mutant(file, name, occurrence, place[0]))
    return found


def annotations(tree: ast.AST) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations begin and end."""
    notes = [getattr(node, name, None) for node in ast.walk(tree) for name in ("annotation", "returns")]
    return [
        ((note.lineno, note.col_offset), (note.end_lineno or 0, note.end_col_offset or 0)) for note in notes if note
    ]


def is_compiled(file: str) -> bool:
    return any(part in file for part in PLAIN_PYTHON)


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a changed text instead of a file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, the changed one."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self.loader = Changed(self.name, str(PROJECT / mutant.file), mutant.text())

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.loader.path, loader=self.loader)


def tests_of(file: str) -> tuple[list[str], list[str]]:
    """Tests of a module, and the others of its room."""
    tests = PROJECT / "tests" / "unit"
    room = next(room for room in ROOMS if file.startswith(room))
    every = sorted(map(str, (tests / room).rglob("test_*.py")))
    if is_compiled(file):
        every = [name for name in every if not name.endswith(LARGE)]
    key = next((key for key in OWN if file.endswith(key)), "")
    wanted = OWN.get(key, (f"/test_{Path(file).stem}.py",))
    own = [name for end in wanted for name in every if name.endswith(end)]
    return own, [name for name in every if name not in own]


def begin(tests: list[str], mutant: Mutant | None, plain: bool) -> int:
    """Start a child process that runs tests with a change; its id."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = in_child(tests, mutant, plain)
        finally:
            os._exit(code)
    return child


def in_child(tests: list[str], mutant: Mutant | None, plain: bool) -> int:
    """Run the tests; what they print is kept for tests of unchanged sources only."""
    os.setsid()
    log = os.open(OUTPUT / "baseline.txt" if mutant is None else os.devnull, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if plain:
        from numba.core import config

        os.environ["NUMBA_DISABLE_JIT"], config.DISABLE_JIT = "1", True
    if mutant:
        sys.meta_path.insert(0, Finder(mutant))
    import pytest

    quiet = ["-x", "-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0"]
    places = [f"--rootdir={PROJECT}", f"--basetemp={files_of(os.getpid())}"]
    return int(pytest.main([*quiet, *places, "-k", f"not ({RIVALS})", *tests]))


def files_of(child: int) -> Path:
    return OUTPUT / f"files-{child}"


def end(child: int) -> None:
    """End what the tests left running, and delete what they wrote."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    shutil.rmtree(files_of(child), ignore_errors=True)


class Job(NamedTuple):
    """Tests that run with a change, until a time."""

    mutant: Mutant
    last: bool
    """Whether no others are left if these pass."""
    until: float


class Trial:
    """Tries the mutants of a room."""

    def __init__(self, jobs: int, own_only: bool) -> None:
        self.jobs, self.own_only = jobs, own_only
        self.limits: dict[tuple[bool, tuple[str, ...]], float] = {}
        """Seconds for some tests, in plain Python or not."""
        self.alive: list[Mutant] = []
        self.done = 0

    def limit(self, tests: list[str], plain: bool) -> float:
        """A few times what the tests take with unchanged sources."""
        key = plain, tuple(tests)
        if key not in self.limits:
            start, child = time.monotonic(), begin(tests, None, plain)
            try:
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            finally:
                end(child)
            if status:
                sys.exit(f"the tests fail without a change: see {OUTPUT / 'baseline.txt'}")
            self.limits[key] = 5 + 3 * self.jobs * (time.monotonic() - start)
        return self.limits[key]

    def run(self, chosen: list[Mutant]) -> None:
        for mutant in chosen:
            if own := tests_of(mutant.file)[0]:
                self.limit(own, is_compiled(mutant.file))
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
                tests, plain = tests_of(mutant.file)[last], is_compiled(mutant.file)
                limit = self.limit(tests, plain) if tests else 0
                if tests:
                    running[begin(tests, mutant, plain)] = Job(mutant, last, time.monotonic() + limit)
                elif not last:  # no tests of its own
                    waiting.append((mutant, True))
            for child, passed in finished(running):
                job = running.pop(child)
                if passed and not job.last and not self.own_only:
                    waiting.append((job.mutant, True))
                else:
                    self.note(job.mutant, passed, len(chosen))
            time.sleep(0.05)

    def note(self, mutant: Mutant, passed: bool, count: int) -> None:
        self.done += 1
        if passed:
            self.alive.append(mutant)
            print(f"{mutant.file}:{mutant.line}: {mutant.operator}\n{mutant.difference()}")
        print(f"{self.done} of {count}, {len(self.alive)} survive: {mutant.file}", file=sys.stderr, flush=True)


def finished(running: dict[int, Job]) -> Iterator[tuple[int, bool]]:
    """Children that have ended, or whose time is over, and whether their tests passed."""
    for child, job in list(running.items()):
        done, status = os.waitpid(child, os.WNOHANG)
        if done or time.monotonic() > job.until:
            end(child)
            if not done:
                os.waitpid(child, 0)
            yield child, bool(done) and status == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS, metavar="ROOM", help="default: all three")
    parser.add_argument("--sample", type=int, metavar="N", help="mutants of each room, drawn at random; default: all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time; default: cores")
    parser.add_argument("--own", action="store_true", help="only the tests of the changed module: faster, more survive")
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutants of files whose path has this text")
    options = parser.parse_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    os.chdir(PROJECT)
    os.environ.pop("EDGE_LPDPL_DATA", None)
    sys.path.insert(0, str(PROJECT))
    for module in HEAVY:
        importlib.import_module(module)
    trials = {}
    for room in options.rooms:
        every = [mutant for mutant in mutants(room) if options.only in mutant.file]
        count = min(options.sample or len(every), len(every))
        trials[room] = Trial(options.jobs, options.own)
        stopped = False
        try:
            trials[room].run(random.Random(options.seed).sample(every, count))
        except KeyboardInterrupt:  # what was tried is a random sample, too
            stopped = True
        done, killed = trials[room].done, trials[room].done - len(trials[room].alive)
        print(f"{room}: {killed} of {done} killed ({killed / max(done, 1):.1%}), of {len(every)}", flush=True)
        if stopped:
            return 1
    return int(any(len(trial.alive) > (1 - LEAST) * trial.done for trial in trials.values()))


# Before NumPy is imported: hypothesis draws the same examples each time, and one thread a process is enough.
os.environ |= {"CI": "true", "OPENBLAS_NUM_THREADS": "1", "NUMBA_CACHE_DIR": str(OUTPUT / "kernels")}
sys.dont_write_bytecode = True

if __name__ == "__main__":
    sys.exit(main())
