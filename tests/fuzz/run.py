"""Fuzz the readers of what others wrote: coverage-guided, by atheris (libFuzzer). A target is a module in `targets`.

    python tests/fuzz/run.py [TARGET...] [--seconds 60]    fuzz, as many targets at a time as there are cores
    python tests/fuzz/run.py TARGET --again INPUT          run a kept input again, with its traceback

An input that crashes a target, or takes longer than LONGEST_SECONDS, is kept, and the status is 1.
"""

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT = ROOT / ".lanes" / "fuzz"
TARGETS = sorted(path.stem for path in (HERE / "targets").glob("[a-z]*.py"))
INSTRUMENTED = {"edge_lpdpl", "tomllib", "json", "PIL"}
OF_ARRAYS = {"pages"}
"""Targets that compare whole arrays; what they are compared with tells the fuzzer nothing of the input's bytes."""
LONGEST_SECONDS = 60
"""For one input: more than any takes here, on a machine that is busy."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; default: all")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--again", type=Path, metavar="INPUT", help="run this input alone")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := set(given.targets) - set(TARGETS):
        parser.error(f"there is no target {', '.join(sorted(unknown))}: use {', '.join(TARGETS)}")
    sys.path[:0] = [str(ROOT), str(HERE.parent / "help"), str(HERE)]
    if given.again and len(given.targets) != 1:
        parser.error("--again needs one target")
    if given.again:
        importlib.import_module(f"targets.{given.targets[0]}").check(given.again.read_bytes())
        return 0
    if given.inside:
        fuzz(*given.targets, given.seconds)
    compile_kernels()
    with ThreadPoolExecutor(os.cpu_count()) as together:
        return max(together.map(partial(fuzz_apart, given.seconds), given.targets or TARGETS))


def compile_kernels() -> None:
    """Put the kernels into the cache, where they are not there: numba cannot compile what atheris has instrumented."""
    for name in ("numeral.engine", "page.searcher", "number.finder"):
        importlib.import_module("edge_lpdpl.jit.loader").load_kernels(
            importlib.import_module(f"edge_lpdpl.{name}").ENTRIES
        )


def fuzz_apart(seconds: int, name: str) -> int:
    """Fuzz a target in a process of its own, because libFuzzer ends it; returns 1 where it found something."""
    KEPT.mkdir(parents=True, exist_ok=True)
    before = set(KEPT.glob(f"{name}-*"))
    command = [sys.executable, __file__, name, "--inside", f"--seconds={seconds}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    found = sorted(set(KEPT.glob(f"{name}-*")) - before)
    if done.returncode == 0 and not found:
        lines = done.stdout.splitlines()
        runs = next((line.split()[1] for line in reversed(lines) if line.startswith("Done ")), "no")
        print(f"{name}: {runs} inputs, nothing found", flush=True)
        return 0
    print(done.stdout[-4000:])
    for path in found:
        print(f"{name}: run it again with: {sys.executable} {Path(__file__).relative_to(ROOT)} {name} --again {path}")
    return 1


def fuzz(name: str, seconds: int) -> None:
    """Fuzz until the time is over or something is found; does not return."""
    import atheris
    from atheris.import_hook import HookManager

    # What `atheris.instrument_imports` returns, and a choice that it has not: where comparisons are traced, atheris
    # keeps the answer of each for ever, which is an array where arrays are compared: a page or more an input.
    with HookManager(INSTRUMENTED, set(), enable_loader_override=True, trace_dataflow=name not in OF_ARRAYS):
        target = importlib.import_module(f"targets.{name}")
    with tempfile.TemporaryDirectory() as new:  # what is found beyond the corpus
        arguments = [
            sys.argv[0],
            f"-max_total_time={seconds}",
            f"-max_len={target.LONGEST}",
            f"-timeout={LONGEST_SECONDS}",
            f"-report_slow_units={LONGEST_SECONDS}",
            "-rss_limit_mb=2048",
            f"-artifact_prefix={KEPT}/{name}-",
            new,
            str(HERE / "corpus" / name),
        ]
        mutator = getattr(target, "mutate", None)
        atheris.Setup(arguments, target.check, **({"custom_mutator": mutator} if mutator else {}))
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
