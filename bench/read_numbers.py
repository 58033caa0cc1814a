"""Reads the same drawn numbers with this project, with PP-OCR (RapidOCR) and with Tesseract, one picture at a time.

    pip install -e '.[train,bench]' && sudo apt install tesseract-ocr tesseract-ocr-chi-sim
    python bench/read_numbers.py DIGITS CHINESE [--latin MODEL] [--chinese-model MODEL] [--count 100] [--json]

DIGITS and CHINESE are data sets, as for `lpdpl-train fit`, that the models have not seen. Three sets of pictures are
drawn: tight or touching digits, digits in printed boxes, and Chinese numbers of one hand each. Every contestant reads
each set in a process of its own on one core. "right" counts the pictures of which it gives the number and nothing else;
ours may be in doubt about it, so "accepted" and "wrong and accepted" are counted too. The others do not say.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import one_core

Read = Callable[[Path], tuple[str, bool]]
"""A picture in, the text that is read and whether it is accepted out."""
PACKAGES = ("edge-lpdpl", "numpy", "numba", "rapidocr-onnxruntime", "onnxruntime", "opencv-python")
CONTESTANTS = ("edge-lpdpl", "RapidOCR", "Tesseract")
SETS = {"latin": (951, 0.0, 2, 6), "boxed": (952, 1.0, 2, 6), "chinese": (953, 0.0, 2, 9)}
"""Seed, share of numbers in boxes, and the fewest and most characters."""


def main(argv: list[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    if arguments.worker:
        return _work(arguments.worker, Path(arguments.digits), arguments.chinese)
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: one that this process starts counts the most memory of this one as its own.
        drawing = (Path(folder), arguments.digits, arguments.chinese, arguments.writers, arguments.count)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            pool.submit(draw, *drawing).result()
        rows, absent = [], {}
        models = {"latin": arguments.latin, "boxed": arguments.latin, "chinese": arguments.chinese_model}
        for name in SETS:
            for contestant in CONTESTANTS:
                found = _in_process(contestant, Path(folder, name), models[name])
                if isinstance(found, str):
                    absent[contestant] = found
                else:
                    rows.append({"set": name, "contestant": contestant, **found})
                print(f"{contestant}, {name}: {found}", file=sys.stderr, flush=True)
        tesseract = _version_of_tesseract()
    machine = one_core.machine(None, PACKAGES)
    if arguments.json:
        print(json.dumps({"rows": rows, "absent": absent, "machine": machine, "tesseract": tesseract}))
    else:
        print(as_table(rows, absent, machine, tesseract))
    return 0 if rows else 2


def draw(folder: Path, digits: str, chinese: str, writers: str, count: int) -> None:
    """Write the sets of pictures below a folder."""
    from train_host.commands.spans import spans
    from train_host.datasets import open_dataset
    from train_host.scenes.folder import write_scenes
    from train_host.scenes.inks import Inks
    from train_host.scenes.options import SceneOptions

    for name, (seed, boxed, fewest, most) in SETS.items():
        dataset = open_dataset(chinese if name == "chinese" else digits)
        if name == "chinese" and writers:
            dataset = dataset.written_by(spans(writers))
        options = SceneOptions(kind="numbers", seed=seed, boxed=boxed, fewest=fewest, most=most)
        write_scenes(folder / name, Inks(dataset), options, count)


def score(texts: Iterable[str], readings: Iterable[tuple[str, bool, float]]) -> dict[str, Any]:
    """Counts of the readings (text, accepted, milliseconds of processor time) of pictures with known texts.

    >>> score(["427", "31"], [("427", True, 2.0), ("37", True, 4.0)])
    {'pictures': 2, 'right': 1, 'accepted': 2, 'wrong and accepted': 1, 'ms': 3.0}
    """
    outcomes = [(text == read, accepted, ms) for text, (read, accepted, ms) in zip(texts, readings, strict=True)]
    return {
        "pictures": len(outcomes),
        "right": sum(right for right, _, _ in outcomes),
        "accepted": sum(accepted for _, accepted, _ in outcomes),
        "wrong and accepted": sum(accepted and not right for right, accepted, _ in outcomes),
        "ms": round(median(ms for _, _, ms in outcomes), 1),
    }


def as_table(rows: list[dict[str, Any]], absent: dict[str, str], machine: dict[str, Any], tesseract: str) -> str:
    """The result for people, a line for each set and contestant."""
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    lines = [f"{machine['cpu']} ({machine['architecture']}), one core, Python {machine['python']}"]
    lines += [f"{packages}, {tesseract}", ""]
    lines.append("set      reads       pictures  right accepted  wrong       ms     MB")
    for row in rows:
        counts = f"{row['pictures']:8} {row['right']:6} {row['accepted']:8} {row['wrong and accepted']:6}"
        lines.append(f"{row['set']:8} {row['contestant']:11} {counts} {row['ms']:8.1f} {row['megabytes']:6.0f}")
    return "\n".join([*lines, *(f"Not measured: {name} ({reason})" for name, reason in absent.items())])


def _in_process(contestant: str, folder: Path, model: str) -> dict[str, Any] | str:
    """What a contestant makes of a set, or why it cannot be measured."""
    command = [sys.executable, __file__, str(folder), model, "--worker", contestant]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["it failed"])[-1]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _work(contestant: str, folder: Path, model: str) -> int:
    one_core.settle()
    read = {"edge-lpdpl": _ours, "RapidOCR": _rapid_ocr, "Tesseract": _tesseract}[contestant](folder.name, model)
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text("utf-8").splitlines()]
    texts = [one["text"] or one["numerals"][0]["label"] for one in truth]
    read(folder / truth[0]["file"])  # loads what is loaded late
    readings = []
    for one in truth:
        start = _cpu_seconds()
        text, accepted = read(folder / one["file"])
        readings.append((text, accepted, (_cpu_seconds() - start) * 1000))
    who = resource.RUSAGE_CHILDREN if contestant == "Tesseract" else resource.RUSAGE_SELF  # a process for each picture
    used = resource.getrusage(who).ru_maxrss
    print(json.dumps({**score(texts, readings), "megabytes": round(used / 1024, 1)}))
    return 0


def _cpu_seconds() -> float:
    """Time on the core of this process and its children, which other programs on the machine do not lengthen."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _ours(name: str, model: str) -> Read:
    from edge_lpdpl import PictureReader, Recogniser
    from edge_lpdpl.files.pictures import read_picture
    from edge_lpdpl.library.models import find_model

    reader = PictureReader(Recogniser.load(find_model(model)))

    def read(path: Path) -> tuple[str, bool]:
        numbers = reader.read(read_picture(path)).numbers
        return " ".join(one.text for one in numbers), bool(numbers) and not any(one.rejected for one in numbers)

    return read


def _rapid_ocr(name: str, model: str) -> Read:
    from rapidocr_onnxruntime import RapidOCR

    engine = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)

    def read(path: Path) -> tuple[str, bool]:
        lines, _ = engine(str(path))
        return _in_order(lines or []), bool(lines)

    return read


def _in_order(lines: list[Any]) -> str:
    """The texts of lines (corners, text, confidence) from left to right, joined without spaces."""
    return "".join("".join(line[1].split()) for line in sorted(lines, key=lambda line: line[0][0][0]))


def _tesseract(name: str, model: str) -> Read:
    if shutil.which("tesseract") is None:
        raise SystemExit("tesseract is not installed: sudo apt install tesseract-ocr tesseract-ocr-chi-sim")
    language = ["-l", "chi_sim"] if name == "chinese" else ["-l", "eng", "-c", "tessedit_char_whitelist=0123456789"]

    def read(path: Path) -> tuple[str, bool]:
        command = ["tesseract", str(path), "stdout", "--psm", "7", *language]  # one line of text
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # it crashes on some pictures
        text = "".join(done.stdout.split())
        return text, bool(text)

    return read


def _version_of_tesseract() -> str:
    if shutil.which("tesseract") is None:
        return "no tesseract"
    done = subprocess.run(["tesseract", "--version"], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()[0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="read_numbers", description="read drawn numbers, beside others")
    parser.add_argument("digits", help="a data set of digits")
    parser.add_argument("chinese", help="a data set of Chinese numerals")
    parser.add_argument("--writers", default="71-80", help="of the Chinese data set (%(default)s; '' for all)")
    parser.add_argument("--latin", default="latin10", metavar="MODEL", help="our model of digits (%(default)s)")
    parser.add_argument("--chinese-model", default="chinese15", metavar="MODEL", help="and of Chinese (%(default)s)")
    parser.add_argument("--count", type=int, default=100, help="pictures of each set (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--worker", choices=CONTESTANTS, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
