"""Change the sources by one operator or number at a time (cosmic-ray), and count the changes that the tests notice.

A room's mutants are tried with the tests of that room, without real data. The work is done in a copy of the project, so
that a change that was not taken back harms nothing.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

PROJECT = Path(__file__).parents[2]
ROOMS = ("train_host/method", "edge_lpdpl/numeral", "edge_lpdpl/model")
NOT_COPIED = (".*", "*.egg-info", "__pycache__", "comparison", "demo-output", "dist")
LONGEST = 600  # seconds for the tests of one mutant; a kernel is compiled anew


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", nargs="+", default=ROOMS, metavar="FOLDER", help="default: %(default)s")
    parser.add_argument("--sample", type=int, metavar="N", help="mutants of each room, drawn at random; default: all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args()
    os.environ.pop("EDGE_LPDPL_DATA", None)
    survived = {room: try_room(room, options.sample, options.seed) for room in options.rooms}
    for room, (alive, tried) in survived.items():
        print(f"{room}: {tried - len(alive)} of {tried} mutants killed ({1 - len(alive) / max(tried, 1):.0%})")
        for mutant in alive:
            print(mutant)
    return 0


def try_room(room: str, sample: int | None, seed: int) -> tuple[list[str], int]:
    """The differences of the mutants that survived, and the count of those that were tried."""
    copy = PROJECT / ".lanes" / "mutants"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    tests = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {copy}/tests/unit/{room}"
    (copy / "mutants.toml").write_text(
        f'[cosmic-ray]\nmodule-path = "{room}"\ntimeout = {LONGEST}\nexcluded-modules = []\ntest-command = "{tests}"\n'
        '[cosmic-ray.distributor]\nname = "local"\n'
    )
    for command in (["init", "mutants.toml", "mutants.sqlite"], ["baseline", "mutants.toml"]):
        subprocess.run([sys.executable, "-m", "cosmic_ray.cli", *command], cwd=copy, check=True)
    with use_db(copy / "mutants.sqlite", WorkDB.Mode.open) as work:
        jobs = sorted(item.job_id for item in work.work_items)
        chosen = set(random.Random(seed).sample(jobs, min(sample or len(jobs), len(jobs))))
        for job in set(jobs) - chosen:
            work.set_result(job, WorkResult(WorkerOutcome.SKIPPED))
    subprocess.run(
        [sys.executable, "-m", "cosmic_ray.cli", "exec", "mutants.toml", "mutants.sqlite"], cwd=copy, check=True
    )
    with use_db(copy / "mutants.sqlite", WorkDB.Mode.open) as work:
        found = [result for job, result in work.results if job in chosen]
    alive = [result.diff or "" for result in found if result.test_outcome == TestOutcome.SURVIVED]
    return alive, sum(result.test_outcome is not None for result in found)


if __name__ == "__main__":
    sys.exit(main())
