"""Times our pipeline and the libraries that a user could choose instead, in one run, one image at a time.

    pip install -e '.[bench]'
    python bench/peers.py [--model MODEL] [--rounds N] [--json]

Prints the median, the minimum and the 99th percentile of the microseconds per image. All contestants run on the same
core and take turns in short bursts, so that other load on the machine slows all of them alike. Still, compare medians
only, and only within one run.
"""

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import one_core

if TYPE_CHECKING:
    from contestant import Contestant

    from train_host.compare.latency import Figures

PACKAGES = ("edge-lpdpl", "numpy", "numba", "scikit-learn", "scikit-image", "opencv-python-headless", "ai-edge-litert")
BASE = "ours, whole pipeline"  # what the others are compared with
LEAST_ROUNDS, USUAL_ROUNDS = 3, 200


@dataclass(frozen=True)
class Limit:
    """A limit that we promise: our time is at most this share of the peer's."""

    ours: str
    peer: str
    at_most: float


LIMITS = (
    Limit("ours, whole pipeline", "scikit-image hog", 1 / 30),
    Limit("ours, whole pipeline", "eq. 12 straight, m=340", 1 / 30),
    Limit("ours, whole pipeline", "depthwise CNN", 1.3),
    Limit("ours, HOG + classify", "depthwise CNN", 0.6),
)


@dataclass(frozen=True)
class Result:
    """The figures of the contestants, and the reason for each one that could not be measured."""

    measured: "list[tuple[Contestant, Figures]]"
    absent: dict[str, str]
    clock_us: float
    machine: dict[str, object]
    rounds: int

    def p50(self, name: str) -> float | None:
        return next((figures.p50 for contestant, figures in self.measured if contestant.name == name), None)

    def times_ours(self, p50: float) -> float | None:
        base = self.p50(BASE)
        return round(p50 / base, 3) if base else None

    def verdicts(self) -> list[dict[str, Any]]:
        """Whether each limit is kept, for limits with both sides measured."""
        verdicts = []
        for limit in LIMITS:
            ours, peer = self.p50(limit.ours), self.p50(limit.peer)
            if ours is not None and peer is not None:
                share = ours / peer
                verdicts.append(asdict(limit) | {"share": round(share, 4), "kept": share <= limit.at_most})
        return verdicts


def main(argv: list[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    core = one_core.settle()  # before NumPy is imported, hence the imports inside `measure`
    try:
        result = measure(arguments.model, arguments.rounds, core)
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        print(f"peers: {error}".splitlines()[0], file=sys.stderr)
        return 2
    print(json.dumps(as_json(result), ensure_ascii=False) if arguments.json else as_table(result))
    return 0


def measure(model: str | None, rounds: int, core: int | None) -> Result:
    """Build all contestants that can be built on this machine, and time them.

    Raises:
        RuntimeError: there are none.
    """
    import numpy as np
    import ours
    from contestants import PEERS, build

    from edge_lpdpl.measure.timing import time_each
    from train_host.compare.latency import race
    from train_host.progress import progress_bars

    builders = ({"ours": lambda: ours.build(model)} if model else {}) | PEERS
    contestants: list[Contestant] = []
    absent = {} if model else {"ours": "no --model given"}
    for name, built in build(builders):
        _say(f"building {name}")
        if isinstance(built, ImportError):
            absent[name] = str(built)
        else:
            contestants += built
    if not contestants:
        raise RuntimeError("nothing to measure; install the peers with: pip install -e '.[bench]'")
    with progress_bars():
        figures = race({one.name: one.call for one in contestants}, rounds=rounds)
    machine = one_core.machine(core, PACKAGES)
    clock_us = float(np.median(time_each([lambda: None] * 2000))) / 1000  # what reading the clock adds to every figure
    measured = [(one, figures[one.name]) for one in contestants]
    return Result(measured, absent, round(clock_us, 3), machine, rounds)


def as_json(result: Result) -> dict[str, Any]:
    """The result, ready for JSON."""
    return {
        "entries": [
            {
                "name": contestant.name,
                "settings": contestant.settings,
                "p50_us": figures.p50,
                "min_us": figures.least,
                "p99_us": figures.p99,
                "calls": figures.calls,
                "times_ours": result.times_ours(figures.p50),
            }
            for contestant, figures in result.measured
        ],
        "limits": result.verdicts(),
        "absent": result.absent,
        "rounds": result.rounds,
        "clock_us": result.clock_us,
        "machine": result.machine,
    }


def as_table(result: Result) -> str:
    """The result as text: the figures, then the missing contestants, then the limits."""
    width = max(len(contestant.name) for contestant, _ in result.measured)
    heading = f"{'us per image':{width}} {'p50':>9} {'min':>9} {'p99':>9} {'x ours':>8}  settings"
    lines = [_machine_line(result), "", heading]
    for contestant, figures in result.measured:
        ratio = result.times_ours(figures.p50)
        shown = "" if ratio is None else f"{ratio:.2f}"
        numbers = f"{figures.p50:9.1f} {figures.least:9.1f} {figures.p99:9.1f} {shown:>8}"
        lines.append(f"{contestant.name:{width}} {numbers}  {contestant.settings}")
    lines += ["", f"Reading the clock adds {result.clock_us:.2f} us to each figure."]
    lines += [f"Not measured: {name} ({reason})" for name, reason in result.absent.items()]
    for verdict in result.verdicts():
        kept = "kept" if verdict["kept"] else "NOT KEPT"
        share, limit = f"{verdict['share']:.3f}", f"{verdict['at_most']:.3f}"
        lines.append(f"{kept}: {verdict['ours']} takes {share} of {verdict['peer']}, limit {limit}")
    return "\n".join(lines)


def _machine_line(result: Result) -> str:
    machine = result.machine
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())  # type: ignore[attr-defined]
    core = "not pinned" if machine["core"] is None else f"core {machine['core']}"
    return f"{machine['cpu']} ({machine['architecture']}), {core}, Python {machine['python']}\n{packages}"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="peers", description="time our pipeline and libraries that could replace it")
    parser.add_argument("--model", default="chinese15", help="our model: a file or the name of a shipped model")
    parser.add_argument("--rounds", type=_rounds, default=USUAL_ROUNDS, metavar="N", help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _rounds(text: str) -> int:
    rounds = int(text)
    if rounds < LEAST_ROUNDS:
        raise argparse.ArgumentTypeError(f"at least {LEAST_ROUNDS}")
    return rounds


if __name__ == "__main__":
    sys.exit(main())
